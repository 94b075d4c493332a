// SPDX-License-Identifier: Apache-2.0
#include "interposer/array_bytes.h"

namespace aliquot::interposer {
namespace {

// Bits of one texel, all channels; the values of CUarray_format.
unsigned BitsOfTexel(unsigned format, unsigned channels) {
  switch (format) {
    case 0x01:  // UNSIGNED_INT8
    case 0x08:  // SIGNED_INT8
      return 8 * channels;
    case 0x02:  // UNSIGNED_INT16
    case 0x09:  // SIGNED_INT16
    case 0x10:  // HALF
      return 16 * channels;
    case 0x03:  // UNSIGNED_INT32
    case 0x0a:  // SIGNED_INT32
    case 0x20:  // FLOAT
      return 32 * channels;
    default:
      break;
  }
  // From here on the format itself says how many channels there are.
  if (format >= 0xc0 && format <= 0xcb) {  // {U,S}NORM_INT{8,16}X{1,2,4}
    constexpr unsigned kBits[] = {8, 16, 32, 16, 32, 64};
    return kBits[(format - 0xc0) % 6];
  }
  switch (format) {
    case 0x91:  // BC1 and BC4: 8 bytes a block of 16 texels
    case 0x92:
    case 0x97:
    case 0x98:
      return 4;
    case 0x93:  // BC2, BC3, BC5, BC6H, BC7: 16 bytes
    case 0x94:
    case 0x95:
    case 0x96:
    case 0x99:
    case 0x9a:
    case 0x9b:
    case 0x9c:
    case 0x9d:
    case 0x9e:
      return 8;
    case 0xb0:  // NV12 and other 4:2:0 of 8 bits
    case 0x53:
    case 0x59:
      return 12;
    case 0x9f:  // P010, P016: 4:2:0 of 16 bits
    case 0xa1:
    case 0x54:
    case 0x5a:
    case 0xb2:  // 4:4:4 of 8 bits
    case 0xb4:
    case 0x57:
    case 0x5d:
      return 24;
    case 0xa2:  // NV16 and other 4:2:2 of 8 bits
    case 0xa5:
    case 0x51:
    case 0x55:
    case 0x5b:
      return 16;
    case 0xa3:  // 4:2:2 of 16 bits
    case 0xa4:
    case 0xa6:
    case 0xa7:
    case 0x56:
    case 0x5c:
    case 0xa8:  // AYUV, Y410, R10G10B10A2
    case 0xa9:
    case 0x50:
    case 0x52:
      return 32;
    case 0xb3:  // 4:4:4 of 16 bits
    case 0xb5:
    case 0x58:
    case 0x5e:
      return 48;
    case 0xb1:  // Y416
      return 64;
    default:
      return 0;
  }
}

std::uint64_t AtLeastOne(std::uint64_t extent) { return extent == 0 ? 1 : extent; }

// 0 when it does not fit.
std::uint64_t BytesOf(std::uint64_t width, std::uint64_t height, std::uint64_t depth,
                      unsigned bits) {
  std::uint64_t product = width;
  if (__builtin_mul_overflow(product, AtLeastOne(height), &product) ||
      __builtin_mul_overflow(product, AtLeastOne(depth), &product) ||
      __builtin_mul_overflow(product, std::uint64_t{bits}, &product)) {
    return 0;
  }
  return product / 8 + (product % 8 != 0 ? 1 : 0);
}

bool Unbacked(const CUDA_ARRAY3D_DESCRIPTOR& array) {
  return (array.Flags & (CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING)) != 0;
}

std::uint64_t Half(std::uint64_t extent) { return extent > 1 ? extent / 2 : extent; }

}  // namespace

std::uint64_t ArrayBytes(const CUDA_ARRAY3D_DESCRIPTOR& array) {
  return Unbacked(array) ? 0
                         : BytesOf(array.Width, array.Height, array.Depth,
                                   BitsOfTexel(array.Format, array.NumChannels));
}

std::uint64_t MipmapBytes(const CUDA_ARRAY3D_DESCRIPTOR& array, unsigned levels) {
  if (ArrayBytes(array) == 0) {
    return 0;
  }
  const bool layered = (array.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) != 0;
  CUDA_ARRAY3D_DESCRIPTOR level = array;
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < levels; ++i) {
    if (__builtin_add_overflow(sum, ArrayBytes(level), &sum)) {
      return 0;
    }
    const bool last = level.Width <= 1 && level.Height <= 1 && (layered || level.Depth <= 1);
    if (last) {
      break;
    }
    level.Width = Half(level.Width);
    level.Height = Half(level.Height);
    level.Depth = layered ? level.Depth : Half(level.Depth);
  }
  return sum;
}

}  // namespace aliquot::interposer
