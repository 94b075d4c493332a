// SPDX-License-Identifier: Apache-2.0
#include "ledger/seen_hold.h"

#include "api/allocation_codec.h"
#include "tests/unit/ledger/ledger_fixture.h"

namespace aliquot::ledger {
namespace {

class SeenHoldTest : public LedgerFixture {
 protected:
  model::Pod Recorded() {
    ledger_.SetNode(NodeOf("n1", 2));
    const model::Pod pod = PodOf("a", 20, 15);
    return BoundWith(pod, Commit(pod, "n1"));
  }
  static std::string ProblemOf(const model::Pod& pod) {
    return ReadBoundPod(pod, model::ResourceNames()).problem;
  }
  static void Edit(model::Pod& pod, const std::function<void(model::Allocation&)>& edit) {
    std::string& text = pod.annotations[std::string(model::kAllocationAnnotation)];
    model::Allocation record = *api::ParseAllocation(text);
    edit(record);
    text = api::FormatAllocation(record);
  }
};

TEST_F(SeenHoldTest, ARecordThatAgreesIsTaken) {
  const SeenHold seen = ReadBoundPod(Recorded(), model::ResourceNames());
  EXPECT_EQ(seen.kind, SeenKind::kHold);
  EXPECT_EQ(seen.hold.source, HoldSource::kRecord);
  EXPECT_EQ(seen.problem, "");
}

TEST_F(SeenHoldTest, ARecordOfAnotherPodIsNotTaken) {
  model::Pod pod = Recorded();
  Edit(pod, [](model::Allocation& record) { record.uid = "uid-other"; });
  EXPECT_EQ(ProblemOf(pod),
            "annotation aliquot.io/allocation cannot be used: uid is \"uid-other\", not this "
            "pod's; delete the "
            "pod to get a new one");
}

TEST_F(SeenHoldTest, ARecordCannotClaimLessThanTheSpec) {
  model::Pod pod = Recorded();
  Edit(pod, [](model::Allocation& record) { record.containers[0].cards[0].core = 1; });
  EXPECT_NE(ProblemOf(pod), "");
  EXPECT_EQ(ReadBoundPod(pod, model::ResourceNames()).hold.source, HoldSource::kWholeNode);
}

TEST_F(SeenHoldTest, ARecordForAnotherNodeOrContainerIsNotTaken) {
  model::Pod pod = Recorded();
  Edit(pod, [](model::Allocation& record) { record.node = "n9"; });
  EXPECT_NE(ProblemOf(pod), "");
  pod = Recorded();
  Edit(pod, [](model::Allocation& record) { record.containers[0].name = "other"; });
  EXPECT_NE(ProblemOf(pod), "");
}

TEST_F(SeenHoldTest, ARecordCountsAsItWasGivenWhateverTheAnnotationsSayNow) {
  ledger_.SetNode(NodeOf("n1", 4));
  model::Pod pod = PodOf("a", 40, 16);
  pod.annotations["aliquot.io/gpu-count"] = "4";
  pod = BoundWith(pod, Commit(pod, "n1"));
  for (const char* edited : {"4", "2", "3", "nonsense"}) {
    pod.annotations["aliquot.io/gpu-count"] = edited;
    SeenHold seen = ReadBoundPod(pod, model::ResourceNames());
    EXPECT_EQ(seen.problem, "") << edited;
    ASSERT_EQ(seen.hold.source, HoldSource::kRecord) << edited;
    ResolveUses(NodeOf("n1", 4).inventory.get(), seen.hold);
    // 40 % and 16 units of 256 MiB on four cards.
    ASSERT_EQ(seen.hold.uses.size(), 4u) << edited;
    EXPECT_EQ(seen.hold.uses[3].second, (model::CardUse{10, 1, 1024})) << edited;
  }
  pod.annotations.erase("aliquot.io/gpu-count");
  pod.annotations["tencent.com/vcuda-core-limit"] = "half";
  EXPECT_EQ(ReadBoundPod(pod, model::ResourceNames()).hold.source, HoldSource::kRecord);
}

TEST_F(SeenHoldTest, ARecordOnMoreCardsCannotClaimLess) {
  ledger_.SetNode(NodeOf("n1", 4));
  model::Pod pod = PodOf("a", 40, 16);
  pod.annotations["aliquot.io/gpu-count"] = "4";
  pod = BoundWith(pod, Commit(pod, "n1"));
  Edit(pod, [](model::Allocation& record) { record.containers[0].cards.pop_back(); });
  EXPECT_NE(ProblemOf(pod), "");
  pod = Recorded();
  Edit(pod, [](model::Allocation& record) {
    model::AllocatedCard more = record.containers[0].cards[0];
    more.uuid += "-more";
    record.containers[0].cards.push_back(more);  // 2 x 20 %, the pod asks for 20
  });
  EXPECT_NE(ProblemOf(pod), "");
}

TEST_F(SeenHoldTest, WithoutARecordMalformedAnnotationsStopAWaitingPodAndFreeNoRunningOne) {
  model::Pod pod = Bound(PodOf("a", 20, 15), "n1");
  pod.annotations["aliquot.io/gpu-count"] = "nonsense";
  EXPECT_EQ(ReadBoundPod(pod, model::ResourceNames()).kind, SeenKind::kUnreadable);
  pod.phase = model::PodPhase::kRunning;
  EXPECT_EQ(ReadBoundPod(pod, model::ResourceNames()).hold.source, HoldSource::kUnknownRunning);
  pod.annotations["tencent.com/predicate-gpu-idx-0"] = "1";
  EXPECT_EQ(ReadBoundPod(pod, model::ResourceNames()).hold.source, HoldSource::kIndex);
}

TEST_F(SeenHoldTest, ADemandThatBreaksTheResourceModelIsReported) {
  model::Pod pod = Bound(PodOf("a", 150, 0), "n1");
  const SeenHold seen = ReadBoundPod(pod, model::ResourceNames());
  EXPECT_EQ(seen.kind, SeenKind::kUnreadable);
  EXPECT_NE(seen.problem, "");
}

TEST_F(SeenHoldTest, InitContainersAdoptedByIndexSitOnTheAppContainersCards) {
  model::Pod pod = Bound(PodOf("a", 20, 15), "n1");
  model::GpuContainer init = pod.gpu_containers[0];
  init.name = "init";
  init.kind = model::ContainerKind::kInit;
  init.quantities[0].text = "60";
  pod.gpu_containers.insert(pod.gpu_containers.begin(), init);
  pod.annotations["tencent.com/predicate-gpu-idx-0"] = "1";
  SeenHold seen = ReadBoundPod(pod, model::ResourceNames());
  ASSERT_EQ(seen.hold.source, HoldSource::kIndex);
  ResolveUses(NodeOf("n1", 2).inventory.get(), seen.hold);
  ASSERT_EQ(seen.hold.uses.size(), 1u);
  EXPECT_EQ(seen.hold.uses[0].first, 1);
  EXPECT_EQ(seen.hold.uses[0].second.core, 60);  // the init container's peak
}

}  // namespace
}  // namespace aliquot::ledger
