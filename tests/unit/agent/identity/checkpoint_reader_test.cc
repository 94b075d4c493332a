// SPDX-License-Identifier: Apache-2.0
#include "agent/identity/checkpoint_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace aliquot::agent {
namespace {

using ::testing::HasSubstr;

class CheckpointReaderTest : public ::testing::Test {
 protected:
  CheckpointReaderTest() {
    std::string pattern = ::testing::TempDir() + "checkpoint-XXXXXX";
    directory_ = mkdtemp(pattern.data());
    path_ = directory_ + "/kubelet_internal_checkpoint";
  }
  ~CheckpointReaderTest() override { std::filesystem::remove_all(directory_); }

  // As the kubelet does: beside it, then renamed.
  void Write(const std::string& text) {
    std::ofstream(path_ + ".new") << text;
    std::filesystem::rename(path_ + ".new", path_);
  }
  static std::string WithContainer(const std::string& name) {
    return R"({"Data":{"PodDeviceEntries":[{"PodUID":"u1","ContainerName":")" + name +
           R"(","ResourceName":"core","DeviceIDs":{"-1":["c1"]}}]},"Checksum":1})";
  }

  std::string directory_;
  std::string path_;
};

TEST_F(CheckpointReaderTest, SeesEachNewFileAndParsesItOnce) {
  CheckpointReader reader(path_, "core");
  Write(WithContainer("a"));
  for (int i = 0; i < 3; ++i) {
    const auto checkpoint = reader.Read();
    ASSERT_TRUE(checkpoint.ok()) << checkpoint.status().message();
    EXPECT_EQ((*checkpoint)->entries.at(0).container, "a");
  }
  EXPECT_EQ(reader.parses(), 1u);
  Write(WithContainer("b"));  // as long as the one before
  EXPECT_EQ((*reader.Read())->entries.at(0).container, "b");
  EXPECT_EQ(reader.parses(), 2u);
}

TEST_F(CheckpointReaderTest, ThirtyThatAskAtOnceShareOneParse) {
  CheckpointReader reader(path_, "core");
  Write(WithContainer("a"));
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 30; ++i) {
    threads.emplace_back([&] {
      const auto checkpoint = reader.Read();
      if (checkpoint.ok() && (*checkpoint)->entries.size() == 1) ++good;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 30);
  EXPECT_EQ(reader.parses(), 1u);
}

TEST_F(CheckpointReaderTest, AnUnreadableFileIsAnErrorThatNamesItUntilTheNext) {
  CheckpointReader reader(path_, "core");
  Write(WithContainer("a"));
  ASSERT_TRUE(reader.Read().ok());
  Write(WithContainer("a").substr(0, 40));
  for (int i = 0; i < 2; ++i) {
    const auto cut = reader.Read();
    ASSERT_FALSE(cut.ok()) << "what it knew from another file must not be given";
    EXPECT_THAT(cut.status().message(), HasSubstr(path_ + " is not JSON, or is cut short"));
  }
  Write(WithContainer("b"));
  EXPECT_EQ((*reader.Read())->entries.at(0).container, "b");
}

TEST_F(CheckpointReaderTest, SaysWhatToDoWhenThereIsNone) {
  CheckpointReader reader(path_, "core");
  EXPECT_EQ(reader.Read().status().message(),
            "the kubelet's checkpoint " + path_ +
                " cannot be opened: No such file or directory; mount the kubelet's "
                "device-plugins directory into the agent");
}

TEST_F(CheckpointReaderTest, DoesNotWaitForAFifoNorReadADirectory) {
  CheckpointReader reader(path_, "core");
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THAT(reader.Read().status().message(), HasSubstr("is no regular file"));
  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);
  EXPECT_THAT(reader.Read().status().message(), HasSubstr("is no regular file"));
}

TEST_F(CheckpointReaderTest, DoesNotReadAFileBeyondTheLimit) {
  CheckpointReader reader(path_, "core");
  Write("{}");
  std::filesystem::resize_file(path_, kMaxCheckpointBytes + 1);  // a hole: no disk is used
  EXPECT_THAT(reader.Read().status().message(), HasSubstr("is larger than 64 MiB"));
  EXPECT_EQ(reader.parses(), 0u);
}

}  // namespace
}  // namespace aliquot::agent
