// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// How a function of the driver is replaced. A hook has the driver's own name and C interface; the
// line that begins it is also what the build reads to know which names are hooked and need no
// forwarding stub (tools/generate-stubs.py), so result, name and the opening parenthesis stand on
// that line:
//
//   ALIQUOT_HOOK(CUresult, cuMemFree_v2, (CUdeviceptr pointer)) {
//     const HookScope scope;
//     if (!scope.outermost()) {
//       return ALIQUOT_REAL(cuMemFree_v2)(pointer);
//     }
//     ...
//   }
//
// A function that a hook calls but does not replace is declared with ALIQUOT_DRIVER_FUNCTION.
// ALIQUOT_REAL(name) is the driver's own function, found at its first use, and may always be
// called: without a driver it answers CUDA_ERROR_NO_DEVICE (cu*) or NVML_ERROR_LIBRARY_NOT_FOUND
// (nvml*).
//
// Nothing in this room allocates from the heap, throws, uses the C++ runtime, or calls a function
// of the C library that is not in libc_symbols.txt (a link error says so). No lock is held while
// the driver is called.

#define ALIQUOT_EXPORT __attribute__((visibility("default")))
#define ALIQUOT_HIDDEN __attribute__((visibility("hidden")))

#define ALIQUOT_DRIVER_FUNCTION(result, name, parameters) \
  extern "C" ALIQUOT_HIDDEN void* aliquot_slot_##name;    \
  extern "C" ALIQUOT_EXPORT result name parameters

#define ALIQUOT_HOOK(result, name, parameters)       \
  ALIQUOT_DRIVER_FUNCTION(result, name, parameters); \
  extern "C" ALIQUOT_EXPORT result name parameters

#define ALIQUOT_REAL(name)              \
  (reinterpret_cast<decltype(&(name))>( \
      ::aliquot::interposer::RealFunction(&aliquot_slot_##name, #name)))

namespace aliquot::interposer {

// The driver's function of that name, kept in its slot; a function that says "no driver" when there
// is none (that is not kept: a driver may come). Thread-safe.
void* ResolveFunction(void** slot, const char* name);

inline void* RealFunction(void** slot, const char* name) {
  void* const known = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
  return __builtin_expect(known != nullptr, 1) ? known : ResolveFunction(slot, name);
}

// One call of a hook. A driver whose own calls land in hooks (NVML's do) would be charged twice:
// only the outermost call of a thread counts.
//
// Which one that is, is told by the stack, which grows downwards: a call made within another one
// lies below it. So a scope that a signal's handler left by longjmp ends with the next call from
// the frame that it went back to, and does not let the thread's later calls pass for ever.
class HookScope {
 public:
  HookScope() : outermost_(outer_ == 0 || outer_ <= Here()) {
    if (outermost_) {
      outer_ = Here();
    }
  }
  ~HookScope() {
    if (outermost_) {
      outer_ = 0;
    }
  }
  HookScope(const HookScope&) = delete;
  HookScope& operator=(const HookScope&) = delete;

  bool outermost() const { return outermost_; }

 private:
  std::uintptr_t Here() const { return reinterpret_cast<std::uintptr_t>(this); }

  static inline __thread std::uintptr_t outer_ __attribute__((tls_model("initial-exec"))) = 0;
  const bool outermost_;
};

}  // namespace aliquot::interposer
