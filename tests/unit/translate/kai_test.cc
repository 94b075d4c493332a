// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/translate/translated.h"

namespace aliquot::translate {
namespace {

constexpr Scheme kKai = Scheme::kKai;

json KaiPod(const json& annotations) {
  json pod = PodWith(json::object());
  pod["metadata"]["annotations"] = annotations;
  pod["metadata"]["labels"] = {{"kai.scheduler/queue", "team-a"}};
  pod["spec"]["schedulerName"] = "kai-scheduler";
  return pod;
}

TEST(Kai, AFractionIsThatPartOfCoreAndMemory) {
  std::vector<std::string> notes;
  // Half of 16384 MiB = 8192 MiB = 32 units.
  const json pod = Translated(KaiPod({{"gpu-fraction", "0.5"}}), kKai, CardOf(16384), &notes);
  EXPECT_EQ(LimitsOf(pod), Amounts("50", "32"));
  EXPECT_EQ(AnnotationsOf(pod), json({{"tencent.com/vcuda-core-limit", "100"}}));
  EXPECT_FALSE(pod["spec"].contains("schedulerName"));
  EXPECT_EQ(pod["metadata"]["labels"]["kai.scheduler/queue"], "team-a");
  EXPECT_TRUE(Says(notes, "Aliquot has no queues"));
  EXPECT_TRUE(Says(notes, "KAI bounds neither core nor memory"));
}

TEST(Kai, AFractionNeedsTheCardsMemoryUnlessItIsAll) {
  EXPECT_NE(Refusal(KaiPod({{"gpu-fraction", "0.5"}}), kKai).find("--card-memory"),
            std::string::npos);
  EXPECT_EQ(LimitsOf(Translated(KaiPod({{"gpu-fraction", "1"}}), kKai)),
            json({{"tencent.com/vcuda-core", "100"}}));
}

TEST(Kai, FinerFractionsAreRoundedUpToPercent) {
  std::vector<std::string> notes;
  // 0.125 of 16384 MiB = 2048 MiB = 8 units; 12.5 % becomes 13.
  EXPECT_EQ(LimitsOf(Translated(KaiPod({{"gpu-fraction", "0.125"}}), kKai, CardOf(16384), &notes)),
            Amounts("13", "8"));
  EXPECT_TRUE(Says(notes, "gpu-fraction 0.125 becomes 13 %"));
}

TEST(Kai, MemoryTakesItsPartOfTheCore) {
  // 4096 of 16384 MiB = 16 units, a quarter.
  EXPECT_EQ(LimitsOf(Translated(KaiPod({{"gpu-memory", "4096"}}), kKai, CardOf(16384))),
            Amounts("25", "16"));
}

TEST(Kai, SeveralDevicesAreOneSumAndACount) {
  // 3 x 25 % and 3 x 16 units.
  const json pod = Translated(KaiPod({{"gpu-memory", "4096"}, {"gpu-fraction-num-devices", "3"}}),
                              kKai, CardOf(16384));
  EXPECT_EQ(LimitsOf(pod), Amounts("75", "48"));
  EXPECT_EQ(AnnotationsOf(pod)["aliquot.io/gpu-count"], "3");
}

TEST(Kai, TheNamedContainerGetsTheShare) {
  json pod = KaiPod({{"gpu-fraction", "0.5"}, {"gpu-fraction-container-name", "work"}});
  pod["spec"]["containers"].push_back({{"name", "work"}, {"image", "i"}});
  const json translated = Translated(pod, kKai, CardOf(16384));
  EXPECT_TRUE(LimitsOf(translated).empty());
  EXPECT_EQ(translated["spec"]["containers"][1]["resources"]["limits"], Amounts("50", "32"));
  EXPECT_EQ(AnnotationsOf(translated).count("gpu-fraction-container-name"), 0u);
  pod["metadata"]["annotations"]["gpu-fraction-container-name"] = "nobody";
  EXPECT_EQ(Refusal(pod, kKai, CardOf(16384)),
            "annotation gpu-fraction-container-name is nobody; name a container of the pod");
}

TEST(Kai, WholeGpusAreWhole) {
  json pod = PodWith({{"nvidia.com/gpu", "2"}});
  pod["spec"]["schedulerName"] = "kai-scheduler";
  EXPECT_EQ(LimitsOf(Translated(pod, kKai)), json({{"tencent.com/vcuda-core", "200"}}));
}

TEST(Kai, ValuesThatAreNoneAreRefusedByName) {
  for (const char* value : {"0", "1.5", "-0.5", "half", "", ".", "0.5.5", "2"}) {
    EXPECT_NE(Refusal(KaiPod({{"gpu-fraction", value}}), kKai, CardOf(16384)).find("gpu-fraction"),
              std::string::npos)
        << value;
  }
  EXPECT_EQ(Refusal(KaiPod({{"gpu-memory", "4Gi"}}), kKai, CardOf(16384)),
            "annotation gpu-memory is 4Gi; give the MiB of one card as a whole number");
  EXPECT_EQ(Refusal(KaiPod({{"gpu-memory", "1"}, {"gpu-fraction", "0.5"}}), kKai),
            "annotations gpu-fraction and gpu-memory are given at once; keep one of them");
  EXPECT_NE(Refusal(KaiPod({{"gpu-memory", "32768"}}), kKai, CardOf(16384)).find("16384 MiB"),
            std::string::npos);
}

}  // namespace
}  // namespace aliquot::translate
