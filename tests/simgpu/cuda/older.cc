// SPDX-License-Identifier: Apache-2.0
// Functions of CUDA 2 and what else old programs still call, by way of the newer ones.
#include "tests/simgpu/cuda/driver.h"

using namespace aliquot::simgpu;  // the driver's functions are in no namespace

namespace {

// What fits into 32 bits, as all memory of these programs does.
CUresult Narrow(CUresult answer, CUdeviceptr pointer, std::size_t bytes, CUdeviceptr_v1* out,
                unsigned* out_bytes) {
  if (answer != CUDA_SUCCESS) {
    return answer;
  }
  if (pointer > ~0U || bytes > ~0U) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (out != nullptr) {
    *out = static_cast<CUdeviceptr_v1>(pointer);
  }
  if (out_bytes != nullptr) {
    *out_bytes = static_cast<unsigned>(bytes);
  }
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuModuleGetGlobal(CUdeviceptr_v1* out, unsigned* out_bytes, CUmodule module,
                           const char* name) {
  CUdeviceptr pointer = 0;
  std::size_t bytes = 0;
  const CUresult answer = cuModuleGetGlobal_v2(&pointer, &bytes, module, name);
  return Narrow(answer, pointer, bytes, out, out_bytes);
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr_v1* out, void* place, unsigned flags) {
  CUdeviceptr pointer = 0;
  const CUresult answer = cuMemHostGetDevicePointer_v2(&pointer, place, flags);
  return Narrow(answer, pointer, 0, out, nullptr);
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR_v1* out, CUarray array) {
  CUDA_ARRAY_DESCRIPTOR shape = {};
  if (out == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const CUresult answer = cuArrayGetDescriptor_v2(&shape, array);
  *out = {static_cast<unsigned>(shape.Width), static_cast<unsigned>(shape.Height), shape.Format,
          shape.NumChannels};
  return answer;
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR_v1* out, CUarray array) {
  CUDA_ARRAY3D_DESCRIPTOR shape = {};
  if (out == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const CUresult answer = cuArray3DGetDescriptor_v2(&shape, array);
  *out = {static_cast<unsigned>(shape.Width),
          static_cast<unsigned>(shape.Height),
          static_cast<unsigned>(shape.Depth),
          shape.Format,
          shape.NumChannels,
          shape.Flags};
  return answer;
}

CUresult cuDeviceGetProperties(CUdevprop* properties, CUdevice device) {
  SIM_ENTER(kDriver);
  if (properties == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (!entry.driver().Valid(device)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  const auto attribute = [device](CUdevice_attribute which) {
    int value = 0;
    cuDeviceGetAttribute(&value, which, device);
    return value;
  };
  *properties = {};
  properties->maxThreadsPerBlock = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  properties->maxThreadsDim[0] = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
  properties->maxThreadsDim[1] = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
  properties->maxThreadsDim[2] = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
  properties->maxGridSize[0] = attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
  properties->maxGridSize[1] = attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
  properties->maxGridSize[2] = attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
  properties->sharedMemPerBlock = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  properties->SIMDWidth = attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  properties->memPitch = attribute(CU_DEVICE_ATTRIBUTE_MAX_PITCH);
  properties->regsPerBlock = attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  properties->clockRate = attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  properties->textureAlign = attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);
  return CUDA_SUCCESS;
}
