// SPDX-License-Identifier: Apache-2.0
#include "tests/simgpu/world/world_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "tests/simgpu/world/engine.h"

namespace aliquot::simgpu {
namespace {

constexpr off_t kFirstLockByte = static_cast<off_t>(1) << 40;
constexpr std::uint64_t kReapEveryNs = 20'000'000;

struct flock LockOf(int slot) {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = kFirstLockByte + slot;
  lock.l_len = 1;
  return lock;
}

std::uint64_t PidNamespace() {
  struct stat about = {};
  return stat("/proc/self/ns/pid", &about) == 0 ? about.st_ino : 0;
}

// Whether the mark is at that address of this process, which may have nothing there.
bool HasMark(std::uint64_t address) {
  char found[sizeof(kWorldMagic)] = {};
  const struct iovec to = {found, sizeof(found)};
  const struct iovec from = {reinterpret_cast<void*>(address), sizeof(found)};
  return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == ssize_t{sizeof(found)} &&
         std::memcmp(found, kWorldMagic, sizeof(found)) == 0;
}

// A descriptor of that file which this process has already, or -1.
int FindDescriptor(const struct stat& wanted) {
  DIR* const folder = opendir("/proc/self/fd");
  int found = -1;
  while (folder != nullptr && found < 0) {
    const dirent* const entry = readdir(folder);
    if (entry == nullptr) {
      break;
    }
    const int descriptor = std::atoi(entry->d_name);
    struct stat about = {};
    if (entry->d_name[0] != '.' && descriptor != dirfd(folder) && fstat(descriptor, &about) == 0 &&
        about.st_dev == wanted.st_dev && about.st_ino == wanted.st_ino &&
        (fcntl(descriptor, F_GETFL) & O_ACCMODE) == O_RDWR) {
      found = descriptor;
    }
  }
  if (folder != nullptr) {
    closedir(folder);
  }
  return found;
}

}  // namespace

WorldFile* WorldFile::Open() {
  const char* const path = std::getenv("ALIQUOT_SIMGPU_WORLD");
  if (path == nullptr || *path == '\0') {
    return nullptr;
  }
  struct stat about = {};
  if (stat(path, &about) != 0 || about.st_size != sizeof(WorldLayout)) {
    std::fprintf(stderr,
                 "simulated driver: %s is no world of this build; make it with simgpu-world\n",
                 path);
    return nullptr;
  }
  int descriptor = FindDescriptor(about);
  const bool found = descriptor >= 0;
  if (!found) {
    descriptor = open(path, O_RDWR | O_CLOEXEC);
  }
  void* const place = descriptor < 0 ? MAP_FAILED
                                     : mmap(nullptr, sizeof(WorldLayout), PROT_READ | PROT_WRITE,
                                            MAP_SHARED, descriptor, 0);
  if (place == MAP_FAILED) {
    std::fprintf(stderr, "simulated driver: %s: %s\n", path, std::strerror(errno));
    return nullptr;
  }
  auto* const file = new WorldFile;
  file->descriptor_ = descriptor;
  file->layout_ = static_cast<WorldLayout*>(place);
  if (std::memcmp(file->layout_->magic, kWorldMagic, sizeof(kWorldMagic)) != 0 ||
      file->layout_->version != kWorldVersion) {
    std::fprintf(stderr, "simulated driver: %s is no world\n", path);
    delete file;
    return nullptr;
  }
  if (!found) {
    const WorldLock lock(*file);
    file->ForgetFormerSelf();
  }
  return file;
}

WorldFile::~WorldFile() { munmap(layout_, sizeof(WorldLayout)); }

// Slots with this process's own ID whose mark is not here: it has called exec since, or the ID was
// another process's that has ended.
void WorldFile::ForgetFormerSelf() {
  const std::uint64_t space = PidNamespace();
  for (int i = 0; i < layout_->processes_used; ++i) {
    const ProcessLayout& process = layout_->process[i];
    if (process.used != 0 && process.pid == getpid() && process.pid_namespace == space &&
        !HasMark(process.instance)) {
      ClearProcess(*layout_, i);
    }
  }
}

std::uint64_t RealNow() {
  struct timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

std::uint64_t WorldFile::Now() const {
  return layout_->virtual_clock != 0 ? layout_->virtual_now : RealNow();
}

bool CardIsThere(int minor) {
  const char* const named = std::getenv("ALIQUOT_SIMGPU_DEV");
  const std::string root = named == nullptr ? "/dev" : named;
  return access((root + "/nvidiactl").c_str(), F_OK) != 0 ||
         access((root + "/nvidia" + std::to_string(minor)).c_str(), F_OK) == 0;
}

int WorldFile::Claim(const std::uint64_t* mark) {
  ForgetFormerSelf();
  for (int i = 0; i < kMaxProcesses; ++i) {
    struct flock lock = LockOf(i);
    if (layout_->process[i].used == 0 && fcntl(descriptor_, F_SETLK, &lock) == 0) {
      ProcessLayout& process = layout_->process[i];
      const std::uint64_t generation = process.generation + 1;
      process = {};
      process.used = 1;
      process.pid = getpid();
      process.pid_namespace = PidNamespace();
      process.generation = generation;
      process.instance = reinterpret_cast<std::uint64_t>(mark);
      layout_->processes_used = std::max(layout_->processes_used, i + 1);
      return i;
    }
  }
  return -1;
}

pid_t WorldFile::HolderOf(int slot) const {
  struct flock lock = LockOf(slot);
  if (fcntl(descriptor_, F_GETLK, &lock) != 0) {
    return 0;
  }
  if (lock.l_type != F_UNLCK) {
    return lock.l_pid > 0 ? lock.l_pid : 0;
  }
  // One's own locks do not show.
  const ProcessLayout& process = layout_->process[slot];
  return process.pid == getpid() && process.pid_namespace == PidNamespace() ? getpid() : -1;
}

void WorldFile::Reap() {
  layout_->reaped = RealNow();
  for (int i = 0; i < layout_->processes_used; ++i) {
    if (layout_->process[i].used != 0 && HolderOf(i) < 0) {
      ClearProcess(*layout_, i);
    }
  }
}

void WorldFile::ReapSometimes() {
  if (RealNow() - layout_->reaped > kReapEveryNs) {
    Reap();
  }
}

WorldLock::WorldLock(WorldFile& world) : world_(world) {
  // A holder that was killed leaves numbers behind that its slot's end puts right.
  if (pthread_mutex_lock(&world_.layout_->mutex) == EOWNERDEAD) {
    pthread_mutex_consistent(&world_.layout_->mutex);
  }
}

WorldLock::~WorldLock() { pthread_mutex_unlock(&world_.layout_->mutex); }

WorldLayout* CreateWorld(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0 || fchmod(descriptor, 0666) != 0 ||
      ftruncate(descriptor, sizeof(WorldLayout)) != 0) {
    return nullptr;
  }
  void* const place =
      mmap(nullptr, sizeof(WorldLayout), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  if (place == MAP_FAILED) {
    return nullptr;
  }
  auto* const world = static_cast<WorldLayout*>(place);
  std::memcpy(world->magic, kWorldMagic, sizeof(kWorldMagic));
  world->version = kWorldVersion;
  world->bytes = sizeof(WorldLayout);
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&world->mutex, &attributes);
  for (CardLayout& card : world->card) {
    card.running = -1;
    card.last_queue = -1;
  }
  for (QueueLayout& queue : world->queue) {
    queue.process = -1;
  }
  return world;
}

std::uint64_t MemoryUsed(const WorldLayout& world, int card) {
  std::uint64_t used = 0;
  for (int i = 0; i < world.processes_used; ++i) {
    used += world.process[i].cards[card].context_bytes + world.process[i].cards[card].memory_bytes;
  }
  return used;
}

std::uint64_t MemoryFree(const WorldLayout& world, int card) {
  const std::uint64_t room = world.card[card].memory - world.card[card].reserved;
  const std::uint64_t used = MemoryUsed(world, card);
  return room > used ? room - used : 0;
}

void DropBlock(WorldLayout& world, int index, int slot, std::uint32_t references) {
  BlockLayout& block = world.block[index];
  if (block.used == 0) {
    return;
  }
  block.references[slot] -= std::min(references, block.references[slot]);
  if (block.references[slot] != 0 || block.owner != slot) {
    return;
  }
  std::uint64_t& held = world.process[slot].cards[block.card].memory_bytes;
  held -= std::min(held, block.bytes);
  for (int i = 0; i < world.processes_used; ++i) {
    if (block.references[i] != 0) {
      block.owner = i;
      world.process[i].cards[block.card].memory_bytes += block.bytes;
      return;
    }
  }
  block = {};
}

void ClearProcess(WorldLayout& world, int slot) {
  for (int i = 0; i < world.queues_used; ++i) {
    if (world.queue[i].process == slot) {
      CloseQueue(world, i);
    }
  }
  for (int i = 0; i < kMaxBlocks; ++i) {
    if (world.block[i].used != 0 && world.block[i].references[slot] != 0) {
      DropBlock(world, i, slot, world.block[i].references[slot]);
    }
  }
  const std::uint64_t generation = world.process[slot].generation;
  world.process[slot] = {};
  world.process[slot].generation = generation;
}

}  // namespace aliquot::simgpu
