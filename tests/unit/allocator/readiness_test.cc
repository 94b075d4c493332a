// SPDX-License-Identifier: Apache-2.0
#include "allocator/readiness.h"

#include <gmock/gmock.h>

namespace aliquot::allocator {
namespace {

using testing::ElementsAre;

TEST(Readiness, NamesEveryReason) {
  reconcile::SyncState sync;
  Readiness readiness(sync);
  EXPECT_THAT(readiness.Reasons(),
              ElementsAre("not synced yet: the first list of nodes is not complete",
                          "not synced yet: the first list of pods is not complete"));
  sync.NodesListed();
  EXPECT_FALSE(readiness.synced());
  EXPECT_THAT(readiness.Reasons(),
              ElementsAre("not synced yet: the first list of pods is not complete"));
  sync.PodsListed();
  EXPECT_TRUE(readiness.synced());
  EXPECT_THAT(readiness.Reasons(), ElementsAre());
}

TEST(Readiness, DrainingIsNotReadyButStillAnswers) {
  reconcile::SyncState sync;
  sync.NodesListed();
  sync.PodsListed();
  Readiness readiness(sync);
  readiness.StartDraining();
  EXPECT_TRUE(readiness.synced());
  EXPECT_THAT(readiness.Reasons(), ElementsAre("draining: the process was asked to end"));
}

}  // namespace
}  // namespace aliquot::allocator
