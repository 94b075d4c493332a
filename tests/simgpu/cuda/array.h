// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tests/simgpu/cuda/driver.h"

// An array in device memory: rows of `pitch` bytes, `rows` of them a slice.

struct CUarray_st {
  CUDA_ARRAY3D_DESCRIPTOR shape = {};
  std::size_t element = 0;  // bytes
  std::size_t pitch = 0;
  std::size_t rows = 0;
  std::size_t bytes = 0;
  CUdeviceptr place = 0;  // 0 = without backing
  CUmipmappedArray mipmap = nullptr;
};

namespace aliquot::simgpu {

bool IsArray(CUarray array);

}  // namespace aliquot::simgpu
