// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/vendor_cdi.h"

#include <gtest/gtest.h>

#include "tests/unit/agent/grant/grant_fixture.h"

namespace aliquot::agent {
namespace {

// The shape that nvidia-ctk cdi generate writes.
constexpr char kYaml[] = R"(---
cdiVersion: 0.5.0
kind: nvidia.com/gpu
devices:
- name: "0"
  containerEdits:
    deviceNodes:
    - path: /dev/nvidia0
- name: all
  containerEdits:
    deviceNodes:
    - path: /dev/nvidia0
    - path: /dev/nvidia1
containerEdits:
  env:
  - NVIDIA_VISIBLE_DEVICES=void
  deviceNodes:
  - path: /dev/nvidiactl
  hooks:
  - hookName: createContainer
    path: /usr/bin/nvidia-ctk
    args:
    - nvidia-ctk
    - hook
    - update-ldcache
  mounts:
  - hostPath: /usr/lib64/libcuda.so.535.104.05
    containerPath: /usr/lib64/libcuda.so.535.104.05
    options:
    - ro
    - nosuid
)";

void ExpectEditsOfExample(const Result<VendorEdits>& edits) {
  ASSERT_TRUE(edits.ok()) << edits.status().ToString();
  EXPECT_EQ(edits->environment, std::vector<std::string>{"NVIDIA_VISIBLE_DEVICES=void"});
  ASSERT_EQ(edits->mounts.size(), 1u);
  EXPECT_EQ(edits->mounts[0].host_path, "/usr/lib64/libcuda.so.535.104.05");
  EXPECT_EQ(edits->mounts[0].options, (std::vector<std::string>{"ro", "nosuid"}));
  ASSERT_EQ(edits->hooks.size(), 1u);
  EXPECT_EQ(edits->hooks[0].name, "createContainer");
  EXPECT_EQ(edits->hooks[0].arguments,
            (std::vector<std::string>{"nvidia-ctk", "hook", "update-ldcache"}));
}

// Each device of a newer toolkit's specification has one, and "all" has them once more.
TEST(ParseVendorSpec, HooksThatSetALimitBelongToTheirCards) {
  constexpr char kHook[] = R"(
    hooks:
    - hookName: createRuntime
      path: /usr/bin/nvidia-cdi-hook
      args: [nvidia-cdi-hook, apply-cuda-memory-limits, --driver-root, /, --gpu-id, GPU-7]
)";
  std::string text = kYaml;
  const std::string device = "    - path: /dev/nvidia0\n";
  for (std::size_t at = text.find(device); at != text.npos; at = text.find(device, at + 200)) {
    text.insert(text.rfind("    deviceNodes:", at), std::string(kHook).substr(1));
  }
  const auto edits = ParseVendorSpec(text, "/etc/cdi/nvidia.yaml");
  ExpectEditsOfExample(edits);
  ASSERT_EQ(edits->memory_limits.size(), 1u);
  EXPECT_EQ(edits->memory_limits[0].uuid, "GPU-7");
  EXPECT_EQ(edits->memory_limits[0].hook.name, "createRuntime");
  EXPECT_EQ(edits->memory_limits[0].hook.arguments.back(), "GPU-7");
}

TEST(ParseVendorSpec, TakesTheEditsForAllDevicesFromYaml) {
  ExpectEditsOfExample(ParseVendorSpec(kYaml, "/etc/cdi/nvidia.yaml"));
}

TEST(ParseVendorSpec, TakesThemFromJson) {
  ExpectEditsOfExample(ParseVendorSpec(
      R"({"cdiVersion":"0.5.0","kind":"nvidia.com/gpu","devices":[],"containerEdits":{)"
      R"("env":["NVIDIA_VISIBLE_DEVICES=void"],"hooks":[{"hookName":"createContainer",)"
      R"("path":"/usr/bin/nvidia-ctk","args":["nvidia-ctk","hook","update-ldcache"]}],)"
      R"("mounts":[{"hostPath":"/usr/lib64/libcuda.so.535.104.05",)"
      R"("containerPath":"/usr/lib64/libcuda.so.535.104.05","options":["ro","nosuid"]}]}})",
      "/etc/cdi/nvidia.json"));
}

