// SPDX-License-Identifier: Apache-2.0
#include "agent/enforcement/process_end.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace aliquot::agent {
namespace {

constexpr char kUid[] = "1f0e0000-0000-4000-8000-000000000001";
const std::string kContainer(64, 'c');

// A child of this test that waits to be ended, and a /proc that says which container it is in.
class ProcessEnd : public testing::Test {
 protected:
  ProcessEnd() {
    std::string name = (std::filesystem::temp_directory_path() / "proc-XXXXXX").string();
    proc_ = mkdtemp(name.data());
    child_ = fork();
    if (child_ == 0) {
      for (;;) {
        pause();
      }
    }
    const std::string folder = proc_ + "/" + std::to_string(child_);
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/stat")
        << std::ifstream("/proc/" + std::to_string(child_) + "/stat").rdbuf();
    PutInto(kContainer);
  }
  ~ProcessEnd() override {
    if (!reaped_) {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
    }
    std::filesystem::remove_all(proc_);
  }

  void PutInto(const std::string& container) {
    std::ofstream(proc_ + "/" + std::to_string(child_) + "/cgroup")
        << "0::/kubepods/pod" << kUid << "/" << container << "\n";
  }
  ProcessToEnd Decided() const {
    return {child_, reader().StartTicks(child_).value_or(0), {kUid, kContainer}};
  }
  ProcessReader reader() const { return ProcessReader(proc_); }
  bool Lives() { return waitpid(child_, nullptr, WNOHANG) == 0; }

  std::string proc_;
  pid_t child_ = 0;
  bool reaped_ = false;
};

TEST_F(ProcessEnd, EndsExactlyThatProcessWithSigkill) {
  const Status ended = EndProcess(Decided(), reader());
  ASSERT_TRUE(ended.ok()) << ended.message();
  int status = 0;
  ASSERT_EQ(waitpid(child_, &status, 0), child_);
  reaped_ = true;
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

TEST_F(ProcessEnd, AProcessThatTookTheNumberIsLeftAlone) {
  ProcessToEnd decided = Decided();
  decided.start_ticks += 1;
  EXPECT_EQ(EndProcess(decided, reader()).code(), StatusCode::kNotFound);
  EXPECT_TRUE(Lives());
}

TEST_F(ProcessEnd, AProcessOfAnotherContainerIsLeftAlone) {
  const ProcessToEnd decided = Decided();
  PutInto(std::string(64, 'd'));
  EXPECT_EQ(EndProcess(decided, reader()).code(), StatusCode::kNotFound);
  EXPECT_TRUE(Lives());
}

TEST_F(ProcessEnd, AProcessOfNoContainerIsLeftAlone) {
  ProcessToEnd decided = Decided();
  decided.owner = {};
  std::ofstream(proc_ + "/" + std::to_string(child_) + "/cgroup") << "0::/system.slice\n";
  EXPECT_EQ(EndProcess(decided, reader()).code(), StatusCode::kNotFound);
  EXPECT_TRUE(Lives());
}

TEST_F(ProcessEnd, OneThatIsGoneIsNotFound) {
  const ProcessToEnd decided = Decided();
  kill(child_, SIGKILL);
  waitpid(child_, nullptr, 0);
  reaped_ = true;
  EXPECT_EQ(EndProcess(decided, reader()).code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace aliquot::agent
