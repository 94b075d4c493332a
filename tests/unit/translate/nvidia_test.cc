// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/translate/translated.h"

namespace aliquot::translate {
namespace {

constexpr Scheme kNvidia = Scheme::kNvidia;

TranslateOptions Replica() {
  TranslateOptions options;
  options.replica = ReplicaShare{20, 4096};
  return options;
}

TEST(Nvidia, GpusAreWholeWithANoteAboutTimeSlicing) {
  std::vector<std::string> notes;
  EXPECT_EQ(LimitsOf(Translated(PodWith({{"nvidia.com/gpu", "2"}}), kNvidia, {}, &notes)),
            json({{"tencent.com/vcuda-core", "200"}}));
  EXPECT_TRUE(Says(notes, "--share"));
}

TEST(Nvidia, ATimeSlicedGpuIsWorthWhatIsSaid) {
  // 4096 MiB = 16 units; of 2 GPUs the double.
  EXPECT_EQ(LimitsOf(Translated(PodWith({{"nvidia.com/gpu", "1"}}), kNvidia, Replica())),
            Amounts("20", "16"));
  const json two = Translated(PodWith({{"nvidia.com/gpu.shared", "2"}}), kNvidia, Replica());
  EXPECT_EQ(LimitsOf(two), Amounts("40", "32"));
  EXPECT_EQ(AnnotationsOf(two)["aliquot.io/gpu-count"], "2");
}

TEST(Nvidia, ASharedGpuWithoutSizesIsRefused) {
  EXPECT_EQ(Refusal(PodWith({{"nvidia.com/gpu.shared", "1"}}), kNvidia),
            "container \"main\": nvidia.com/gpu.shared says neither core nor memory; say what one "
            "is worth with --share CORE:MIB, or ask for tencent.com/vcuda-core and "
            "tencent.com/vcuda-memory");
}

TEST(Nvidia, MigInstancesStay) {
  std::vector<std::string> notes;
  const json pod = PodWith({{"nvidia.com/mig-1g.10gb", "1"}});
  EXPECT_EQ(Translated(pod, kNvidia, {}, &notes), pod);
  EXPECT_TRUE(Says(notes, "nvidia.com/mig-1g.10gb stays"));
}

TEST(Nvidia, NoGpuAndZeroGpusStay) {
  for (const json& pod : {PodWith({{"cpu", "1"}}), PodWith({{"nvidia.com/gpu", "0"}})}) {
    EXPECT_EQ(Translated(pod, kNvidia), pod);
  }
}

}  // namespace
}  // namespace aliquot::translate
