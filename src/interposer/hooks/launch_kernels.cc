// SPDX-License-Identifier: Apache-2.0

// Launches of kernels, each with the form for programs whose default stream is one of the thread.

#include <cstddef>
#include <cstdint>

#include "interposer/cuda_launch_types.h"
#include "interposer/hook.h"
#include "interposer/launch_pacer.h"

namespace aliquot::interposer {
namespace {

LaunchShape ShapeOf(CUfunction function, const unsigned int grid[3], const unsigned int block[3],
                    unsigned int shared_bytes, CUstream stream) {
  const auto pair = [](std::uint64_t low, std::uint64_t high) { return low | high << 32; };
  return {function,
          {pair(grid[0], grid[1]), pair(grid[2], block[0]),
           pair(block[1] | block[2] << 16, shared_bytes)},
          stream,
          true};
}

LaunchShape ShapeOf(const CUlaunchConfig* config, CUfunction function,
                    CUstream (*named)(CUstream)) {
  if (config == nullptr) {  // the driver says what is wrong
    return {function, {}, nullptr, false};
  }
  const unsigned int grid[] = {config->gridDimX, config->gridDimY, config->gridDimZ};
  const unsigned int block[] = {config->blockDimX, config->blockDimY, config->blockDimZ};
  // A kernel that may begin before the one ahead of it has ended (programmatic stream
  // serialization) does not when an event is between; that happens to the few that are timed. Never
  // timed, a kernel of any length would cost what is guessed.
  return ShapeOf(function, grid, block, config->sharedMemBytes, named(config->hStream));
}

}  // namespace
}  // namespace aliquot::interposer

using aliquot::interposer::LaunchShape;
using aliquot::interposer::LegacyStream;
using aliquot::interposer::Paced;
using aliquot::interposer::PerThreadStream;
using aliquot::interposer::ShapeOf;

ALIQUOT_HOOK(CUresult, cuLaunchKernel,
             (CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
              unsigned int by, unsigned int bz, unsigned int shared_bytes, CUstream stream,
              void** parameters, void** extra)) {
  const unsigned int grid[] = {gx, gy, gz};
  const unsigned int block[] = {bx, by, bz};
  return Paced(ShapeOf(f, grid, block, shared_bytes, LegacyStream(stream)), [&] {
    return ALIQUOT_REAL(cuLaunchKernel)(f, gx, gy, gz, bx, by, bz, shared_bytes, stream, parameters,
                                        extra);
  });
}

ALIQUOT_HOOK(CUresult, cuLaunchKernel_ptsz,
             (CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
              unsigned int by, unsigned int bz, unsigned int shared_bytes, CUstream stream,
              void** parameters, void** extra)) {
  const unsigned int grid[] = {gx, gy, gz};
  const unsigned int block[] = {bx, by, bz};
  return Paced(ShapeOf(f, grid, block, shared_bytes, PerThreadStream(stream)), [&] {
    return ALIQUOT_REAL(cuLaunchKernel_ptsz)(f, gx, gy, gz, bx, by, bz, shared_bytes, stream,
                                             parameters, extra);
  });
}

ALIQUOT_HOOK(CUresult, cuLaunchKernelEx,
             (const CUlaunchConfig* config, CUfunction f, void** parameters, void** extra)) {
  return Paced(ShapeOf(config, f, LegacyStream),
               [&] { return ALIQUOT_REAL(cuLaunchKernelEx)(config, f, parameters, extra); });
}

ALIQUOT_HOOK(CUresult, cuLaunchKernelEx_ptsz,
             (const CUlaunchConfig* config, CUfunction f, void** parameters, void** extra)) {
  return Paced(ShapeOf(config, f, PerThreadStream),
               [&] { return ALIQUOT_REAL(cuLaunchKernelEx_ptsz)(config, f, parameters, extra); });
}

ALIQUOT_HOOK(CUresult, cuLaunchCooperativeKernel,
             (CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
              unsigned int by, unsigned int bz, unsigned int shared_bytes, CUstream stream,
              void** parameters)) {
  const unsigned int grid[] = {gx, gy, gz};
  const unsigned int block[] = {bx, by, bz};
  return Paced(ShapeOf(f, grid, block, shared_bytes, LegacyStream(stream)), [&] {
    return ALIQUOT_REAL(cuLaunchCooperativeKernel)(f, gx, gy, gz, bx, by, bz, shared_bytes, stream,
                                                   parameters);
  });
}

ALIQUOT_HOOK(CUresult, cuLaunchCooperativeKernel_ptsz,
             (CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
              unsigned int by, unsigned int bz, unsigned int shared_bytes, CUstream stream,
              void** parameters)) {
  const unsigned int grid[] = {gx, gy, gz};
  const unsigned int block[] = {bx, by, bz};
  return Paced(ShapeOf(f, grid, block, shared_bytes, PerThreadStream(stream)), [&] {
    return ALIQUOT_REAL(cuLaunchCooperativeKernel_ptsz)(f, gx, gy, gz, bx, by, bz, shared_bytes,
                                                        stream, parameters);
  });
}
