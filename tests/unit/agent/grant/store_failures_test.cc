// SPDX-License-Identifier: Apache-2.0
// What the store does when the file system fails it: a clear refusal, and nothing half done.
#include <cerrno>
#include <map>

#include "agent/grant/cdi_spec.h"
#include "tests/unit/agent/grant/store_fixture.h"

namespace aliquot::agent {
namespace {

// Fails one call: the `at`-th one that changes anything, counted from 1; 0 = none.
class FailingFiles final : public PlainFiles {
 public:
  int at = 0;
  int error = ENOSPC;
  mutable int calls = 0;

  int MakeDirectory(const std::string& path, mode_t mode) const override {
    return Fails() ? error : PlainFiles::MakeDirectory(path, mode);
  }
  int WriteNew(const std::string& path, std::string_view text, mode_t mode) const override {
    return Fails() ? error : PlainFiles::WriteNew(path, text, mode);
  }
  int MakeLink(const std::string& target, const std::string& path) const override {
    return Fails() ? error : PlainFiles::MakeLink(target, path);
  }
  int Rename(const std::string& from, const std::string& to) const override {
    return Fails() ? error : PlainFiles::Rename(from, to);
  }
  int Exchange(const std::string& a, const std::string& b) const override {
    return Fails() ? error : PlainFiles::Exchange(a, b);
  }

 private:
  bool Fails() const { return ++calls == at; }
};

class StoreFailures : public StoreTest {
 protected:
  const FileSystem& files() override { return failing_; }

  FailingFiles failing_;
};

// Each call that a write makes fails once, on an empty place.
TEST_F(StoreFailures, WhicheverStepFailsThereIsNoHalfGrant) {
  Start(/*cdi=*/true);
  const GrantPlan plan = Plan(Ids(0, 20), "u-1");
  int failures = 0;
  for (int at = 1;; ++at) {
    failing_.calls = 0;
    failing_.at = at;
    const auto refusal = store_->Write(plan);
    failing_.at = 0;
    if (!refusal) {
      break;
    }
    ++failures;
    EXPECT_EQ(refusal->reason, RefusalReason::kStorage);
    EXPECT_NE(refusal->sentence.find("No space left on device"), std::string::npos)
        << refusal->sentence;
    EXPECT_FALSE(Exists(layout_.Grant(plan.record.name))) << "call " << at;
    EXPECT_TRUE(Names(directory_ / "cdi").empty()) << "call " << at;
    EXPECT_TRUE(Names(layout_.Building()).empty()) << "call " << at;
    EXPECT_FALSE(store_->Find(plan.record.name)) << "call " << at;
  }
  EXPECT_GT(failures, 15);
  EXPECT_TRUE(Exists(layout_.Devices(plan.record.name) + "/nvidia3"));
}

// The same where an older grant of the container lies: it is untouched.
TEST_F(StoreFailures, WhicheverStepFailsTheOlderGrantStays) {
  Start(/*cdi=*/true);
  const GrantPlan old = Plan(Ids(0, 20), "u-1", "GPU-1");
  const std::string grant = Written(old);
  const std::string spec = ReadAll(directory_ / ("cdi/" + CdiSpecFile(old.record.name)));
  const GrantPlan plan = Plan(Ids(0, 20), "u-1", "GPU-2");
  int failures = 0;
  for (int at = 1;; ++at) {
    failing_.calls = 0;
    failing_.at = at;
    const auto refusal = store_->Write(plan);
    failing_.at = 0;
    if (!refusal) {
      break;
    }
    ++failures;
    EXPECT_TRUE(Exists(grant + "/dev/nvidia1")) << "call " << at;
    EXPECT_FALSE(Exists(grant + "/dev/nvidia2")) << "call " << at;
    EXPECT_EQ(ReadAll(directory_ / ("cdi/" + CdiSpecFile(old.record.name))), spec);
    EXPECT_TRUE(Names(layout_.Building()).empty()) << "call " << at;
  }
  EXPECT_GT(failures, 12);
  EXPECT_TRUE(Exists(grant + "/dev/nvidia2"));
}

TEST_F(StoreFailures, TheSentenceNamesDirectoryStepReasonAndRemedyAndIsTheSameEachTime) {
  Start();
  const GrantPlan plan = Plan(Ids(0, 20), "u-1");
  const std::string expected =
      "container main of pod ml/u-1 cannot be given its cards: " + (directory_ / "state") +
      " is not written: making a directory: Read-only file system; mount it writable for the agent";
  for (int i = 0; i < 2; ++i) {
    failing_.calls = 0;
    failing_.at = 1;
    failing_.error = EROFS;
    const auto refusal = store_->Write(plan);
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->sentence, expected);
  }
}

// Where a grant cannot be taken away, the kubelet must not hear that all is well.
TEST_F(StoreFailures, AGrantThatCannotBeRetiredIsAnError) {
  Start();
  const GrantPlan plan = Plan(Ids(0, 20), "u-1");
  Written(plan);
  failing_.calls = 0;
  failing_.at = 1;
  failing_.error = EROFS;
  const auto retired = store_->Retire(plan.record.name);
  ASSERT_FALSE(retired.ok());
  EXPECT_EQ(retired.status().message(),
            (directory_ / "state") +
                " is not written: taking away an older grant of the same device IDs: Read-only "
                "file system; mount it writable for the agent");
  EXPECT_TRUE(store_->Find(plan.record.name)) << "it lies there still";
  EXPECT_EQ(store_->Remove("u-1"), 1u);
}

TEST_F(StoreFailures, AStateDirectoryThatCannotBeMadeStopsTheStart) {
  WriteAll(directory_ / "state", "a file");
  GrantStore store(Options(false), plain_, clock_);
  const auto recovered = store.Recover(kBootId);
  ASSERT_FALSE(recovered.ok());
  EXPECT_EQ(recovered.status().message(),
            (directory_ / "state") +
                " is not written: making the directory: Not a directory; see that the agent may "
                "write there");
}

}  // namespace
}  // namespace aliquot::agent
