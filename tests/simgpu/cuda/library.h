// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/simgpu/cuda/driver.h"

namespace aliquot::simgpu {

// A CUkernel passed as a CUfunction: its function in the current context, or nullptr.
CUfunction FunctionOfLibraryKernel(const Entry& entry, CUfunction handle);

}  // namespace aliquot::simgpu
