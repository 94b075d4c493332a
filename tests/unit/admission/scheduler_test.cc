// SPDX-License-Identifier: Apache-2.0
// Which scheduler a GPU pod goes to.
#include "tests/unit/admission/reviews.h"

namespace aliquot::admission {
namespace {

using nlohmann::json;

json WithScheduler(const std::string& name) {
  json pod = SharePod();
  pod["spec"]["schedulerName"] = name;
  return pod;
}

// spec.schedulerName as it is stored, where the webhook gives "aliquot".
json SchedulerOf(const json& pod) {
  MutateOptions options;
  options.scheduler_name = "aliquot";
  const json stored = Patched(pod, Mutated(pod, options));
  return stored["spec"].value("schedulerName", "");
}

TEST(SchedulerName, IsGivenWhereNoneOrTheClustersDefaultIsNamed) {
  EXPECT_EQ(SchedulerOf(SharePod()), "aliquot");
  EXPECT_EQ(SchedulerOf(WithScheduler("default-scheduler")), "aliquot");
}

TEST(SchedulerName, OfAPodThatNamesAnotherStays) {
  EXPECT_EQ(SchedulerOf(WithScheduler("volcano")), "volcano");
}

TEST(SchedulerName, OfAPodWithoutOurResourcesStays) {
  json pod = WithScheduler("default-scheduler");
  pod["spec"]["containers"][0].erase("resources");
  EXPECT_EQ(SchedulerOf(pod), "default-scheduler");
}

TEST(SchedulerName, IsUntouchedWhereNoneIsConfigured) {
  const json pod = WithScheduler("default-scheduler");
  EXPECT_EQ(Patched(pod, Mutated(pod))["spec"]["schedulerName"], "default-scheduler");
}

TEST(SchedulerName, ASecondReviewChangesNothing) {
  MutateOptions options;
  options.scheduler_name = "aliquot";
  const json stored = Patched(SharePod(), Mutated(SharePod(), options));
  EXPECT_TRUE(Mutated(stored, options).patch.empty());
}

}  // namespace
}  // namespace aliquot::admission
