// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "interposer/cuda_memory_types.h"

// How much memory an array takes at least, by its descriptor: bytes of an element times all
// extents. The driver pads rows and blocks, and does not say by how much. Pure.

namespace aliquot::interposer {

// Extents of 0 count as 1. 0: nothing (sparse, or mapped later), a format that this version does
// not know, or more than 64 bits hold, which the driver refuses by itself.
std::uint64_t ArrayBytes(const CUDA_ARRAY3D_DESCRIPTOR& array);
// With its smaller levels; no more than the extents have.
std::uint64_t MipmapBytes(const CUDA_ARRAY3D_DESCRIPTOR& array, unsigned levels);

}  // namespace aliquot::interposer
