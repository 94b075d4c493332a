// SPDX-License-Identifier: Apache-2.0
// What a function needs, and how many of its blocks fit on a multiprocessor: by threads alone,
// since nothing is compiled.
#include <algorithm>

#include "tests/simgpu/cuda/launch.h"

namespace aliquot::simgpu {
namespace {

constexpr int kThreadsPerBlock = 1024;
constexpr int kThreadsPerMultiprocessor = 2048;
constexpr int kBlocksPerMultiprocessor = 32;
constexpr int kRegisters = 32;

CUresult Attribute(CUfunction function, CUfunction_attribute attribute, int* value) {
  if (value == nullptr || attribute < 0 || attribute >= CU_FUNC_ATTRIBUTE_MAX) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const auto set = function->attributes.find(attribute);
  if (set != function->attributes.end()) {
    *value = set->second;
    return CUDA_SUCCESS;
  }
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = kThreadsPerBlock;
      break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = kRegisters;
      break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = 70;
      break;
    default:
      *value = 0;
  }
  return CUDA_SUCCESS;
}

CUresult SetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  const bool settable = attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ||
                        attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT ||
                        attribute >= CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH;
  if (!settable || attribute >= CU_FUNC_ATTRIBUTE_MAX) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  function->attributes[attribute] = value;
  return CUDA_SUCCESS;
}

CUresult Parameter(CUfunction function, std::size_t index, std::size_t* offset, std::size_t* size) {
  if (offset == nullptr || index >= function->parameters.size()) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::size_t at = 0;
  for (std::size_t i = 0; i <= index; ++i) {
    const std::size_t align = std::min<std::size_t>(function->parameters[i], 8);
    at = (at + align - 1) / align * align;
    *offset = at;
    at += function->parameters[i];
  }
  if (size != nullptr) {
    *size = function->parameters[index];
  }
  return CUDA_SUCCESS;
}

CUresult ActiveBlocks(const Entry& entry, int* blocks, CUfunction handle, int threads) {
  if (FunctionOfKernel(entry, handle) == nullptr) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (blocks == nullptr || threads <= 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *blocks = threads > kThreadsPerBlock
                ? 0
                : std::min(kThreadsPerMultiprocessor / threads, kBlocksPerMultiprocessor);
  return CUDA_SUCCESS;
}

CUresult PotentialBlock(const Entry& entry, int* grid, int* block, CUfunction handle, int limit) {
  if (FunctionOfKernel(entry, handle) == nullptr) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (grid == nullptr || block == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  int multiprocessors = 0;
  cuDeviceGetAttribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                       entry.context()->device);
  *block = limit > 0 ? std::min(limit, kThreadsPerBlock) : kThreadsPerBlock;
  *grid = multiprocessors * (kThreadsPerMultiprocessor / *block);
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace aliquot::simgpu

using namespace aliquot::simgpu;  // the driver's functions are in no namespace

// The function behind a handle of either kind, or the error.
#define SIM_FUNCTION(handle)                                                                 \
  SIM_ENTER(kContext);                                                                       \
  CUfunction const function = FunctionOfKernel(entry, reinterpret_cast<CUfunction>(handle)); \
  if (function == nullptr) {                                                                 \
    return CUDA_ERROR_INVALID_HANDLE;                                                        \
  }                                                                                          \
  static_assert(true, "")

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction handle) {
  SIM_FUNCTION(handle);
  return Attribute(function, attribute, value);
}

CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel handle,
                              CUdevice) {
  SIM_FUNCTION(handle);
  return Attribute(function, attribute, value);
}

CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value) {
  SIM_FUNCTION(handle);
  return SetAttribute(function, attribute, value);
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel handle,
                              CUdevice) {
  SIM_FUNCTION(handle);
  return SetAttribute(function, attribute, value);
}

CUresult cuFuncSetCacheConfig(CUfunction handle, CUfunc_cache) {
  SIM_FUNCTION(handle);
  return CUDA_SUCCESS;
}

CUresult cuKernelSetCacheConfig(CUkernel handle, CUfunc_cache, CUdevice) {
  SIM_FUNCTION(handle);
  return CUDA_SUCCESS;
}

CUresult cuFuncSetSharedMemConfig(CUfunction handle, CUsharedconfig) {
  SIM_FUNCTION(handle);
  return CUDA_SUCCESS;
}

CUresult cuFuncGetModule(CUmodule* module, CUfunction handle) {
  SIM_FUNCTION(handle);
  if (module == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *module = function->module;
  return CUDA_SUCCESS;
}

CUresult cuFuncGetName(const char** name, CUfunction handle) {
  SIM_FUNCTION(handle);
  if (name == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *name = function->name.c_str();
  return CUDA_SUCCESS;
}

CUresult cuFuncGetParamInfo(CUfunction handle, std::size_t index, std::size_t* offset,
                            std::size_t* size) {
  SIM_FUNCTION(handle);
  return Parameter(function, index, offset, size);
}

CUresult cuKernelGetParamInfo(CUkernel handle, std::size_t index, std::size_t* offset,
                              std::size_t* size) {
  SIM_FUNCTION(handle);
  return Parameter(function, index, offset, size);
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction handle) {
  SIM_FUNCTION(handle);
  if (state == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *state = CU_FUNCTION_LOADING_STATE_LOADED;
  return CUDA_SUCCESS;
}

CUresult cuFuncLoad(CUfunction handle) {
  SIM_FUNCTION(handle);
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction handle, int threads,
                                                     std::size_t) {
  SIM_ENTER(kContext);
  return ActiveBlocks(entry, blocks, handle, threads);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction handle,
                                                              int threads, std::size_t, unsigned) {
  SIM_ENTER(kContext);
  return ActiveBlocks(entry, blocks, handle, threads);
}

CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction handle,
                                          CUoccupancyB2DSize, std::size_t, int limit) {
  SIM_ENTER(kContext);
  return PotentialBlock(entry, grid, block, handle, limit);
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, CUfunction handle,
                                                   CUoccupancyB2DSize, std::size_t, int limit,
                                                   unsigned) {
  SIM_ENTER(kContext);
  return PotentialBlock(entry, grid, block, handle, limit);
}
