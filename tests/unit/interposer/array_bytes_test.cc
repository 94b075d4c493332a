// SPDX-License-Identifier: Apache-2.0
#include "interposer/array_bytes.h"

#include <gtest/gtest.h>

namespace aliquot::interposer {
namespace {

constexpr unsigned kByte = 0x01;
constexpr unsigned kFloat = 0x20;

TEST(ArrayBytes, AreTheBytesOfAnElementTimesAllExtents) {
  EXPECT_EQ(ArrayBytes({100, 0, 0, kByte, 1, 0}), 100U);
  EXPECT_EQ(ArrayBytes({100, 10, 0, kFloat, 4, 0}), 16'000U);  // 100 x 10 x 4 x 4
  EXPECT_EQ(ArrayBytes({8, 8, 3, 0x10, 2, 0}), 768U);          // 8 x 8 x 3 x 2 x 2
}

TEST(ArrayBytes, LayersOfOneDimensionCount) {
  EXPECT_EQ(ArrayBytes({100, 0, 5, kByte, 1, CUDA_ARRAY3D_LAYERED}), 500U);
}

TEST(ArrayBytes, WithoutMemoryOfTheirOwnThereAreNone) {
  EXPECT_EQ(ArrayBytes({100, 10, 0, kFloat, 4, CUDA_ARRAY3D_SPARSE}), 0U);
  EXPECT_EQ(ArrayBytes({100, 10, 0, kFloat, 4, CUDA_ARRAY3D_DEFERRED_MAPPING}), 0U);
  EXPECT_EQ(MipmapBytes({64, 64, 0, kByte, 4, CUDA_ARRAY3D_SPARSE}, 4), 0U);
}

TEST(ArrayBytes, CompressedFormatsCountByTheirBlocks) {
  EXPECT_EQ(ArrayBytes({16, 16, 0, 0x91, 4, 0}), 128U);   // BC1: 16 blocks of 8
  EXPECT_EQ(ArrayBytes({16, 16, 0, 0x9d, 4, 0}), 256U);   // BC7: 16 blocks of 16
  EXPECT_EQ(ArrayBytes({16, 16, 0, 0xb0, 3, 0}), 384U);   // NV12: 12 bits
  EXPECT_EQ(ArrayBytes({16, 16, 0, 0xc5, 4, 0}), 2048U);  // UNORM_INT16X4: 8 bytes
}

TEST(ArrayBytes, UnknownFormatsAndImpossibleExtentsAreLeftToTheDriver) {
  EXPECT_EQ(ArrayBytes({16, 16, 0, 0x7777, 1, 0}), 0U);
  const std::size_t most = ~std::size_t{0};
  EXPECT_EQ(ArrayBytes({most, most, most, kFloat, 4, 0}), 0U);
  EXPECT_EQ(MipmapBytes({most, most, 0, kFloat, 4, 0}, ~0U), 0U);
}

TEST(MipmapBytes, AddUpLevelsOfHalfTheExtents) {
  // 8 x 8 + 4 x 4 + 2 x 2 + 1 x 1, four bytes each
  EXPECT_EQ(MipmapBytes({8, 8, 0, kByte, 4, 0}, 4), 340U);
  EXPECT_EQ(MipmapBytes({8, 8, 0, kByte, 4, 0}, 1000), 340U);  // no more levels than extents
  EXPECT_EQ(MipmapBytes({8, 8, 0, kByte, 4, 0}, 1), 256U);
}

TEST(MipmapBytes, LayersAreNotHalvedButDepthIs) {
  EXPECT_EQ(MipmapBytes({4, 4, 4, kByte, 1, 0}, 2), 72U);                     // 64 + 8
  EXPECT_EQ(MipmapBytes({4, 4, 4, kByte, 1, CUDA_ARRAY3D_LAYERED}, 2), 80U);  // 64 + 16
}

}  // namespace
}  // namespace aliquot::interposer