std::string Problem(const std::string& text, const std::string& file) {
  return ParseVendorSpec(text, file).status().message();
}

TEST(ParseVendorSpec, SaysWhatIsWrongAndHowToMakeItAnew) {
  EXPECT_EQ(Problem("{", "/etc/cdi/nvidia.json"),
            "/etc/cdi/nvidia.json is not JSON; write it anew with nvidia-ctk cdi generate");
  EXPECT_EQ(Problem("kind: nvidia.com/gpu\n", "/etc/cdi/nvidia.yaml"),
            "/etc/cdi/nvidia.yaml has no containerEdits, so no driver libraries; write it anew "
            "with nvidia-ctk cdi generate");
  EXPECT_EQ(Problem("kind: nvidia.com/gpu\ncontainerEdits:\n  env: []\n", "/etc/cdi/nvidia.yaml"),
            "/etc/cdi/nvidia.yaml mounts no driver libraries in its containerEdits; write it anew "
            "with nvidia-ctk cdi generate");
  EXPECT_EQ(Problem("kind: nvidia.com/gpu\ncontainerEdits:\n  mounts:\n  - hostPath: [1]\n",
                    "/etc/cdi/nvidia.yaml"),
            "/etc/cdi/nvidia.yaml is not a CDI specification: a field is missing or has another "
            "type; write it anew with nvidia-ctk cdi generate");
  EXPECT_EQ(Problem("- a list\n", "/etc/cdi/nvidia.yaml"),
            "/etc/cdi/nvidia.yaml is not a CDI specification: a field is missing or has another "
            "type; write it anew with nvidia-ctk cdi generate");
}

TEST(ParseVendorSpec, AnotherVendorsKindIsNotFound) {
  EXPECT_EQ(ParseVendorSpec("kind: amd.com/gpu\n", "/etc/cdi/amd.yaml").status().code(),
            StatusCode::kNotFound);
}

class FindVendorSpecTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(FileSystem().MakeDirectory(etc_, 0755), 0);
    ASSERT_EQ(FileSystem().MakeDirectory(run_, 0755), 0);
  }
  TemporaryDirectory directory_;
  const std::string etc_ = directory_ / "etc";
  const std::string run_ = directory_ / "run";
};

TEST_F(FindVendorSpecTest, TheLaterDirectoryWins) {
  WriteAll(etc_ + "/nvidia.yaml", kYaml);
  WriteAll(run_ + "/nvidia.yaml", kYaml);
  const auto edits = FindVendorSpec({etc_, run_});
  ExpectEditsOfExample(edits);
  EXPECT_EQ(edits->file, run_ + "/nvidia.yaml");
}

TEST_F(FindVendorSpecTest, OtherFilesAreLeftAlone) {
  WriteAll(etc_ + "/amd.yaml", "kind: amd.com/gpu\n");
  WriteAll(etc_ + "/broken.yaml", "{");
  WriteAll(etc_ + "/notes.txt", kYaml);
  WriteAll(run_ + "/aliquot.io-grant_g1.json", "{}");
  EXPECT_EQ(FindVendorSpec({etc_, run_, directory_ / "absent"}).status().message(),
            "no CDI specification of kind nvidia.com/gpu lies in " + etc_ + " or " + run_ + " or " +
                (directory_ / "absent") + "; write one with nvidia-ctk cdi generate");
  WriteAll(etc_ + "/nvidia.yaml", kYaml);
  ExpectEditsOfExample(FindVendorSpec({etc_, run_}));
}

TEST_F(FindVendorSpecTest, ABrokenFileOfNvidiasIsSaidWhereNoOtherIsWhole) {
  WriteAll(etc_ + "/nvidia.yaml", "kind: nvidia.com/gpu\n");
  EXPECT_EQ(FindVendorSpec({etc_}).status().message(),
            etc_ +
                "/nvidia.yaml has no containerEdits, so no driver libraries; write it anew with "
                "nvidia-ctk cdi generate");
}

}  // namespace
}  // namespace aliquot::agent
