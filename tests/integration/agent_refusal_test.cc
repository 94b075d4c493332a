// SPDX-License-Identifier: Apache-2.0
// Who has no good record is refused with one sentence, in the pod's status and as an event, and
// starts by itself once the reason is gone.
#include "model/names.h"
#include "signing/signer.h"
#include "tests/integration/agent_fixture.h"
#include "tests/support/test_keys.h"

namespace aliquot::agent {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kRecord(model::kAllocationAnnotation);
const std::string kSignature(model::kAllocationSignatureAnnotation);

class AgentRefusal : public AgentTest {};

TEST_F(AgentRefusal, WithoutARecordAContainerWaitsAndThenStartsByItself) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  AdmitWithRecord(pod, "");
  EXPECT_THAT(Refused(pod, "work"),
              AllOf(HasSubstr("no_allocation: "), HasSubstr("default/a"), HasSubstr(kRecord)));
  ASSERT_TRUE(Eventually([&] { return EventsOf("a").size() == 1; }));
  EXPECT_THAT(EventsOf("a")[0], HasSubstr("GpuGrantRefused: container work: no_allocation: "));
  EXPECT_EQ(Metric("aliquot_agent_refusals_total{reason=\"no_allocation\"}"), "1");
  EXPECT_THAT(NamesIn(State("/grants")), IsEmpty());
  SetAnnotation("a", kRecord, RecordOf(pod));
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({1}));
}

TEST_F(AgentRefusal, TheKubeletsRepeatsAreOneEvent) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  AdmitWithRecord(pod, "");
  const std::string first = Refused(pod, "work");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Refused(pod, "work"), first) << "the sentence is the same for the same state";
  }
  ASSERT_TRUE(Eventually([&] { return EventsOf("a").size() == 1; }));
  EXPECT_EQ(Metric("aliquot_agent_refusals_total{reason=\"no_allocation\"}"), "4");
  EXPECT_THAT(EventsOf("a"), SizeIs(1));
}

TEST_F(AgentRefusal, ARecordOfAnotherPodsUidIsRefused) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  TestPod other = pod;
  other.uid = "uid-other";
  AdmitWithRecord(pod, RecordOf(other));
  EXPECT_THAT(Refused(pod, "work"), HasSubstr("wrong_pod: "));
}

TEST_F(AgentRefusal, APodMadeAnewUnderTheSameNameWithTheOldRecordIsRefused) {
  StartReady();
  const TestPod old = OneShare("a", Uuid(1));
  Admit(old);
  ASSERT_EQ(StartsWithin(old, "work"), Nodes({1}));
  Remove(old);
  TestPod again = old;
  again.uid = "uid-again";
  Json copied = PodJson(again);
  copied["metadata"]["annotations"][kRecord] = RecordOf(old);
  ASSERT_TRUE(Eventually([&] { return NamesIn(State("/grants")).empty(); }));
  Put(copied);
  ASSERT_TRUE(kubelet_->Admit(KubeletPod(again)).ok());
  EXPECT_THAT(Refused(again, "work"), AllOf(HasSubstr("wrong_pod: "), HasSubstr("uid-again")));
}

TEST_F(AgentRefusal, ARecordForAnotherNodeIsRefused) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  std::string record = RecordOf(pod);
  record.replace(record.find("\"n1\""), 4, "\"n2\"");
  AdmitWithRecord(pod, record);
  EXPECT_THAT(Refused(pod, "work"), HasSubstr("wrong_node: "));
}

TEST_F(AgentRefusal, ARecordOfAnotherSizeIsRefused) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1), 20);
  AdmitWithRecord(pod, RecordOf(OneShare("a", Uuid(1), 30)));
  EXPECT_THAT(Refused(pod, "work"), HasSubstr("size_mismatch: "));
}

TEST_F(AgentRefusal, ARecordOfALaterVersionIsRefused) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  AdmitWithRecord(pod, R"({"v":7,"uid":"uid-a","node":"n1","containers":{}})");
  EXPECT_THAT(Refused(pod, "work"), HasSubstr("record_version: "));
}

TEST_F(AgentRefusal, APodBeingDeletedStartsNothing) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  Json ending = PodJson(pod);
  ending["metadata"]["deletionTimestamp"] = "2026-11-29T11:00:00Z";
  AdmitShown(pod, ending);
  EXPECT_THAT(Refused(pod, "work"), HasSubstr("pod_deleting: "));
}

