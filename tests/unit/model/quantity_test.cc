// SPDX-License-Identifier: Apache-2.0
#include "model/quantity.h"

#include <gtest/gtest.h>

namespace aliquot::model {
namespace {

TEST(Quantity, CpuIsCountedInThousandthsOfACore) {
  EXPECT_EQ(CpuMilli("500m", Rounding::kUp), 500);
  EXPECT_EQ(CpuMilli("1.5", Rounding::kUp), 1500);
  EXPECT_EQ(CpuMilli("96", Rounding::kUp), 96'000);
  EXPECT_EQ(CpuMilli("2e3", Rounding::kUp), 2'000'000);
  EXPECT_EQ(CpuMilli("2E-1", Rounding::kUp), 200);
  EXPECT_EQ(CpuMilli(".25", Rounding::kUp), 250);
  EXPECT_EQ(CpuMilli("1.", Rounding::kUp), 1000);
  EXPECT_EQ(CpuMilli("0.1k", Rounding::kUp), 100'000);
  EXPECT_EQ(CpuMilli("0", Rounding::kUp), 0);
}

TEST(Quantity, MemoryIsCountedInMebibytes) {
  EXPECT_EQ(MemoryMib("1Gi", Rounding::kUp), 1024);
  EXPECT_EQ(MemoryMib("1.5Gi", Rounding::kUp), 1536);
  EXPECT_EQ(MemoryMib("65536Ki", Rounding::kUp), 64);
  EXPECT_EQ(MemoryMib("2Ti", Rounding::kUp), 2 * 1024 * 1024);
  EXPECT_EQ(MemoryMib("134217728", Rounding::kUp), 128);
  // 10^9 / 2^20 = 953.67
  EXPECT_EQ(MemoryMib("1G", Rounding::kUp), 954);
  EXPECT_EQ(MemoryMib("1G", Rounding::kDown), 953);
  EXPECT_EQ(MemoryMib("128974848000m", Rounding::kUp), 123);  // 128974848 bytes
}

TEST(Quantity, WhatIsNoWholeUnitIsRoundedAsAsked) {
  EXPECT_EQ(CpuMilli("100u", Rounding::kUp), 1);
  EXPECT_EQ(CpuMilli("100u", Rounding::kDown), 0);
  EXPECT_EQ(CpuMilli("1n", Rounding::kUp), 1);
  EXPECT_EQ(MemoryMib("1", Rounding::kUp), 1);
  EXPECT_EQ(MemoryMib("1", Rounding::kDown), 0);
  EXPECT_EQ(CpuMilli("1.0000000000000000000000000001", Rounding::kUp), 1001);
  EXPECT_EQ(CpuMilli("1.0000000000000000000000000001", Rounding::kDown), 1000);
  EXPECT_EQ(CpuMilli("0.0000000000000000000000000001", Rounding::kUp), 1);
  EXPECT_EQ(CpuMilli("1e-400", Rounding::kUp), 1);
}

TEST(Quantity, AnAmountPastEveryNodeEndsAtTheLargest) {
  EXPECT_EQ(CpuMilli("9E", Rounding::kUp), kMaxHostAmount);
  EXPECT_EQ(CpuMilli("1e300", Rounding::kUp), kMaxHostAmount);
  EXPECT_EQ(MemoryMib("9223372036854775807Ei", Rounding::kUp), kMaxHostAmount);
  EXPECT_EQ(MemoryMib("999999999999999999999999999999999999", Rounding::kUp), kMaxHostAmount);
}

TEST(Quantity, LeadingZerosChangeNothing) {
  EXPECT_EQ(CpuMilli("000000000000000000000000000001.5", Rounding::kUp), 1500);
  EXPECT_EQ(CpuMilli("0.0000000000000000000000", Rounding::kUp), 0);
}

TEST(Quantity, ANegativeOneIsNothing) {
  EXPECT_EQ(CpuMilli("-5", Rounding::kUp), 0);
  EXPECT_EQ(CpuMilli("+5", Rounding::kUp), 5000);
}

TEST(Quantity, WhatIsNoneIsSaidToBeNone) {
  for (const char* text : {"", "m", ".", "-", "1.2.3", "1x", "1 Gi", "1 ", "1KI", "1ee3", "1e",
                           "1e+", "0x10", "Gi", "1mi", "1Gib"}) {
    EXPECT_EQ(CpuMilli(text, Rounding::kUp), std::nullopt) << '"' << text << '"';
    EXPECT_EQ(MemoryMib(text, Rounding::kUp), std::nullopt) << '"' << text << '"';
  }
}

}  // namespace
}  // namespace aliquot::model
