// SPDX-License-Identifier: Apache-2.0
// Launches of kernels, of every kind.
#include "tests/simgpu/cuda/launch.h"

#include <algorithm>
#include <cstring>

#include "tests/simgpu/cuda/capture.h"
#include "tests/simgpu/cuda/library.h"

namespace aliquot::simgpu {
namespace {

constexpr std::uint64_t kMostThreads = 1024;

// Arguments from the one block of bytes of `extra`, placed by the sizes that the image declares.
CUresult ReadExtra(KernelWork& work, void** extra) {
  const std::uint8_t* bytes = nullptr;
  std::size_t size = 0;
  for (; extra != nullptr && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) {
      bytes = static_cast<const std::uint8_t*>(extra[1]);
    } else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) {
      size = *static_cast<const std::size_t*>(extra[1]);
    } else {
      return CUDA_ERROR_INVALID_VALUE;
    }
  }
  std::size_t at = 0;
  for (const std::size_t each : work.function->parameters) {
    at = (at + std::min<std::size_t>(each, 8) - 1) / std::min<std::size_t>(each, 8) *
         std::min<std::size_t>(each, 8);
    if (bytes == nullptr || at + each > size) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    work.arguments.emplace_back(bytes + at, bytes + at + each);
    at += each;
  }
  return CUDA_SUCCESS;
}

}  // namespace

CUfunction FunctionOfKernel(const Entry& entry, CUfunction handle) {
  return entry.driver().functions.count(handle) != 0 ? handle
                                                     : FunctionOfLibraryKernel(entry, handle);
}

CUresult ReadWork(const Entry& entry, KernelWork& work, void** parameters, void** extra) {
  work.function = FunctionOfKernel(entry, work.function);
  if (work.function == nullptr) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  std::uint64_t threads = 1;
  for (int i = 0; i < 3; ++i) {
    if (work.grid[i] == 0 || work.block[i] == 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    threads *= work.block[i];
  }
  if (threads > kMostThreads) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  work.arguments.clear();
  if (parameters == nullptr) {
    if (const CUresult answer = ReadExtra(work, extra); answer != CUDA_SUCCESS) {
      return answer;
    }
  } else {
    for (std::size_t i = 0; i < work.function->parameters.size(); ++i) {
      const auto* const value = static_cast<const std::uint8_t*>(parameters[i]);
      if (value == nullptr) {
        return CUDA_ERROR_INVALID_VALUE;
      }
      work.arguments.emplace_back(value, value + work.function->parameters[i]);
    }
  }
  work.duration_ns = kKernelNs;
  if (work.function->spins) {
    std::memcpy(&work.duration_ns, work.arguments[0].data(), sizeof(work.duration_ns));
  }
  work.argument_places.clear();
  for (std::vector<std::uint8_t>& each : work.arguments) {
    work.argument_places.push_back(each.data());
  }
  return CUDA_SUCCESS;
}

CUresult LaunchOn(const Entry& entry, KernelWork& work, void** parameters, void** extra,
                  CUstream handle, bool per_thread) {
  CUstream const stream = StreamOf(entry, handle, per_thread);
  if (stream == nullptr) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (const CUresult answer = ReadWork(entry, work, parameters, extra); answer != CUDA_SUCCESS) {
    return answer;
  }
  if (stream->capture != nullptr) {
    return CaptureKernel(stream, work);
  }
  return Enqueue(entry, stream, work.duration_ns);
}

}  // namespace aliquot::simgpu

using namespace aliquot::simgpu;  // the driver's functions are in no namespace