TEST_F(AgentRefusal, ACardThatThisNodeDoesNotHaveIsRefused) {
  StartReady();
  const TestPod pod = OneShare("a", "GPU-of-another-node");
  Admit(pod);
  EXPECT_THAT(Refused(pod, "work"),
              AllOf(HasSubstr("card_unhealthy: "), HasSubstr("GPU-of-another-node")));
}

TEST_F(AgentRefusal, MoreThanACardHasIsNeverGiven) {
  StartReady();
  const TestPod first = OneShare("first", Uuid(1), 60, 7680);
  const TestPod second = OneShare("second", Uuid(1), 60, 7680);
  Admit(first);
  Admit(second);
  ASSERT_EQ(StartsWithin(first, "work"), Nodes({1}));
  EXPECT_THAT(Refused(second, "work"), HasSubstr("card_busy: "));
  Remove(first);
  EXPECT_EQ(StartsWithin(second, "work"), Nodes({1}));
}

// Records are signed once keys are configured: a tenant who may edit its pod's annotations gains
// nothing.
class AgentSignature : public AgentTest {
 protected:
  AgentSignature() : keys_(test::NewKey()) {
    configuration_.signing_public_keys = directory_.Write("keys.pem", keys_.public_key);
    signer_ = std::make_unique<signing::Signer>(directory_.Write("key.pem", keys_.private_key));
    EXPECT_TRUE(signer_->Refresh().ok());
  }
  void AdmitSigned(const TestPod& pod) {
    Admit(pod);
    SetAnnotation(pod.name, kSignature, *signer_->Sign(RecordOf(pod)));
  }

  test::KeyTexts keys_;
  std::unique_ptr<signing::Signer> signer_;
};

TEST_F(AgentSignature, ASignedRecordIsObeyed) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  AdmitSigned(pod);
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({1}));
}

TEST_F(AgentSignature, ARecordForgedForAFreeCardIsRefused) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  Json forged = PodJson(pod);
  forged["metadata"]["annotations"] = {{kRecord, RecordOf(OneShare("a", Uuid(3)))},
                                       {kSignature, *signer_->Sign(RecordOf(pod))}};
  AdmitShown(pod, forged);
  EXPECT_THAT(Refused(pod, "work"), HasSubstr("bad_signature: "));
  EXPECT_THAT(NamesIn(State("/grants")), IsEmpty());
  SetAnnotation("a", kRecord, RecordOf(pod));
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({1}));
}

TEST_F(AgentSignature, ARecordWithoutSignatureIsRefused) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  EXPECT_THAT(Refused(pod, "work"), HasSubstr("bad_signature: "));
}

TEST_F(AgentSignature, ARecordSignedByAnotherKeyIsRefused) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  signing::Signer other(directory_.Write("other.pem", test::NewKey().private_key));
  ASSERT_TRUE(other.Refresh().ok());
  Admit(pod);
  SetAnnotation("a", kSignature, *other.Sign(RecordOf(pod)));
  EXPECT_THAT(Refused(pod, "work"), HasSubstr("bad_signature: "));
}

TEST_F(AgentSignature, AKeyThatIsReplacedWhileTheAgentRunsIsTaken) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  const test::KeyTexts fresh = test::NewKey();
  signing::Signer signer(directory_.Write("fresh.pem", fresh.private_key));
  ASSERT_TRUE(signer.Refresh().ok());
  Admit(pod);
  SetAnnotation("a", kSignature, *signer.Sign(RecordOf(pod)));
  EXPECT_THAT(Refused(pod, "work"), HasSubstr("bad_signature: "));
  directory_.Write("keys.pem", keys_.public_key + fresh.public_key);
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({1}));
}

TEST_F(AgentSignature, AFilledGrantForgedOnDiskIsRefusedWhileTheApiServerIsAway) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  AdmitSigned(pod);
  ASSERT_EQ(StartsWithin(pod, "work"), Nodes({1}));
  KillAgent();
  // Another key's node: what was signed before is not trusted any more.
  configuration_.signing_public_keys = directory_.Write("keys.pem", test::NewKey().public_key);
  StopApiServer();
  ASSERT_NO_FATAL_FAILURE(Start());
  ASSERT_TRUE(WaitForDevices(400));
  EXPECT_THAT(Refused(pod, "work"), HasSubstr("bad_signature: "));
}

}  // namespace
}  // namespace aliquot::agent
