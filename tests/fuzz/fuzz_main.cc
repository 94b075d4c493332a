// SPDX-License-Identifier: Apache-2.0
// libFuzzer's entry point for one target, ALIQUOT_FUZZ_TARGET.
// Source: https://llvm.org/docs/LibFuzzer.html
#include <cstddef>

#include "tests/fuzz/fuzz_targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  aliquot::fuzz::ALIQUOT_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
