// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <unordered_set>
#include <vector>

#include "tests/simgpu/cuda/cuda_api.h"
#include "tests/simgpu/cuda/objects.h"
#include "tests/simgpu/world/world_file.h"

// The process's side of the simulated driver. One Driver a process, made at cuInit and never
// destroyed; everything in it belongs to its lock, which is taken before the world's. A function of
// the C interface begins with an Entry.

namespace aliquot::simgpu {

struct Driver {
  static Driver& Get();

  CUresult Init();
  bool Valid(CUdevice device) const {
    return device >= 0 && static_cast<std::size_t>(device) < devices.size();
  }
  CardLayout& CardOf(CUdevice device) { return world->layout().card[devices[device]]; }
  // Memory of the process on a card: taken from the card, or refused.
  bool TakeMemory(int card, std::uint64_t bytes);
  void GiveMemory(int card, std::uint64_t bytes);

  std::recursive_mutex mutex;
  bool initialized = false;
  // 1 while this is the process that initialized it: a child of a fork, which has no driver, sees
  // 0.
  const volatile char* own = nullptr;
  WorldFile* world = nullptr;
  int process = -1;          // slot in the world
  std::uint64_t mark = 0;    // WorldFile::Claim
  std::vector<int> devices;  // cards of the world, in the process's order
  std::vector<CUcontext> primary;
  std::vector<int> primary_users;
  std::vector<unsigned> primary_flags;
  std::unordered_set<CUcontext> contexts;
  std::unordered_set<CUmodule> modules;
  std::unordered_set<CUfunction> functions;
};

// Contexts of the calling thread, the last one is current.
std::vector<CUcontext>& ContextStack();
CUcontext CurrentContext();
CUresult CreateContext(CUdevice device, unsigned flags, bool primary, CUcontext* context);
void DestroyContext(CUcontext context);

enum class Needs { kNothing, kDriver, kContext };

// One call: holds the process's lock, and says whether the function may go on.
class Entry {
 public:
  explicit Entry(const char* function, Needs needs = Needs::kContext);

  bool ok() const { return answer_ == CUDA_SUCCESS; }
  CUresult answer() const { return answer_; }
  CUcontext context() const { return context_; }
  Driver& driver() const { return driver_; }
  WorldFile& world() const { return *driver_.world; }
  int card() const { return context_->card; }

 private:
  CUresult Begin(const char* function, Needs needs);

  Driver& driver_;
  std::unique_lock<std::recursive_mutex> lock_;
  CUcontext context_ = nullptr;
  CUresult answer_ = CUDA_SUCCESS;
};

#define SIM_ENTER(needs)                                                           \
  const ::aliquot::simgpu::Entry entry(__func__, ::aliquot::simgpu::Needs::needs); \
  if (!entry.ok()) {                                                               \
    return entry.answer();                                                         \
  }                                                                                \
  static_assert(true, "")

// SIM_ENTER for calls that the graph captures of other threads forbid too, capture.h.
#define SIM_ENTER_UNSAFE()                                                                \
  SIM_ENTER(kContext);                                                                    \
  if (const CUresult unsafe = ::aliquot::simgpu::CheckUnsafe(); unsafe != CUDA_SUCCESS) { \
    return unsafe;                                                                        \
  }                                                                                       \
  static_assert(true, "")

// The stream behind a handle; the current context's own for nullptr and the special handles.
// nullptr = no such stream.
CUstream StreamOf(const Entry& entry, CUstream handle, bool per_thread = false);

// Queues GPU time on a stream; waits while the stream is full, without the process's lock.
CUresult Enqueue(const Entry& entry, CUstream stream, std::uint64_t duration_ns);
// Waits for an item of a context, for all of it (item ~0), or for a stream.
CUresult WaitForItem(const Entry& entry, CUcontext context, std::uint64_t item);
CUresult WaitForContext(const Entry& entry, CUcontext context);
CUresult WaitForStream(const Entry& entry, CUstream stream);
bool StreamIdle(const Entry& entry, CUstream stream);
// A synchronous call on a stream waits for it first; the legacy stream for all others too.
CUresult WaitBefore(const Entry& entry, CUstream stream);
// Gives events their times before the queue forgets them.
void ResolveEvents(const Entry& entry, CUcontext context);
// Called after a wait: memory that pools let go of then. Defined with the pools.
void PoolsSynchronized(const Entry& entry, CUcontext context);

}  // namespace aliquot::simgpu
