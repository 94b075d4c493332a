// SPDX-License-Identifier: Apache-2.0
#include "translate/scheme.h"

#include "tests/unit/translate/translated.h"

namespace aliquot::translate {
namespace {

std::string SchemeText(const json& pod) {
  const auto scheme = SchemeOf(pod);
  if (!scheme.ok()) {
    return "refused";
  }
  return *scheme ? std::string(SchemeName(**scheme)) : "none";
}

json Annotated(const json& limits, const char* key) {
  json pod = PodWith(limits);
  pod["metadata"]["annotations"][key] = "0.5";
  return pod;
}

TEST(SchemeOf, IsToldByResourcesThenBySchedulerAndAnnotations) {
  EXPECT_EQ(SchemeText(PodWith({{"nvidia.com/gpu", "1"}})), "nvidia");
  EXPECT_EQ(SchemeText(PodWith({{"nvidia.com/gpu.shared", "1"}})), "nvidia");
  EXPECT_EQ(SchemeText(PodWith({{"nvidia.com/gpu", "1"}, {"nvidia.com/gpumem", "1"}})), "hami");
  EXPECT_EQ(SchemeText(Annotated({{"nvidia.com/gpu", "1"}}, "hami.io/node-scheduler-policy")),
            "hami");
  EXPECT_EQ(SchemeText(Annotated(json::object(), "gpu-fraction")), "kai");
  json pod = PodWith({{"nvidia.com/gpu", "1"}});
  pod["spec"]["schedulerName"] = "kai-scheduler";
  EXPECT_EQ(SchemeText(pod), "kai");
}

TEST(SchemeOf, IsNoneWithoutAGpu) {
  EXPECT_EQ(SchemeText(PodWith({{"cpu", "1"}})), "none");
  EXPECT_EQ(SchemeText(PodWith({{"tencent.com/vcuda-core", "100"}})), "none");
  json pod = PodWith({{"cpu", "1"}});
  pod["spec"]["schedulerName"] = "kai-scheduler";
  EXPECT_EQ(SchemeText(pod), "none");
}

TEST(SchemeOf, TwoAtOnceAreRefused) {
  EXPECT_EQ(SchemeText(Annotated({{"nvidia.com/gpumem", "1"}}, "gpu-fraction")), "refused");
}

TEST(SchemeNamed, KnowsTheThreeNames) {
  for (const char* name : {"hami", "nvidia", "kai"}) {
    ASSERT_TRUE(SchemeNamed(name)) << name;
    EXPECT_EQ(SchemeName(*SchemeNamed(name)), name);
  }
  EXPECT_FALSE(SchemeNamed("auto"));
}

}  // namespace
}  // namespace aliquot::translate