namespace {

CUresult LaunchEx(const Entry& entry, const CUlaunchConfig* config, CUfunction function,
                  void** parameters, void** extra, bool per_thread) {
  if (config == nullptr || (config->numAttrs != 0 && config->attrs == nullptr)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  KernelWork work{function,
                  {config->gridDimX, config->gridDimY, config->gridDimZ},
                  {config->blockDimX, config->blockDimY, config->blockDimZ},
                  config->sharedMemBytes,
                  0,
                  {},
                  {}};
  return LaunchOn(entry, work, parameters, extra, config->hStream, per_thread);
}

CUresult LaunchLegacy(const Entry& entry, CUfunction function, int width, int height,
                      CUstream stream) {
  if (entry.driver().functions.count(function) == 0) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (width <= 0 || height <= 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::size_t size = function->arguments.size();
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, function->arguments.data(),
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  KernelWork work{
      function,
      {static_cast<unsigned>(width), static_cast<unsigned>(height), 1},
      {static_cast<unsigned>(function->block[0]), static_cast<unsigned>(function->block[1]),
       static_cast<unsigned>(function->block[2])},
      0,
      0,
      {},
      {}};
  return LaunchOn(entry, work, nullptr, extra, stream, false);
}

}  // namespace

#define SIM_LAUNCH(name, per_thread)                                                           \
  CUresult name(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,       \
                unsigned by, unsigned bz, unsigned shared, CUstream stream, void** parameters, \
                void** extra) {                                                                \
    SIM_ENTER(kContext);                                                                       \
    KernelWork work{function, {gx, gy, gz}, {bx, by, bz}, shared, 0, {}, {}};                  \
    return LaunchOn(entry, work, parameters, extra, stream, per_thread);                       \
  }
SIM_LAUNCH(cuLaunchKernel, false)
SIM_LAUNCH(cuLaunchKernel_ptsz, true)

#define SIM_LAUNCH_COOPERATIVE(name, per_thread)                                                 \
  CUresult name(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,         \
                unsigned by, unsigned bz, unsigned shared, CUstream stream, void** parameters) { \
    SIM_ENTER(kContext);                                                                         \
    KernelWork work{function, {gx, gy, gz}, {bx, by, bz}, shared, 0, {}, {}};                    \
    return LaunchOn(entry, work, parameters, nullptr, stream, per_thread);                       \
  }
SIM_LAUNCH_COOPERATIVE(cuLaunchCooperativeKernel, false)
SIM_LAUNCH_COOPERATIVE(cuLaunchCooperativeKernel_ptsz, true)

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters,
                          void** extra) {
  SIM_ENTER(kContext);
  return LaunchEx(entry, config, function, parameters, extra, false);
}

CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig* config, CUfunction function, void** parameters,
                               void** extra) {
  SIM_ENTER(kContext);
  return LaunchEx(entry, config, function, parameters, extra, true);
}

CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z) {
  SIM_ENTER(kContext);
  if (entry.driver().functions.count(function) == 0) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (x <= 0 || y <= 0 || z <= 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const int shape[3] = {x, y, z};
  std::copy(shape, shape + 3, function->block);
  return CUDA_SUCCESS;
}

CUresult cuFuncSetSharedSize(CUfunction function, unsigned) {
  SIM_ENTER(kContext);
  return entry.driver().functions.count(function) == 0 ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}

CUresult cuParamSetSize(CUfunction function, unsigned bytes) {
  SIM_ENTER(kContext);
  if (entry.driver().functions.count(function) == 0) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  function->arguments.resize(bytes);
  return CUDA_SUCCESS;
}

CUresult cuParamSetv(CUfunction function, int offset, void* value, unsigned bytes) {
  SIM_ENTER(kContext);
  if (entry.driver().functions.count(function) == 0) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (offset < 0 || value == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const std::size_t end = static_cast<std::size_t>(offset) + bytes;
  function->arguments.resize(std::max(function->arguments.size(), end));
  std::memcpy(function->arguments.data() + offset, value, bytes);
  return CUDA_SUCCESS;
}

CUresult cuParamSeti(CUfunction function, int offset, unsigned value) {
  return cuParamSetv(function, offset, &value, sizeof(value));
}

CUresult cuParamSetf(CUfunction function, int offset, float value) {
  return cuParamSetv(function, offset, &value, sizeof(value));
}

CUresult cuLaunch(CUfunction function) {
  SIM_ENTER(kContext);
  return LaunchLegacy(entry, function, 1, 1, nullptr);
}

CUresult cuLaunchGrid(CUfunction function, int width, int height) {
  SIM_ENTER(kContext);
  return LaunchLegacy(entry, function, width, height, nullptr);
}

CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream) {
  SIM_ENTER(kContext);
  return LaunchLegacy(entry, function, width, height, stream);
}
