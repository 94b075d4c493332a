// SPDX-License-Identifier: Apache-2.0
// Arrays and mipmapped arrays. Rows and columns are padded to tiles, as block-linear memory is.
#include "tests/simgpu/cuda/array.h"
#include "tests/simgpu/cuda/capture.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "tests/simgpu/cuda/memory.h"

struct CUmipmappedArray_st {
  CUDA_ARRAY3D_DESCRIPTOR description = {};
  std::vector<CUarray> levels;
  CUdeviceptr place = 0;  // of all levels
  std::size_t bytes = 0;
};

namespace aliquot::simgpu {
namespace {

constexpr std::size_t kTileBytes = 64;
constexpr std::size_t kTileRows = 8;
constexpr unsigned kUnbacked = CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING;

std::unordered_set<CUarray>& Arrays() {
  static auto* const arrays = new std::unordered_set<CUarray>;
  return *arrays;
}

std::unordered_set<CUmipmappedArray>& Mipmaps() {
  static auto* const mipmaps = new std::unordered_set<CUmipmappedArray>;
  return *mipmaps;
}

std::size_t FormatBytes(CUarray_format format) {
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
      return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
      return 2;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
      return 4;
    default:
      return 0;
  }
}

bool Sensible(const CUDA_ARRAY3D_DESCRIPTOR& shape) {
  const bool channels = shape.NumChannels == 1 || shape.NumChannels == 2 || shape.NumChannels == 4;
  return shape.Width != 0 && channels && FormatBytes(shape.Format) != 0 &&
         (shape.Depth == 0 || shape.Height != 0 || (shape.Flags & CUDA_ARRAY3D_LAYERED) != 0);
}

std::size_t Pitch(const CUDA_ARRAY3D_DESCRIPTOR& shape) {
  return RoundUp(shape.Width * shape.NumChannels * FormatBytes(shape.Format), kTileBytes);
}

std::size_t Bytes(const CUDA_ARRAY3D_DESCRIPTOR& shape) {
  const std::size_t rows = shape.Height == 0 ? 1 : RoundUp(shape.Height, kTileRows);
  return RoundUp(Pitch(shape) * rows * std::max<std::size_t>(shape.Depth, 1), kAlignment);
}

CUarray NewArray(const CUDA_ARRAY3D_DESCRIPTOR& shape, CUdeviceptr place, CUmipmappedArray of) {
  auto* const array = new CUarray_st;
  array->shape = shape;
  array->element = shape.NumChannels * FormatBytes(shape.Format);
  array->pitch = Pitch(shape);
  array->rows = shape.Height == 0 ? 1 : RoundUp(shape.Height, kTileRows);
  array->bytes = Bytes(shape);
  array->place = place;
  array->mipmap = of;
  Arrays().insert(array);
  return array;
}

CUresult Create(const Entry& entry, CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR& shape) {
  if (array == nullptr || !Sensible(shape)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  CUdeviceptr place = 0;
  if ((shape.Flags & kUnbacked) == 0) {
    if (const CUresult answer = AllocateDevice(entry, Bytes(shape), &place);
        answer != CUDA_SUCCESS) {
      return answer;
    }
  }
  *array = NewArray(shape, place, nullptr);
  return CUDA_SUCCESS;
}

CUDA_ARRAY3D_DESCRIPTOR LevelShape(CUDA_ARRAY3D_DESCRIPTOR shape, unsigned level) {
  shape.Width = std::max<std::size_t>(shape.Width >> level, 1);
  shape.Height = shape.Height == 0 ? 0 : std::max<std::size_t>(shape.Height >> level, 1);
  // Layers stay, depth halves.
  if ((shape.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) == 0 && shape.Depth != 0) {
    shape.Depth = std::max<std::size_t>(shape.Depth >> level, 1);
  }
  return shape;
}

CUresult CreateMipmap(const Entry& entry, CUmipmappedArray* made,
                      const CUDA_ARRAY3D_DESCRIPTOR& shape, unsigned levels) {
  std::size_t most = std::max({shape.Width, shape.Height, shape.Depth});
  unsigned possible = 1;
  for (; most > 1; most >>= 1) {
    ++possible;
  }
  if (made == nullptr || levels == 0 || !Sensible(shape)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  levels = std::min(levels, possible);
  std::size_t bytes = 0;
  for (unsigned i = 0; i < levels; ++i) {
    bytes += Bytes(LevelShape(shape, i));
  }
  CUdeviceptr place = 0;
  if ((shape.Flags & kUnbacked) == 0) {
    if (const CUresult answer = AllocateDevice(entry, bytes, &place); answer != CUDA_SUCCESS) {
      return answer;
    }
  }
  auto* const mipmap = new CUmipmappedArray_st;
  mipmap->description = shape;
  mipmap->place = place;
  mipmap->bytes = bytes;
  std::size_t at = 0;
  for (unsigned i = 0; i < levels; ++i) {
    const CUDA_ARRAY3D_DESCRIPTOR level = LevelShape(shape, i);
    mipmap->levels.push_back(NewArray(level, place == 0 ? 0 : place + at, mipmap));
    at += Bytes(level);
  }
  Mipmaps().insert(mipmap);
  *made = mipmap;
  return CUDA_SUCCESS;
}

template <typename Description>
CUDA_ARRAY3D_DESCRIPTOR Flat(const Description& from) {
  CUDA_ARRAY3D_DESCRIPTOR shape = {};
  shape.Width = from.Width;
  shape.Height = from.Height;
  shape.Format = from.Format;
  shape.NumChannels = from.NumChannels;
  return shape;
}

CUDA_ARRAY3D_DESCRIPTOR Wide(const CUDA_ARRAY3D_DESCRIPTOR_v1& from) {
  CUDA_ARRAY3D_DESCRIPTOR shape = Flat(from);
  shape.Depth = from.Depth;
  shape.Flags = from.Flags;
  return shape;
}

}  // namespace

bool IsArray(CUarray array) { return Arrays().count(array) != 0; }

}  // namespace aliquot::simgpu

using namespace aliquot::simgpu;  // the driver's functions are in no namespace

CUresult cuArrayCreate_v2(CUarray* array, const CUDA_ARRAY_DESCRIPTOR* shape) {
  SIM_ENTER_UNSAFE();
  return shape == nullptr ? CUDA_ERROR_INVALID_VALUE : Create(entry, array, Flat(*shape));
}

CUresult cuArrayCreate(CUarray* array, const CUDA_ARRAY_DESCRIPTOR_v1* shape) {
  SIM_ENTER(kContext);
  return shape == nullptr ? CUDA_ERROR_INVALID_VALUE : Create(entry, array, Flat(*shape));
}

CUresult cuArray3DCreate_v2(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* shape) {
  SIM_ENTER_UNSAFE();
  return shape == nullptr ? CUDA_ERROR_INVALID_VALUE : Create(entry, array, *shape);
}

CUresult cuArray3DCreate(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR_v1* shape) {
  SIM_ENTER(kContext);
  return shape == nullptr ? CUDA_ERROR_INVALID_VALUE : Create(entry, array, Wide(*shape));
}

CUresult cuArrayDestroy(CUarray array) {
  SIM_ENTER(kContext);
  // A level belongs to its mipmapped array.
  if (!IsArray(array) || array->mipmap != nullptr) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (array->place != 0) {
    FreeDevice(entry, array->place);
  }
  Arrays().erase(array);
  delete array;
  return CUDA_SUCCESS;
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR* shape, CUarray array) {
  SIM_ENTER(kContext);
  if (shape == nullptr || !IsArray(array)) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  *shape = {array->shape.Width, array->shape.Height, array->shape.Format, array->shape.NumChannels};
  return CUDA_SUCCESS;
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR* shape, CUarray array) {
  SIM_ENTER(kContext);
  if (shape == nullptr || !IsArray(array)) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  *shape = array->shape;
  return CUDA_SUCCESS;
}

CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS* needs, CUarray array,
                                      CUdevice device) {
  SIM_ENTER(kContext);
  if (needs == nullptr || !IsArray(array) || !entry.driver().Valid(device)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *needs = {};
  needs->size = array->bytes;
  needs->alignment = kAlignment;
  return CUDA_SUCCESS;
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray* mipmap, const CUDA_ARRAY3D_DESCRIPTOR* shape,
                                unsigned levels) {
  SIM_ENTER_UNSAFE();
  return shape == nullptr ? CUDA_ERROR_INVALID_VALUE : CreateMipmap(entry, mipmap, *shape, levels);
}

CUresult cuMipmappedArrayGetLevel(CUarray* level, CUmipmappedArray mipmap, unsigned number) {
  SIM_ENTER(kContext);
  if (level == nullptr || Mipmaps().count(mipmap) == 0) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (number >= mipmap->levels.size()) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *level = mipmap->levels[number];
  return CUDA_SUCCESS;
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray mipmap) {
  SIM_ENTER(kContext);
  if (Mipmaps().count(mipmap) == 0) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  for (CUarray const level : mipmap->levels) {
    Arrays().erase(level);
    delete level;
  }
  if (mipmap->place != 0) {
    FreeDevice(entry, mipmap->place);
  }
  Mipmaps().erase(mipmap);
  delete mipmap;
  return CUDA_SUCCESS;
}

CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS* needs,
                                               CUmipmappedArray mipmap, CUdevice device) {
  SIM_ENTER(kContext);
  if (needs == nullptr || Mipmaps().count(mipmap) == 0 || !entry.driver().Valid(device)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *needs = {};
  needs->size = mipmap->bytes;
  needs->alignment = kAlignment;
  return CUDA_SUCCESS;
}
