// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/translate/translated.h"

namespace aliquot::translate {
namespace {

constexpr Scheme kHami = Scheme::kHami;

TEST(Hami, CoresAndMemoryOfOneGpu) {
  // 3072 MiB = 12 units of 256 MiB.
  const json pod = Translated(
      PodWith(
          {{"nvidia.com/gpu", "1"}, {"nvidia.com/gpumem", "3072"}, {"nvidia.com/gpucores", "30"}}),
      kHami);
  EXPECT_EQ(LimitsOf(pod), Amounts("30", "12"));
  EXPECT_EQ(pod["spec"]["containers"][0]["resources"]["requests"], Amounts("30", "12"));
  EXPECT_TRUE(AnnotationsOf(pod).empty());
}

TEST(Hami, NumbersAreTakenLikeTexts) {
  EXPECT_EQ(LimitsOf(Translated(PodWith({{"nvidia.com/gpu", 1},
                                         {"nvidia.com/gpumem", 3072},
                                         {"nvidia.com/gpucores", 30}}),
                                kHami)),
            Amounts("30", "12"));
}

TEST(Hami, MemoryIsRoundedUpToUnitsAndNoted) {
  std::vector<std::string> notes;
  // 3000 / 256 = 11.7, so 12 units.
  const json pod = Translated(
      PodWith({{"nvidia.com/gpumem", "3000"}, {"nvidia.com/gpucores", "30"}}), kHami, {}, &notes);
  EXPECT_EQ(LimitsOf(pod), Amounts("30", "12"));
  EXPECT_TRUE(Says(notes, "3000 MiB becomes 3072 MiB"));
}

TEST(Hami, WhatHasNoEqualStaysAndIsSaid) {
  json pod = PodWith({{"nvidia.com/gpu", "1"}});
  pod["metadata"]["annotations"] = {{"nvidia.com/use-gpuindexes", "0,1"},
                                    {"nvidia.com/mig-profile-preference", "4g"},
                                    {"nvidia.com/vgpu-mode", "hami-core"},
                                    {"hami.io/vulkan", "true"},
                                    {"team", "a"}};
  std::vector<std::string> notes;
  const json translated = Translated(pod, kHami, {}, &notes);
  EXPECT_EQ(notes.size(), 3u) << testing::PrintToString(notes);
  for (const char* key :
       {"nvidia.com/use-gpuindexes", "nvidia.com/mig-profile-preference", "hami.io/vulkan"}) {
    EXPECT_TRUE(Says(notes, std::string("annotation ") + key + " stays and has no effect")) << key;
    EXPECT_TRUE(AnnotationsOf(translated).contains(key)) << key;
  }
}

TEST(Hami, SharesOfSeveralGpusAreOneSumAndACount) {
  // HAMi's amounts are for each of 2 GPUs: 2 x 30 % and 2 x 12 units.
  const json pod = Translated(
      PodWith(
          {{"nvidia.com/gpu", "2"}, {"nvidia.com/gpumem", "3072"}, {"nvidia.com/gpucores", "30"}}),
      kHami);
  EXPECT_EQ(LimitsOf(pod), Amounts("60", "24"));
  EXPECT_EQ(AnnotationsOf(pod), json({{"aliquot.io/gpu-count", "2"}}));
}

TEST(Hami, SharesThatComeToAWholeGpuInSumAreRefused) {
  EXPECT_EQ(Refusal(PodWith({{"nvidia.com/gpu", "4"},
                             {"nvidia.com/gpumem", "3072"},
                             {"nvidia.com/gpucores", "30"}}),
                    kHami),
            "container \"main\" asks for 30 % of 4 GPUs; shares come to at most 99 % in sum, so "
            "ask for fewer or for whole GPUs");
}

TEST(Hami, GpusAloneAreWhole) {
  EXPECT_EQ(LimitsOf(Translated(PodWith({{"nvidia.com/gpu", "3"}}), kHami)),
            json({{"tencent.com/vcuda-core", "300"}}));
  EXPECT_EQ(
      LimitsOf(Translated(
          PodWith({{"nvidia.com/gpu", "1"}, {"nvidia.com/gpumem-percentage", "100"}}), kHami)),
      json({{"tencent.com/vcuda-core", "100"}}));
}

TEST(Hami, AllCoresAreAWholeGpuWhateverTheMemory) {
  std::vector<std::string> notes;
  const json pod = Translated(
      PodWith(
          {{"nvidia.com/gpu", "1"}, {"nvidia.com/gpumem", "4096"}, {"nvidia.com/gpucores", "100"}}),
      kHami, {}, &notes);
  EXPECT_EQ(LimitsOf(pod), json({{"tencent.com/vcuda-core", "100"}}));
  EXPECT_TRUE(Says(notes, "nvidia.com/gpumem is dropped"));
}

TEST(Hami, MemoryAloneTakesItsPartOfTheCoreAndMoreWhileIdle) {
  std::vector<std::string> notes;
  // 4096 of 16384 MiB is a quarter.
  const json pod = Translated(PodWith({{"nvidia.com/gpu", "1"}, {"nvidia.com/gpumem", "4096"}}),
                              kHami, CardOf(16384), &notes);
  EXPECT_EQ(LimitsOf(pod), Amounts("25", "16"));
  EXPECT_EQ(AnnotationsOf(pod), json({{"tencent.com/vcuda-core-limit", "100"}}));
  EXPECT_TRUE(Says(notes, "no core is named; it gets 25 %"));
}

TEST(Hami, PartsOfACardNeedItsMemory) {
  const std::string sentence = Refusal(
      PodWith({{"nvidia.com/gpumem-percentage", "50"}, {"nvidia.com/gpucores", "30"}}), kHami);
  EXPECT_NE(sentence.find("--card-memory"), std::string::npos) << sentence;
  // Half of 24564 MiB is 12282: 47 whole units, so that two of them fit the card.
  EXPECT_EQ(LimitsOf(Translated(
                PodWith({{"nvidia.com/gpumem-percentage", "50"}, {"nvidia.com/gpucores", "30"}}),
                kHami, CardOf(24564))),
            Amounts("30", "47"));
}

TEST(Hami, CoresAloneTakeAllOfTheMemory) {
  EXPECT_EQ(LimitsOf(Translated(PodWith({{"nvidia.com/gpu", "1"}, {"nvidia.com/gpucores", "30"}}),
                                kHami, CardOf(16384))),
            Amounts("30", "64"));
}

TEST(Hami, AmountsThatAreNoneAreRefusedByName) {
  EXPECT_EQ(Refusal(PodWith({{"nvidia.com/gpu", "x"}}), kHami),
            "container \"main\": nvidia.com/gpu is x; give a whole number");
  EXPECT_EQ(Refusal(PodWith({{"nvidia.com/gpumem-percentage", "101"}}), kHami),
            "container \"main\": nvidia.com/gpumem-percentage is 101; give 1 to 100");
  EXPECT_NE(Refusal(PodWith({{"nvidia.com/gpu", "20"},
                             {"nvidia.com/gpumem", "256"},
                             {"nvidia.com/gpucores", "1"}}),
                    kHami)
                .find("at most 16"),
            std::string::npos);
}

TEST(Hami, CountsThatNoNodeHasAreRefused) {
  EXPECT_EQ(Refusal(PodWith({{"nvidia.com/gpu", "9223372036854775807"}}), kHami),
            "container \"main\" asks for 9223372036854775807 GPUs; at most 1024 can be asked for");
}

TEST(Hami, BothWaysAtOnceAreRefused) {
  EXPECT_EQ(Refusal(PodWith({{"nvidia.com/gpu", "1"}, {"tencent.com/vcuda-core", "20"}}), kHami),
            "container \"main\" asks for a GPU in Aliquot's way (tencent.com/vcuda-*) and in "
            "another at once; keep one of them");
}

TEST(Hami, DifferentCountsInOnePodAreRefused) {
  json pod = PodWith(
      {{"nvidia.com/gpu", "2"}, {"nvidia.com/gpumem", "256"}, {"nvidia.com/gpucores", "10"}});
  json second = pod["spec"]["containers"][0];
  second["name"] = "second";
  second["resources"]["limits"]["nvidia.com/gpu"] = "1";
  second["resources"]["requests"]["nvidia.com/gpu"] = "1";
  pod["spec"]["containers"].push_back(second);
  EXPECT_NE(Refusal(pod, kHami).find("aliquot.io/gpu-count holds for every container"),
            std::string::npos);
}

TEST(Hami, InitContainersAndOnesWithoutAGpu) {
  json pod = PodWith({{"nvidia.com/gpu", "1"}, {"cpu", "2"}});
  pod["spec"]["initContainers"] = json::array({pod["spec"]["containers"][0]});
  pod["spec"]["initContainers"][0]["name"] = "first";
  pod["spec"]["containers"].push_back({{"name", "proxy"}, {"image", "i"}});
  const json translated = Translated(pod, kHami);
  const json whole = {{"cpu", "2"}, {"tencent.com/vcuda-core", "100"}};
  EXPECT_EQ(translated["spec"]["initContainers"][0]["resources"]["limits"], whole);
  EXPECT_EQ(LimitsOf(translated), whole);
  EXPECT_EQ(translated["spec"]["containers"][1], pod["spec"]["containers"][1]);
}

TEST(Hami, LimitsWithoutRequestsStayWithoutThem) {
  json pod = PodWith({{"nvidia.com/gpu", "1"}});
  pod["spec"]["containers"][0]["resources"].erase("requests");
  EXPECT_EQ(Translated(pod, kHami)["spec"]["containers"][0]["resources"],
            json({{"limits", {{"tencent.com/vcuda-core", "100"}}}}));
  pod = PodWith({{"nvidia.com/gpu", "1"}});
  pod["spec"]["containers"][0]["resources"].erase("limits");
  EXPECT_EQ(LimitsOf(Translated(pod, kHami)), json({{"tencent.com/vcuda-core", "100"}}));
}

TEST(Hami, SchedulerPriorityAndRuntimeClass) {
  json pod = PodWith({{"nvidia.com/gpu", "1"}, {"nvidia.com/priority", "1"}});
  pod["spec"]["schedulerName"] = "hami-scheduler";
  pod["spec"]["runtimeClassName"] = "nvidia";
  std::vector<std::string> notes;
  const json translated = Translated(pod, kHami, {}, &notes);
  EXPECT_FALSE(translated["spec"].contains("schedulerName"));
  EXPECT_EQ(translated["spec"]["runtimeClassName"], "nvidia");
  EXPECT_TRUE(Says(notes, "schedulerName hami-scheduler is removed"));
  EXPECT_TRUE(Says(notes, "nvidia.com/priority is removed"));
  EXPECT_TRUE(Says(notes, "runtimeClassName nvidia stays"));
}

// The annotations of a whole-GPU pod that had these.
json Moved(const json& annotations, std::vector<std::string>* notes = nullptr) {
  json pod = PodWith({{"nvidia.com/gpu", "1"}});
  pod["metadata"]["annotations"] = annotations;
  return AnnotationsOf(Translated(pod, kHami, {}, notes));
}

TEST(HamiAnnotations, SelectionBecomesOneListEach) {
  std::vector<std::string> notes;
  EXPECT_EQ(Moved({{"nvidia.com/use-gputype", "A100-SXM4-80GB, V100"},
                   {"nvidia.com/nouse-gputype", "T4"},
                   {"nvidia.com/use-gpuuuid", "GPU-a"},
                   {"nvidia.com/nouse-gpuuuid", "GPU-b,GPU-c"},
                   {"example.org/x", "kept"}},
                  &notes),
            json({{"aliquot.io/gpu-model", "A100-SXM4-80GB,V100,!T4"},
                  {"aliquot.io/gpu-uuid", "GPU-a,!GPU-b,!GPU-c"},
                  {"example.org/x", "kept"}}));
  EXPECT_TRUE(Says(notes, "Aliquot compares the whole of it"));
  EXPECT_TRUE(Says(notes, "aliquot.io/allow-gpu-uuid=true"));
}

TEST(HamiAnnotations, AnEmptyListIsNone) {
  EXPECT_EQ(Moved({{"nvidia.com/use-gputype", ""}}), json::object());
}

TEST(HamiAnnotations, PoliciesBecomePlacement) {
  EXPECT_EQ(Moved({{"hami.io/gpu-scheduler-policy", "spread"}}),
            json({{"aliquot.io/placement", "spread"}}));
  EXPECT_EQ(Moved({{"hami.io/gpu-scheduler-policy", "topology-aware,numa"}}),
            json({{"aliquot.io/placement", "topology"}, {"aliquot.io/numa", "preferred"}}));
  std::vector<std::string> notes;
  EXPECT_EQ(Moved({{"hami.io/gpu-scheduler-policy", "binpack"},
                   {"hami.io/node-scheduler-policy", "spread"}},
                  &notes),
            json({{"aliquot.io/placement", "binpack"}}));
  EXPECT_TRUE(Says(notes, "follows one policy for nodes and cards, here binpack"));
  EXPECT_EQ(Moved({{"hami.io/gpu-scheduler-policy", "mutex"}}, &notes), json::object());
  EXPECT_TRUE(Says(notes, "mutex has no equal"));
}

TEST(HamiAnnotations, ModesAndRecords) {
  std::vector<std::string> notes;
  EXPECT_EQ(Moved({{"nvidia.com/numa-bind", "true"},
                   {"nvidia.com/vgpu-mode", "mig"},
                   {"hami.io/vgpu-node", "n1"},
                   {"hami.io/bind-phase", "success"}},
                  &notes),
            json({{"aliquot.io/numa", "required"}}));
  EXPECT_TRUE(Says(notes, "nvidia.com/vgpu-mode is mig"));
  EXPECT_TRUE(Says(notes, "recorded the pod's cards"));
}

}  // namespace
}  // namespace aliquot::translate
