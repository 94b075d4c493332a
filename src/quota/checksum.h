// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace aliquot::quota {

// 64-bit FNV-1a (www.isthe.com/chongo/tech/comp/fnv) over `size` bytes. Finds a damaged file; it is
// no defence against somebody who means to deceive.
std::uint64_t Checksum(const void* bytes, std::size_t size);

}  // namespace aliquot::quota
