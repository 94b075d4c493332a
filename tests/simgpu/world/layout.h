// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <cstdint>

// The world: one file that every simulated driver of a machine maps, whichever container it runs
// in. It holds what the cards of a real machine would: who holds how much memory, and what work is
// queued. Plain data at fixed offsets, for one build of the simulation; everything below
// `WorldLayout::mutex` is read and written under it. Times are nanoseconds of the world's clock,
// sizes bytes.

namespace aliquot::simgpu {

inline constexpr char kWorldMagic[8] = {'A', 'L', 'Q', 'W', 'O', 'R', 'L', 'D'};
inline constexpr std::uint32_t kWorldVersion = 1;
inline constexpr int kMaxCards = 16;
inline constexpr int kMaxProcesses = 256;
inline constexpr int kMaxQueues = 256;
inline constexpr std::uint32_t kQueueItems = 2048;
inline constexpr int kMaxBlocks = 4096;
inline constexpr std::uint32_t kMaxProfileBytes = 256 * 1024;

struct CardLayout {
  char uuid[48];
  std::uint8_t uuid_bytes[16];
  char model[96];
  char pci[32];  // as sysfs has it
  std::int32_t minor;
  std::int32_t cc_major;
  std::int32_t cc_minor;
  std::int32_t lost;
  std::uint64_t memory;         // of the card
  std::uint64_t reserved;       // the driver's own
  std::uint64_t context_bytes;  // what a context costs
  // Engine.
  std::uint64_t time;       // simulated up to here
  std::int32_t running;     // queue whose item runs, -1 = none
  std::int32_t last_queue;  // round robin goes on after this one
  std::uint64_t slice_left;
  std::uint64_t busy_ns;  // of all processes there ever were
};

struct ProcessCard {
  std::uint64_t context_bytes;
  std::uint64_t memory_bytes;
  std::uint64_t busy_ns;
  std::uint64_t since;  // when its first context came
  std::int32_t contexts;
  std::int32_t unused;
};

// Owned while the process holds its lock (world_file.h).
struct ProcessLayout {
  std::int32_t used;
  std::int32_t pid;             // as the process sees itself
  std::uint64_t pid_namespace;  // its inode
  std::uint64_t instance;       // address of a mark in it, Claim
  std::uint64_t generation;
  ProcessCard cards[kMaxCards];
};

// One piece of work of a context, done in the order of submission.
struct WorkItem {
  std::uint64_t submitted;  // not before this
  std::uint64_t duration;   // GPU time; 0 = a mark
  std::uint64_t left;
  std::uint64_t finished;
  std::uint32_t stream;
  std::uint32_t unused;
};

// The queue of one context. Items first..next-1 are waiting or running; older ones keep their
// `finished` until they are written over.
struct QueueLayout {
  std::int32_t process;  // -1 = free
  std::int32_t card;
  std::uint64_t first;
  std::uint64_t next;
  WorkItem items[kQueueItems];
};

// Memory that more than one process may hold: an exported allocation. Its bytes are in
// memory_bytes of the owner, who is the next holder once the owner is gone.
struct BlockLayout {
  std::int32_t used;
  std::int32_t card;
  std::int32_t owner;
  std::int32_t unused;
  std::uint64_t bytes;
  std::uint64_t device;  // of the backing file
  std::uint64_t inode;
  std::uint32_t references[kMaxProcesses];
};

struct WorldLayout {
  char magic[8];
  std::uint32_t version;
  std::uint32_t bytes;
  pthread_mutex_t mutex;  // robust, shared
  std::uint32_t cards;
  std::uint32_t virtual_clock;
  std::uint64_t virtual_now;
  std::uint64_t slice_ns;       // 0 = a kernel runs to its end
  std::int32_t processes_used;  // none above has ever been used
  std::int32_t queues_used;
  std::uint64_t reaped;  // real time when dead processes were last looked for
  std::int32_t cuda_version;
  std::uint32_t profile_bytes;
  char driver[32];
  CardLayout card[kMaxCards];
  ProcessLayout process[kMaxProcesses];
  QueueLayout queue[kMaxQueues];
  BlockLayout block[kMaxBlocks];
  char profile[kMaxProfileBytes];  // the text that it was made from
};

}  // namespace aliquot::simgpu
