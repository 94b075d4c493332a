// SPDX-License-Identifier: Apache-2.0
#include "agent/usage/process_owner.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace aliquot::agent {
namespace {

const std::string kUid = "0c7c6b2e-9f53-4be6-8a3c-1d2e3f405162";
const std::string kUidUnderscored = "0c7c6b2e_9f53_4be6_8a3c_1d2e3f405162";
const std::string kId(64, 'a');

struct Row {
  const char* what;
  std::string text;
  std::string uid;  // "" = no pod's
  std::string id;
};

TEST(ProcessOwner, IsReadFromEveryFormOfControlGroup) {
  const Row rows[] = {
      {"version 1, cgroupfs",
       "11:memory:/kubepods/burstable/pod" + kUid + "/" + kId + "\n10:cpu:/\n", kUid, kId},
      {"version 2, systemd, containerd",
       "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" + kUidUnderscored +
           ".slice/cri-containerd-" + kId + ".scope\n",
       kUid, kId},
      {"version 2, systemd, CRI-O, a child of the container",
       "0::/kubepods.slice/kubepods-pod" + kUidUnderscored + ".slice/crio-" + kId +
           ".scope/container\n",
       kUid, kId},
      {"nested below a root of its own", "0::/node-a/kubepods/besteffort/pod" + kUid + "/" + kId,
       kUid, kId},
      {"no line break at the end", "1:devices:/kubepods/pod" + kUid + "/" + kId, kUid, kId},
      {"the pod's own group", "0::/kubepods/pod" + kUid + "\n", kUid, ""},
      {"a group that knows the container wins",
       "2:a:/kubepods/pod" + kUid + "\n1:b:/kubepods/pod" + kUid + "/" + kId + "\n", kUid, kId},
      {"a mirror pod's hash", "0::/kubepods/pod" + std::string(32, '7') + "/" + kId,
       std::string(32, '7'), kId},
      {"a service of the host", "0::/system.slice/docker.service\n", "", ""},
      {"another process namespace's view", "0::/../../pods\n", "", ""},
      {"a name that only looks like it", "0::/kubepods/podman/" + kId, "", ""},
      {"an ID of 65 digits", "0::/kubepods/pod" + kUid + "/" + kId + "a", kUid, ""},
      {"nothing", "", "", ""},
      {"no colons", "kubepods", "", ""},
  };
  for (const Row& row : rows) {
    const auto owner = ParseCgroup(row.text);
    EXPECT_EQ(owner.has_value(), !row.uid.empty()) << row.what;
    if (owner) {
      EXPECT_EQ(owner->pod_uid, row.uid) << row.what;
      EXPECT_EQ(owner->container_id, row.id) << row.what;
    }
  }
}

TEST(ProcessOwner, OfAProcessThatIsGoneIsNobody) {
  EXPECT_FALSE(OwnerOf(1, "/no-such-proc").has_value());
}

TEST(ProcessOwner, IsReadFromTheGivenProc) {
  const auto proc = std::filesystem::temp_directory_path() / "process-owner-test";
  std::filesystem::create_directories(proc / "42");
  std::ofstream(proc / "42" / "cgroup") << "0::/kubepods/pod" << kUid << "/" << kId << "\n";
  const auto owner = OwnerOf(42, proc.string());
  std::filesystem::remove_all(proc);
  ASSERT_TRUE(owner.has_value());
  EXPECT_EQ(owner->container_id, kId);
}

// Control groups of version 1, whose first thread has ended: the kernel shows that one at the root.
TEST(ProcessOwner, OfAProcessThatGoesOnWithoutItsFirstThreadItsThreadsTell) {
  const auto proc = std::filesystem::temp_directory_path() / "process-owner-thread-test";
  std::filesystem::remove_all(proc);
  const auto put = [&](const std::string& folder, const std::string& text) {
    std::filesystem::create_directories(proc / folder);
    std::ofstream(proc / folder / "cgroup") << text;
  };
  const std::string groups = "2:a:/kubepods/pod" + kUid + "/" + kId + "\n0::/\n";
  put("42", "2:a:/\n0::/\n");
  put("42/task/42", "2:a:/\n0::/\n");
  put("42/task/43", groups);
  put("44", "2:a:/system.slice\n0::/\n");
  put("44/task/45", groups);
  const auto owner = OwnerOf(42, proc.string());
  const auto other = OwnerOf(44, proc.string());
  std::filesystem::remove_all(proc);
  ASSERT_TRUE(owner.has_value());
  EXPECT_EQ(owner->container_id, kId);
  EXPECT_FALSE(other.has_value()) << "it is somewhere by itself";
}

}  // namespace
}  // namespace aliquot::agent
