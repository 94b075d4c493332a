// SPDX-License-Identifier: Apache-2.0
#include "agent/pod_news.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/agent/agent_fakes.h"

namespace aliquot::agent {
namespace {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class PodNewsTest : public testing::Test {
 protected:
  void Hold(const std::string& pod, const std::vector<std::string>& uuids) {
    GrantRecord grant;
    grant.name = "g" + pod;
    grant.identity.key = {"ns", pod};
    grant.identity.uid = "uid-" + pod;
    for (const std::string& uuid : uuids) {
      grant.cards.push_back({uuid, 0, 20, 1024});
    }
    live_.Recall({grant});
  }
  // "pod Reason: note" with "!" before a warning.
  std::vector<std::string> Tell(const HealthNews& news) {
    TellPods(news, live_, poster_, metrics_, log_);
    queue_.RunDue();
    std::vector<std::string> told;
    for (const model::PodEvent& event : writer_.events) {
      told.push_back((event.warning ? "!" : "") + event.key.name + " " + event.reason + ": " +
                     event.note);
    }
    return told;
  }

  FakeClock clock_;
  FakeWriter writer_;
  AgentMetrics metrics_;
  MemoryLog log_;
  LiveGrants live_;
  program::WorkQueue queue_{clock_, program::WorkQueueOptions()};
  EventPoster poster_{queue_, writer_, metrics_, log_, clock_};
};

TEST_F(PodNewsTest, AnXidIsToldToEveryPodOnItsCardAndCounted) {
  Hold("a", {"GPU-1"});
  Hold("b", {"GPU-2", "GPU-1"});
  Hold("c", {"GPU-2"});
  EXPECT_THAT(Tell({{}, {{"GPU-1", 31, false, 1, "XID 31."}}}),
              UnorderedElementsAre("!a GpuXid: XID 31.", "!b GpuXid: XID 31."));
  EXPECT_EQ(ValueOf(metrics_, "aliquot_agent_xids_total{UUID=\"GPU-1\",xid=\"31\"}"), "1");
}

TEST_F(PodNewsTest, AFaultIsAWarningAndItsEndIsNone) {
  Hold("a", {"GPU-1"});
  EXPECT_THAT(
      Tell({{{"GPU-1", "ok", "lost", "it is lost", 0}, {"GPU-1", "lost", "ok", "back", 0}}, {}}),
      UnorderedElementsAre("!a GpuUnhealthy: it is lost", "a GpuRecovered: back"));
}

TEST_F(PodNewsTest, ACardThatNobodyHoldsIsOnlyLogged) {
  EXPECT_THAT(Tell({{{"GPU-1", "ok", "lost", "it is lost", 0}}, {}}), IsEmpty());
  EXPECT_EQ(log_.Count("card health changed"), 1);
}

}  // namespace
}  // namespace aliquot::agent
