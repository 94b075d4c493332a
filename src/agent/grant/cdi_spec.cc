// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/cdi_spec.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "agent/grant/driver_limits.h"
#include "agent/grant/state_layout.h"
#include "base/strings.h"

namespace aliquot::agent {
namespace {

using nlohmann::json;

constexpr std::string_view kFilePrefix = "aliquot.io-grant_";
constexpr std::string_view kFileSuffix = ".json";

json DeviceNodes(const GrantPlan& plan, const StateLayout& layout) {
  json nodes = json::array();
  for (const DeviceNode& node : plan.nodes) {
    nodes.push_back({{"path", "/dev/" + node.name},
                     // The grant's own node: it is there for simulated cards too.
                     {"hostPath", layout.Devices(plan.record.name) + "/" + node.name},
                     {"type", "c"},
                     {"major", node.major},
                     {"minor", node.minor},
                     {"fileMode", node.mode},
                     {"uid", node.uid},
                     {"gid", node.gid},
                     {"permissions", "rw"}});
  }
  return nodes;
}

json Mounts(const GrantPlan& plan, const EditOptions& options) {
  json mounts = json::array();
  for (const auto& mount : GrantMounts(plan.record.name, options)) {
    mounts.push_back(
        {{"hostPath", mount.host_path},
         {"containerPath", mount.container_path},
         {"options", {mount.read_only ? "ro" : "rw", "nosuid", "nodev", "rbind", "rprivate"}}});
  }
  return mounts;
}

json HookEntry(const VendorEdits::Hook& hook) {
  json entry = {{"hookName", hook.name}, {"path", hook.path}};
  if (!hook.arguments.empty()) {
    entry["args"] = hook.arguments;
  }
  if (!hook.environment.empty()) {
    entry["env"] = hook.environment;
  }
  return entry;
}

// What NVIDIA's toolkit reads: the amount in whole MiB from the environment, the card from the
// hook. Only the hard limit is asked for: a soft one (NVIDIA_GPU_MEMORY_REQUEST) has to be taken
// back before the control group goes.
void AddMemoryLimits(const GrantPlan& plan, const VendorEdits& vendor, json& environment,
                     json& hooks) {
  environment.push_back(std::string(kMemoryLimitVariable) + "=" +
                        std::to_string(plan.record.cards.front().mib));
  for (const GrantedCard& card : plan.record.cards) {
    for (const VendorEdits::MemoryLimitHook& each : vendor.memory_limits) {
      if (each.uuid == card.uuid) {
        hooks.push_back(HookEntry(each.hook));
      }
    }
  }
}

void Merge(const GrantPlan& plan, json& environment, json& mounts, json& edits) {
  const VendorEdits& vendor = *plan.driver.vendor;
  for (const std::string& each : vendor.environment) {
    if (!StartsWith(each, "NVIDIA_VISIBLE_DEVICES=") &&
        !StartsWith(each, std::string(kMemoryLimitVariable) + "=")) {
      environment.push_back(each);
    }
  }
  for (const VendorEdits::Mount& mount : vendor.mounts) {
    mounts.push_back({{"hostPath", mount.host_path},
                      {"containerPath", mount.container_path},
                      {"options", mount.options}});
  }
  json hooks = json::array();
  for (const VendorEdits::Hook& hook : vendor.hooks) {
    hooks.push_back(HookEntry(hook));
  }
  if (plan.driver_limits) {
    AddMemoryLimits(plan, vendor, environment, hooks);
  }
  if (!hooks.empty()) {
    edits["hooks"] = std::move(hooks);
  }
}

}  // namespace

std::string CdiSpecFile(const std::string& name) {
  return std::string(kFilePrefix) + name + std::string(kFileSuffix);
}

std::string GrantOfCdiSpecFile(const std::string& file) {
  if (file.size() <= kFilePrefix.size() + kFileSuffix.size() || !StartsWith(file, kFilePrefix) ||
      file.compare(file.size() - kFileSuffix.size(), kFileSuffix.size(), kFileSuffix) != 0) {
    return "";
  }
  return file.substr(kFilePrefix.size(), file.size() - kFilePrefix.size() - kFileSuffix.size());
}

std::string FormatCdiSpec(const GrantPlan& plan, const EditOptions& options) {
  json environment = {"NVIDIA_VISIBLE_DEVICES=void"};
  json mounts = Mounts(plan, options);
  json edits = {{"deviceNodes", DeviceNodes(plan, StateLayout(options.state_directory))}};
  if (plan.driver.way == DriverDelivery::Way::kCdi && plan.driver.vendor != nullptr) {
    Merge(plan, environment, mounts, edits);
  }
  edits["env"] = std::move(environment);
  edits["mounts"] = std::move(mounts);
  const json device = {{"name", plan.record.name}, {"containerEdits", std::move(edits)}};
  const json spec = {
      {"cdiVersion", "0.6.0"}, {"kind", kCdiKind}, {"devices", json::array({device})}};
  return spec.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace aliquot::agent
