// SPDX-License-Identifier: Apache-2.0
#pragma once

// NVIDIA's own cuda.h as the driver's builders see it: every version and every per-thread variant
// of a function under its exported name. A definition that differs from the declaration does not
// compile.

#define __CUDA_API_VERSION_INTERNAL
#pragma GCC visibility push(default)
#include <cuda.h>
#pragma GCC visibility pop
