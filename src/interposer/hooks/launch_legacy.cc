// SPDX-License-Identifier: Apache-2.0

// The launches of CUDA 2 and 3, which the driver still has: the block's shape was set before.

#include <cstdint>

#include "interposer/cuda_launch_types.h"
#include "interposer/hook.h"
#include "interposer/launch_pacer.h"

namespace aliquot::interposer {
namespace {

LaunchShape GridOf(CUfunction function, int width, int height, CUstream stream) {
  const auto size = [](int side) { return std::uint64_t{static_cast<std::uint32_t>(side)}; };
  return {function, {size(width) | size(height) << 32, 0, 0}, stream, true};
}

}  // namespace
}  // namespace aliquot::interposer

using aliquot::interposer::GridOf;
using aliquot::interposer::Paced;

ALIQUOT_HOOK(CUresult, cuLaunch, (CUfunction f)) {
  return Paced(GridOf(f, 1, 1, nullptr), [&] { return ALIQUOT_REAL(cuLaunch)(f); });
}

ALIQUOT_HOOK(CUresult, cuLaunchGrid, (CUfunction f, int width, int height)) {
  return Paced(GridOf(f, width, height, nullptr),
               [&] { return ALIQUOT_REAL(cuLaunchGrid)(f, width, height); });
}

ALIQUOT_HOOK(CUresult, cuLaunchGridAsync, (CUfunction f, int width, int height, CUstream stream)) {
  return Paced(GridOf(f, width, height, stream),
               [&] { return ALIQUOT_REAL(cuLaunchGridAsync)(f, width, height, stream); });
}
