// SPDX-License-Identifier: Apache-2.0
// What becomes of a write, checked against what the server really holds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubeclient/cluster_writer.h"
#include "tests/integration/kubeclient_fixture.h"

namespace aliquot::kubeclient {
namespace {

using model::WriteOutcome;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using ::testing::HasSubstr;

class KubeclientWriterTest : public KubeclientTest {
 protected:
  void SetUp() override {
    StartServer();
    server_->store().Put(kPod, PodJson("a"));
    Connect();
    writer_ = std::make_unique<ClusterWriter>(ClusterWriterOptions{}, *transport_, clock_, nullptr);
    uid_ = Pod()["metadata"]["uid"];
  }

  test::FakeApiStore::Json Pod() { return *server_->store().Find(kPod, "team/a"); }
  std::string NodeOfPod() { return Pod()["spec"].value("nodeName", ""); }

  model::WriteReply Bind(const std::string& uid, milliseconds patience = seconds(4)) {
    return writer_->Bind({{"team", "a"}, uid, "n1", {{"tencent.com/predicate-gpu-idx-0", "3"}}},
                         In(patience));
  }

  void Fail(int status) {
    server_->Inject({test::Fault::Kind::kReply, "POST", "binding", 1, status});
  }

  std::unique_ptr<ClusterWriter> writer_;
  std::string uid_;
};

TEST_F(KubeclientWriterTest, ABindSetsNodeAndAnnotationsTogether) {
  const std::int64_t before = server_->store().version();
  EXPECT_TRUE(Bind(uid_).done());
  EXPECT_EQ(server_->store().version(), before + 1) << "one write";
  EXPECT_EQ(NodeOfPod(), "n1");
  EXPECT_EQ(Pod()["metadata"]["annotations"]["tencent.com/predicate-gpu-idx-0"], "3");
}

TEST_F(KubeclientWriterTest, ASecondBindIsAConflict) {
  ASSERT_TRUE(Bind(uid_).done());
  const model::WriteReply again = Bind(uid_);
  EXPECT_EQ(again.outcome, WriteOutcome::kConflict);
  EXPECT_THAT(again.message, HasSubstr("already assigned"));
}

TEST_F(KubeclientWriterTest, AnotherPodOfTheSameNameIsNotTouched) {
  EXPECT_EQ(Bind("uid-of-the-one-before").outcome, WriteOutcome::kNotFound);
  EXPECT_EQ(NodeOfPod(), "");
  EXPECT_EQ(writer_->PatchPod({"team", "a"}, "uid-of-the-one-before", {{"x/y", "z"}}, {}).outcome,
            WriteOutcome::kNotFound);
  EXPECT_FALSE(Pod()["metadata"].contains("annotations"));
}

TEST_F(KubeclientWriterTest, APodThatIsGoneIsNotFound) {
  server_->store().Delete(kPod, "team/a");
  EXPECT_EQ(Bind(uid_).outcome, WriteOutcome::kNotFound);
  EXPECT_EQ(writer_->GetPod({"team", "a"}).outcome, model::PodLookup::Outcome::kNotFound);
}

TEST_F(KubeclientWriterTest, ACutAnswerIsUnknownAndTheBindHappenedOnce) {
  ASSERT_EQ(writer_->GetPod({"team", "a"}).outcome, model::PodLookup::Outcome::kFound);
  server_->Inject({test::Fault::Kind::kDoThenCut, "POST", "binding"});
  EXPECT_EQ(Bind(uid_).outcome, WriteOutcome::kUnknown);
  EXPECT_EQ(NodeOfPod(), "n1");
  EXPECT_EQ(server_->Count("POST", "binding"), 1u);
  const auto lookup = writer_->GetPod({"team", "a"});
  ASSERT_EQ(lookup.outcome, model::PodLookup::Outcome::kFound);
  EXPECT_EQ(lookup.pod.node_name, "n1") << "a lookup settles it";
}

TEST_F(KubeclientWriterTest, ASilentServerIsUnknownAtTheDeadline) {
  server_->Inject({test::Fault::Kind::kSilence, "POST", "binding"});
  const auto started = steady_clock::now();
  EXPECT_EQ(Bind(uid_, milliseconds(200)).outcome, WriteOutcome::kUnknown);
  EXPECT_LT(steady_clock::now() - started, milliseconds(700));
}

TEST_F(KubeclientWriterTest, AServerErrorIsUnknownAndARefusalIsARefusal) {
  Fail(500);
  EXPECT_EQ(Bind(uid_).outcome, WriteOutcome::kUnknown);
  Fail(504);
  EXPECT_EQ(Bind(uid_).outcome, WriteOutcome::kUnknown);
  Fail(429);
  EXPECT_EQ(Bind(uid_).outcome, WriteOutcome::kRefused);
  Fail(403);
  const model::WriteReply refused = Bind(uid_);
  EXPECT_EQ(refused.outcome, WriteOutcome::kRefused);
  EXPECT_THAT(refused.message, HasSubstr("403: injected failure"));
  EXPECT_EQ(NodeOfPod(), "");
  EXPECT_EQ(server_->Count("POST", "binding"), 4u) << "none was tried again";
}

TEST_F(KubeclientWriterTest, WithoutAServerNothingIsWrittenAndThatIsKnown) {
  server_.reset();
  const model::WriteReply reply = Bind(uid_);
  EXPECT_EQ(reply.outcome, WriteOutcome::kRefused);
  EXPECT_THAT(reply.message, HasSubstr("cannot be reached"));
}

TEST_F(KubeclientWriterTest, PatchesLeaveEverythingElseAlone) {
  EXPECT_TRUE(writer_
                  ->PatchPod({"team", "a"}, uid_, {{"aliquot.io/allocation", "{}"}},
                             {{"aliquot.io/gpu", "true"}})
                  .done());
  EXPECT_TRUE(writer_->PatchPod({"team", "a"}, uid_, {{"other/key", "1"}}, {}).done());
  const auto pod = Pod();
  EXPECT_EQ(pod["metadata"]["annotations"]["aliquot.io/allocation"], "{}");
  EXPECT_EQ(pod["metadata"]["annotations"]["other/key"], "1");
  EXPECT_EQ(pod["metadata"]["labels"]["aliquot.io/gpu"], "true");
  EXPECT_EQ(pod["spec"]["containers"].size(), 1u);
}

TEST_F(KubeclientWriterTest, AConditionIsAddedBesideTheOthersAndReplacedByType) {
  auto pod = PodJson("a");
  pod["metadata"]["uid"] = uid_;
  pod["status"]["conditions"] = {{{"type", "PodScheduled"}, {"status", "True"}}};
  server_->store().Put(kPod, pod);
  for (const char* reason : {"NoRoom", "StillNoRoom"}) {
    EXPECT_TRUE(
        writer_
            ->SetPodCondition({"team", "a"}, uid_, {"aliquot.io/Allocated", false, reason, "Why."})
            .done());
  }
  const auto conditions = Pod()["status"]["conditions"];
  ASSERT_EQ(conditions.size(), 2u);
  EXPECT_EQ(conditions[0]["type"], "PodScheduled");
  EXPECT_EQ(conditions[1]["reason"], "StillNoRoom");
}

TEST_F(KubeclientWriterTest, AnEventReachesTheServer) {
  EXPECT_TRUE(
      writer_->PostEvent({{"team", "a"}, uid_, true, "NoRoom", "Stamp", std::string(3000, 'x')})
          .done());
  const auto events = server_->store().Events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0]["regarding"]["name"], "a");
  EXPECT_LE(events[0]["note"].get<std::string>().size(), 1024u);
}

}  // namespace
}  // namespace aliquot::kubeclient
