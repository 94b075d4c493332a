// SPDX-License-Identifier: Apache-2.0
// MAPA's model, its policies and its replay on nodes small enough to work out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "scoring/policy_registry.h"
#include "simulate/effective_bandwidth.h"
#include "simulate/mapa_jobs.h"
#include "simulate/mapa_policy.h"
#include "simulate/mapa_replay.h"
#include "simulate/service_chooser.h"
#include "topology/read_pair_list.h"

namespace aliquot::simulate {
namespace {

using topology::CardSet;

// Cards 0 and 1 over two NVLinks, 1 and 2 over one; the rest PCIe at 10 GB/s.
topology::Description FourCards() {
  return *topology::ReadPairList(
      "gpu_a,gpu_b,bw_gbps,link\n1,2,50,DoubleNVLink\n2,3,25,SingleNVLink\n3,4,10,PCIe\n", "t.csv");
}

MapaJob Job(int gpus, bool sensitive, std::int64_t service = 10) {
  return {gpus, service, sensitive};
}

std::string JobError(const std::string& row) {
  const auto jobs = ParseMapaJobs(row + "\n", "j.csv");
  return jobs.ok() ? "no error" : jobs.status().message();
}

TEST(EffectiveBandwidth, HasThePublishedValuesOfPairs) {
  EXPECT_NEAR(EffectiveBandwidth({2, 0, 0}), 58.9, 0.05);
  EXPECT_NEAR(EffectiveBandwidth({0, 2, 0}), 27.7, 0.05);
  EXPECT_NEAR(EffectiveBandwidth({0, 0, 2}), 10.4, 0.05);
}

TEST(RingModel, CountsAPairThereAndBack) {
  const RingModel model(FourCards());
  const RingFigures pair = model.Rings(0b0011);
  EXPECT_EQ(pair.best_aggregate, 100);
  EXPECT_DOUBLE_EQ(pair.best_effective, EffectiveBandwidth({2, 0, 0}));
  EXPECT_EQ(model.Rings(0b0001).best_aggregate, 0) << "one card has no ring";
}

// The ring of cards 0, 1, 2: 50 + 25 + 10, whatever the order.
TEST(RingModel, SumsTheEdgesOfARing) {
  const RingModel model(FourCards());
  EXPECT_EQ(model.Rings(0b0111).best_aggregate, 85);
  EXPECT_DOUBLE_EQ(model.Rings(0b0111).best_effective, EffectiveBandwidth({1, 1, 1}));
}

// Four cards: 0-1-2-3 has 50 + 25 + 10 + 10 = 95; 0-1-3-2 has 50 + 10 + 10 + 10 = 80 and 0-2-1-3
// has 10 + 25 + 10 + 10 = 55.
TEST(RingModel, TakesTheBestOrder) {
  const RingModel model(FourCards());
  const RingFigures ring = model.Rings(0b1111);
  EXPECT_EQ(ring.best_aggregate, 95);
  EXPECT_DOUBLE_EQ(ring.effective_of_best, EffectiveBandwidth({1, 1, 2}));
  EXPECT_DOUBLE_EQ(ring.best_effective,
                   std::max({EffectiveBandwidth({1, 1, 2}), EffectiveBandwidth({1, 0, 3}),
                             EffectiveBandwidth({0, 1, 3})}));
}

TEST(RingModel, SumsNvlinksOnly) {
  const RingModel model(FourCards());
  EXPECT_EQ(model.NvlinkSum(0b0111), 75);
  EXPECT_EQ(model.NvlinkSum(0b1100), 0);
}

TEST(MapaPolicies, ChooseAsTheirRulesSay) {
  const RingModel model(FourCards());
  const auto choose = [&model](std::string_view name, CardSet free, const MapaJob& job) {
    return MakeMapaPolicy(name, model)->Choose(free, job);
  };
  EXPECT_EQ(choose("baseline", 0b1110, Job(2, true)), CardSet{0b0110});
  EXPECT_EQ(choose("greedy", 0b1111, Job(2, true)), CardSet{0b0011}) << "100 GB/s there and back";
  EXPECT_EQ(choose("preserve", 0b1111, Job(2, true)), CardSet{0b0011});
  // Insensitive: 2 and 3 leave the 50 GB/s link whole.
  EXPECT_EQ(choose("preserve", 0b1111, Job(2, false)), CardSet{0b1100});
  // One card: 3 leaves all 75 GB/s of NVLink.
  EXPECT_EQ(choose("preserve", 0b1111, Job(1, true)), CardSet{0b1000});
  EXPECT_EQ(choose("greedy", 0b1111, Job(1, true)), CardSet{0b0001}) << "all equal: the lowest";
  EXPECT_EQ(MakeMapaPolicy("composite", model), nullptr);
}

// Eight cards in groups of four: 0 to 2 are taken, so two cards fit no group before 4 to 7.
TEST(MapaPolicies, TopoAwareStaysInAGroupForSmallJobs) {
  const auto policy = MakeMapaTopoAware(8);
  EXPECT_EQ(policy->Choose(0b11111000, Job(2, true)), CardSet{0b00110000});
  EXPECT_EQ(policy->Choose(0b11111000, Job(4, true)), CardSet{0b01111000}) << "as large as a group";
  EXPECT_EQ(MakeMapaTopoAware(6)->Choose(0b111100, Job(2, true)), CardSet{0b011000});
}

TEST(ServiceChooser, TakesTheBestConnectedSetForASensitiveJob) {
  const auto chooser = MakeServiceChooser(FourCards(), *scoring::FindPolicy("composite"));
  ASSERT_TRUE(chooser.ok()) << chooser.status().message();
  EXPECT_EQ((*chooser)->Choose(0b1111, Job(2, true)), CardSet{0b0011});
  EXPECT_EQ((*chooser)->Choose(0b1110, Job(2, true)), CardSet{0b0110}) << "only free cards";
}

// Three jobs on four cards. The second needs 3 and waits for the first until tick 10; the third
// would fit beside the first at once but stands behind the second, which leaves card 3 (one card is
// no ring, so nothing is counted for it).
TEST(ReplayMapa, TheHeadOfTheQueueBlocks) {
  const RingModel model(FourCards());
  const auto policy = MakeMapaPolicy("baseline", model);
  MapaOutcome outcome;
  const std::vector<MapaJob> jobs = {Job(2, true, 10), Job(3, false, 5), Job(2, true, 5)};
  ASSERT_TRUE(ReplayMapa(model, jobs, *policy, outcome).ok());
  EXPECT_EQ(outcome.jobs, 3u);
  // The third starts at 15, alone again on cards 0 and 1: started at once it would have had 2, 3.
  ASSERT_EQ(outcome.best_order.sensitive.size(), 2u);
  EXPECT_DOUBLE_EQ(outcome.best_order.sensitive[0], EffectiveBandwidth({2, 0, 0}));
  EXPECT_DOUBLE_EQ(outcome.best_order.sensitive[1], EffectiveBandwidth({2, 0, 0}));
  ASSERT_EQ(outcome.best_order.insensitive.size(), 1u);
  EXPECT_DOUBLE_EQ(outcome.best_order.insensitive[0], EffectiveBandwidth({1, 1, 1}));
}

TEST(ReplayMapa, RefusesAJobLargerThanTheNode) {
  const RingModel model(FourCards());
  const auto policy = MakeMapaPolicy("baseline", model);
  MapaOutcome outcome;
  EXPECT_EQ(ReplayMapa(model, {Job(5, true)}, *policy, outcome).message(),
            "a job asks for 5 GPUs and the node has 4; use a larger node or smaller jobs");
}

// Of 10, 20, 30, 40: p25 lies three quarters of the way from 10 to 20.
TEST(BandwidthSummary, InterpolatesBetweenRanks) {
  const BandwidthSummary summary = SummaryOf({40, 10, 30, 20});
  EXPECT_EQ(summary.jobs, 4u);
  EXPECT_DOUBLE_EQ(summary.mean, 25);
  EXPECT_DOUBLE_EQ(summary.p25, 17.5);
  EXPECT_DOUBLE_EQ(summary.median, 25);
  EXPECT_EQ(SummaryOf({}).mean, 0);
}

TEST(MapaJobs, AreRead) {
  const auto jobs = ParseMapaJobs("5,ring,0,7,1,inception-v3.sh\n1,ring,3,20,0,a.sh\n", "j.csv");
  ASSERT_TRUE(jobs.ok()) << jobs.status().message();
  ASSERT_EQ(jobs->size(), 2u);
  EXPECT_EQ((*jobs)[0].gpus, 5);
  EXPECT_EQ((*jobs)[0].service, 7);
  EXPECT_TRUE((*jobs)[0].sensitive);
  EXPECT_FALSE((*jobs)[1].counts_links());
}

TEST(MapaJobs, AreRefusedWithFileAndLine) {
  EXPECT_EQ(
      JobError("5,ring,0,7,1"),
      "j.csv:1: the line has 5 fields; give numGpus,pattern,arrival,service,bwSensitive,task");
  EXPECT_EQ(JobError("0,ring,0,7,1,a"), "j.csv:1: numGpus is 0; a job needs at least 1");
  EXPECT_EQ(JobError("9,ring,0,7,1,a"),
            "j.csv:1: numGpus is \"9\"; use a whole number from 0 to 8");
  EXPECT_EQ(JobError("2,star,0,7,1,a"), "j.csv:1: pattern is \"star\"; only ring can be replayed");
  EXPECT_EQ(JobError("2,ring,0,-7,1,a"),
            "j.csv:1: service is \"-7\"; use a whole number from 0 to 1000000000");
  EXPECT_EQ(JobError("2,ring,0,7,2,a"),
            "j.csv:1: bwSensitive is \"2\"; use a whole number from 0 to 1");
}

}  // namespace
}  // namespace aliquot::simulate
