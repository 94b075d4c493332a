// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tests/simgpu/cuda/driver.h"

// Modules. An image is PTX text, whose entries become functions; nothing is compiled, so a kernel
// does nothing but take time. The text of a linked image (cuLinkComplete) is PTX again.

namespace aliquot::simgpu {

// A module of the context from an image; the driver's error for one that is not understood.
CUresult LoadImage(const Entry& entry, CUcontext context, const void* image, CUmodule* module);
CUresult LoadImageFile(const Entry& entry, CUcontext context, const char* path, CUmodule* module);
// The function, or nullptr.
CUfunction FunctionOf(CUmodule module, const char* name);
// Loads its global variable when it is first asked for.
CUresult GlobalOf(const Entry& entry, CUmodule module, const char* name, CUdeviceptr* pointer,
                  std::size_t* bytes);
void Unload(const Entry& entry, CUmodule module);

}  // namespace aliquot::simgpu
