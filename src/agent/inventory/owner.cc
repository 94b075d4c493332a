// SPDX-License-Identifier: Apache-2.0
#include "agent/inventory/owner.h"

#include <array>
#include <optional>

#include "base/strings.h"

namespace aliquot::agent {
namespace {

constexpr std::string_view kMigState = "nvidia.com/mig.config.state";
constexpr std::string_view kUpgradeState = "nvidia.com/gpu-driver-upgrade-state";
constexpr std::string_view kGpuManagerLabel = "nvidia-device-enable";

// NVIDIA's plugin advertises the first, or the second where it renames shared cards.
constexpr std::array<std::string_view, 2> kNvidiaResources = {"nvidia.com/gpu",
                                                              "nvidia.com/gpu.shared"};

OwnerVerdict Released(std::string_view word, std::string_view label, std::string_view value,
                      std::string_view rest) {
  return {OwnerVerdict::State::kReleased, std::string(word),
          "the node's label " + std::string(label) + " is " + Printable(value) + ": " +
              std::string(rest)};
}

// Sources: NVIDIA mig-parted's and k8s-operator-libs' names of states. "upgrade-required" only says
// that the node waits for its turn, which may be hours, and all nodes of a cluster wait at once.
std::optional<OwnerVerdict> Operator(const NodeView& node) {
  const std::string_view upgrade = node.Label(kUpgradeState);
  if (!upgrade.empty() && upgrade != "upgrade-done" && upgrade != "upgrade-required") {
    return Released("driver-upgrade", kUpgradeState, upgrade,
                    "the driver is being replaced, so it is let go and no card is handed out; this "
                    "ends when the label says upgrade-done");
  }
  const std::string_view mig = node.Label(kMigState);
  if (mig == "pending" || mig == "rebooting") {
    return Released("mig-config", kMigState, mig,
                    "MIG is being set up, so the driver is let go and no card is handed out; this "
                    "ends when the label says success or failed");
  }
  return std::nullopt;
}

OwnerVerdict Foreign(const std::string& finding, std::string_view remedy) {
  return {OwnerVerdict::State::kForeign, std::string(kForeignMode),
          finding + ", so another plugin hands out this node's cards; " + std::string(remedy) +
              ", or list the cards that are ours in cards.include"};
}

}  // namespace

OwnerVerdict JudgeOwner(const NodeView& node, const std::vector<std::string>& include,
                        std::string_view gpu_manager_socket) {
  if (auto released = Operator(node)) {
    return *std::move(released);
  }
  if (!include.empty()) {
    return {};
  }
  for (const std::string_view resource : kNvidiaResources) {
    if (const std::int64_t count = node.Advertised(resource); count > 0) {
      return Foreign("the node advertises " + std::to_string(count) + " " + std::string(resource),
                     "take that plugin off this node (GPU Operator: label it "
                     "nvidia.com/gpu.deploy.device-plugin=false)");
    }
  }
  if (!gpu_manager_socket.empty()) {
    return Foreign("gpu-manager listens on " + Printable(gpu_manager_socket),
                   "take gpu-manager off this node");
  }
  if (node.Label(kGpuManagerLabel) == "enable") {
    return Foreign("the node's label nvidia-device-enable is enable, which places gpu-manager here",
                   "remove the label");
  }
  return {};
}

}  // namespace aliquot::agent
