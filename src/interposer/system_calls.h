// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include <cstddef>
#include <cstdint>

// System calls without the C library: its wrappers may be interposed by a sanitizer's or the
// program's own, set errno behind the caller's back, and are partly newer than the oldest C library
// that this room has to run on. Each returns what the kernel returns: a negative error number on
// failure. Thread-safe.

#if !defined(__x86_64__)
#error "The interception library is written for x86-64 only."
#endif

namespace aliquot::interposer {

inline long SystemCall(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                       long f = 0) {
  long result = 0;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

inline long AsArgument(const volatile void* pointer) {
  return static_cast<long>(reinterpret_cast<std::uintptr_t>(pointer));
}

// Below 0: an error number. Never inherited by an exec.
inline int OpenFile(const char* path, int flags, int mode = 0) {
  return static_cast<int>(
      SystemCall(SYS_openat, AT_FDCWD, AsArgument(path), flags | O_CLOEXEC, mode));
}

inline void CloseFile(int descriptor) { SystemCall(SYS_close, descriptor); }

inline long ReadFile(int descriptor, void* to, std::size_t size, std::int64_t offset) {
  return SystemCall(SYS_pread64, descriptor, AsArgument(to), static_cast<long>(size), offset);
}

inline long WriteFile(int descriptor, const void* from, std::size_t size) {
  return SystemCall(SYS_write, descriptor, AsArgument(from), static_cast<long>(size));
}

inline bool FileStatus(int descriptor, struct stat& status) {
  return SystemCall(SYS_fstat, descriptor, AsArgument(&status)) == 0;
}

inline bool PathStatus(const char* path, struct stat& status) {
  return SystemCall(SYS_newfstatat, AT_FDCWD, AsArgument(path), AsArgument(&status), 0) == 0;
}

// Null on failure.
inline void* MapMemory(void* at, std::size_t size, int protection, int flags, int descriptor = -1) {
  const long address = SystemCall(SYS_mmap, AsArgument(at), static_cast<long>(size), protection,
                                  flags, descriptor, 0);
  if (address < 0 && address > -4096) {
    return nullptr;
  }
  return reinterpret_cast<void*>(address);
}

inline void UnmapMemory(void* at, std::size_t size) {
  SystemCall(SYS_munmap, AsArgument(at), static_cast<long>(size));
}

inline bool AdviseMemory(void* at, std::size_t size, int advice) {
  return SystemCall(SYS_madvise, AsArgument(at), static_cast<long>(size), advice) == 0;
}

// A lock of the open file description on one byte. `command` is F_OFD_SETLK or F_OFD_GETLK.
inline int LockByte(int descriptor, int command, struct flock& lock) {
  return static_cast<int>(SystemCall(SYS_fcntl, descriptor, command, AsArgument(&lock)));
}

inline std::uint32_t ProcessId() { return static_cast<std::uint32_t>(SystemCall(SYS_getpid)); }

inline void YieldProcessor() { SystemCall(SYS_sched_yield); }

// Sleeps while *word is `expected`; returns at a wake, a signal, or at once when it is not.
inline void FutexWait(std::uint32_t* word, std::uint32_t expected) {
  SystemCall(SYS_futex, AsArgument(word), FUTEX_WAIT_PRIVATE, static_cast<long>(expected));
}

inline void FutexWake(std::uint32_t* word, int count) {
  SystemCall(SYS_futex, AsArgument(word), FUTEX_WAKE_PRIVATE, count);
}

// Nanoseconds of a clock, by the kernel's shared page and not by a system call: MONOTONIC_COARSE
// (some milliseconds coarse) costs 8 ns, MONOTONIC 36 ns.
inline std::uint64_t ClockNs(clockid_t clock) {
  struct timespec now {};
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace aliquot::interposer
