// SPDX-License-Identifier: Apache-2.0
#include "model/peak.h"

#include <gtest/gtest.h>

namespace aliquot::model {
namespace {

ContainerDemand Share(ContainerKind kind, int core, std::int64_t mib) {
  ContainerDemand demand;
  demand.kind = kind;
  demand.core = core;
  demand.mib = mib;
  return demand;
}

TEST(PeakUse, AppContainersOnOneCardAddUp) {
  PodDemand demand;
  demand.containers = {Share(ContainerKind::kApp, 20, 1000), Share(ContainerKind::kApp, 30, 500)};
  EXPECT_EQ(PeakUse(demand, {{0}, {0}}, {16000}), (std::vector<CardUse>{{50, 1, 1500}}));
}

TEST(PeakUse, AnInitContainerIsAPeakNotASum) {
  // init alone: 60 %; later the app: 20 %. The card needs 60 %, not 80 %.
  PodDemand demand;
  demand.containers = {Share(ContainerKind::kInit, 60, 1000), Share(ContainerKind::kApp, 20, 4000)};
  EXPECT_EQ(PeakUse(demand, {{0}, {0}}, {16000}), (std::vector<CardUse>{{60, 1, 4000}}));
}

TEST(PeakUse, ASidecarCountsForInitContainersListedAfterItOnly) {
  // init 50, sidecar 20, init 40, app 10: max(50, 20+40, 20+10) = 60.
  PodDemand demand;
  demand.containers = {Share(ContainerKind::kInit, 50, 1), Share(ContainerKind::kSidecar, 20, 1),
                       Share(ContainerKind::kInit, 40, 1), Share(ContainerKind::kApp, 10, 1)};
  EXPECT_EQ(PeakUse(demand, {{0}, {0}, {0}, {0}}, {16000})[0].core, 60);
}

TEST(PeakUse, AWholeCardTakesAllItsMemory) {
  PodDemand demand;
  ContainerDemand whole = Share(ContainerKind::kApp, 100, 0);
  whole.whole = true;
  whole.cards = 2;
  demand.containers = {whole};
  EXPECT_EQ(PeakUse(demand, {{0, 2}}, {16000, 16000, 24000}),
            (std::vector<CardUse>{{100, 1, 16000}, {0, 0, 0}, {100, 1, 24000}}));
}

}  // namespace
}  // namespace aliquot::model
