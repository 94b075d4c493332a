// SPDX-License-Identifier: Apache-2.0
#include "agent/verify/verify_look.h"

#include <sys/sysmacros.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

#include "agent/grant/allocate_answer.h"
#include "agent/grant/file_system.h"
#include "agent/grant/grant_builder.h"
#include "agent/usage/usage_file.h"
#include "base/strings.h"
#include "model/names.h"
#include "quota/live_limits.h"

namespace aliquot::agent {
namespace {

constexpr std::size_t kMostProcesses = 2000;
constexpr std::size_t kMostPreloadBytes = 4096;

class PodLook {
 public:
  PodLook(const VerifyInputs& inputs, const ProcessReader& reader, const StateLayout& layout,
          GpuBackend& backend)
      : inputs_(inputs), reader_(reader), layout_(layout), backend_(backend) {}

  Result<VerifyFacts> Take() {
    facts_.node = inputs_.node;
    facts_.pod = inputs_.pod;
    facts_.machine = inputs_.machine.cards;
    facts_.context_bytes = inputs_.context_bytes;
    if (const Status found = FindGrants(); !found.ok()) {
      return found;
    }
    AskDriver();
    for (SeenContainer& seen : facts_.containers) {
      ReadFiles(seen);
    }
    LookAtProcesses();
    return std::move(facts_);
  }

 private:
  Status FindGrants() {
    bool any = false;
    for (const auto& grant : inputs_.grants) {
      // A pod of that name that was there before is another one.
      const bool earlier =
          !inputs_.allocations.empty() && inputs_.allocations.count(grant->identity.uid) == 0;
      if (!(grant->identity.key == inputs_.pod) || earlier) {
        continue;
      }
      any = true;
      facts_.uid = grant->identity.uid;
      granted_.insert(grant->identity.container);
      if (inputs_.container.empty() || inputs_.container == grant->identity.container) {
        SeenContainer& seen = facts_.containers.emplace_back();
        seen.grant = *grant;
        FindAllocation(seen);
      }
    }
    if (!facts_.containers.empty()) {
      return Status::Ok();
    }
    const std::string pod = "pod " + Printable(inputs_.pod.ToString(), 320);
    return NotFound(any ? pod + " has no container " + Printable(inputs_.container) +
                              " with a share of a card"
                        : pod + " holds no card of node " + inputs_.node +
                              "; it has not started yet, has ended, or asks for none");
  }

  void FindAllocation(SeenContainer& seen) const {
    const auto found = inputs_.allocations.find(seen.grant.identity.uid);
    if (found == inputs_.allocations.end()) {
      seen.allocation_problem = "the API server has not shown the pod to this agent yet";
    } else if (!found->second.ok()) {
      seen.allocation_problem = found->second.status().message();
    } else {
      for (const model::AllocatedContainer& each : found->second->containers) {
        if (each.name == seen.grant.identity.container) {
          seen.allocated = each;
        }
      }
      seen.allocation_problem = "it names no such container";
    }
  }

  // One question for each card that the pod has a part of.
  void AskDriver() {
    std::map<std::string, std::string> problems;  // by card; "" = it told
    for (SeenContainer& seen : facts_.containers) {
      for (const GrantedCard& card : seen.grant.cards) {
        SeenCard& fresh = seen.cards.emplace_back();
        fresh.limit_bytes =
            card.core >= model::kWholeCardCore ? 0 : static_cast<std::uint64_t>(card.mib) << 20;
        const auto known = problems.find(card.uuid);
        fresh.driver_problem =
            known != problems.end() ? known->second : problems[card.uuid] = AskAbout(card.uuid);
        fresh.driver_told = fresh.driver_problem.empty();
      }
    }
  }

  std::string AskAbout(const std::string& uuid) {
    const auto figures = backend_.Figures(uuid);
    if (!figures.ok()) {
      return figures.status().message();
    }
    for (const CardProcess& process : figures->processes) {
      if (process.mib < 0) {
        return "it gives none for process " + std::to_string(process.pid);
      }
      driver_[process.pid][uuid] = static_cast<std::uint64_t>(process.mib) << 20;
    }
    return "";
  }

  void ReadFiles(SeenContainer& seen) const {
    const FileSystem files;
    const std::string grant = layout_.Grant(seen.grant.name);
    const std::string limits = grant + "/limits/" + std::string(kLimitsFile);
    files.Read(limits, sizeof(quota::LimitsRecord), seen.limits_file);
    seen.limits_identity = IdentityOf(limits).value_or(FileIdentity());
    files.Read(grant + "/preload/ld.so.preload", kMostPreloadBytes, seen.preload_file);
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(grant + "/library", error)) {
      if (const auto identity = IdentityOf(entry.path().string())) {
        seen.library = GivenLibrary{*identity, entry.path().filename().string()};
      }
    }
    ReadOverhead(seen);
    const auto usage = ReadUsageFile(layout_.UsageRegion(seen.grant.name), seen.cards.size());
    if (!usage.ok()) {
      seen.usage_problem = usage.status().message();
      return;
    }
    seen.slot_pids = usage->pids;
    for (std::size_t i = 0; i < seen.cards.size() && i < usage->cards.size(); ++i) {
      seen.cards[i].charged_bytes = usage->cards[i].held_bytes;
    }
  }

  static void ReadOverhead(SeenContainer& seen) {
    if (seen.limits_file.size() != sizeof(quota::LimitsRecord)) {
      return;
    }
    const auto record = std::make_unique<quota::LimitsRecord>();
    std::memcpy(record.get(), seen.limits_file.data(), sizeof *record);
    quota::LiveCard live[quota::kMaxCards];
    // A copy taken in the middle of a write says so: then the figure is left out.
    if (!quota::ReadLive(record->live, live, quota::kMaxCards, 1)) {
      return;
    }
    for (std::size_t i = 0; i < seen.cards.size() && i < quota::kMaxCards; ++i) {
      seen.cards[i].overhead_bytes = live[i].overhead_bytes;
    }
  }

  void LookAtProcesses() {
    // The operating system's clock: it only says when it is enough.
    const auto end = std::chrono::steady_clock::now() + inputs_.longest;
    std::size_t looked = 0;
    for (const ProcessReader::Member& member : reader_.Members()) {
      if (member.owner.pod_uid != facts_.uid) {
        continue;
      }
      if (++looked > kMostProcesses || std::chrono::steady_clock::now() >= end) {
        ++facts_.unseen;
        continue;
      }
      LookAt(member);
    }
  }

  // The container of a process by its ID where the pod's status tells it, else the pod's only one.
  std::string ContainerOf(const ProcessOwner& owner) const {
    const auto known = inputs_.containers.find(owner.container_id);
    if (known != inputs_.containers.end()) {
      return known->second.second;
    }
    return granted_.size() == 1 ? *granted_.begin() : "";
  }

  void LookAt(const ProcessReader::Member& member) {
    const std::string container = ContainerOf(member.owner);
    const auto seen = std::find_if(
        facts_.containers.begin(), facts_.containers.end(),
        [&](const SeenContainer& each) { return each.grant.identity.container == container; });
    if (seen == facts_.containers.end() && granted_.count(container) != 0) {
      return;  // nobody asked about that one
    }
    SeenProcess process;
    if (!Read(member.pid, process)) {
      return;  // it has ended
    }
    const bool uses = process.maps_driver || !process.driver_bytes.empty() || OpensCard(process);
    if (seen == facts_.containers.end()) {
      if (uses) {
        facts_.strangers.push_back((container.empty() ? "unknown container" : container) + ", " +
                                   process.name + " (" + std::to_string(process.pid) + ")");
      }
    } else if (uses || !process.problem.empty()) {
      LookInside(*seen, process);
      // Its number may be another's by now, and what was seen then is that one's.
      if (!process.problem.empty() || reader_.StartTicks(member.pid) == start_) {
        seen->processes.push_back(std::move(process));
      }
    } else {
      ++seen->others;
    }
  }

  bool Read(pid_t pid, SeenProcess& process) {
    process.pid = pid;
    process.name = "process";
    if (const auto driver = driver_.find(pid); driver != driver_.end()) {
      process.driver_bytes = driver->second;
    }
    auto look = reader_.Look(pid);
    if (!look.ok()) {
      process.problem = look.status().message();
      return look.status().code() != StatusCode::kNotFound;
    }
    process.own_pid = look->own_pid;
    process.name = look->name.empty() ? "process" : look->name;
    process.maps_driver = look->MapsDriver();
    process.open_devices = std::move(look->devices);
    start_ = look->start_ticks;
    return true;
  }

  bool OpensCard(const SeenProcess& process) const {
    const auto open = [&process](const DeviceNode& node) {
      return process.open_devices.count(makedev(node.major, node.minor)) != 0;
    };
    return std::any_of(inputs_.machine.control.begin(), inputs_.machine.control.end(), open) ||
           std::any_of(inputs_.machine.cards.begin(), inputs_.machine.cards.end(),
                       [&open](const MachineCard& card) { return open(card.node); });
  }

  void LookInside(const SeenContainer& seen, SeenProcess& process) const {
    if (!process.problem.empty()) {
      return;
    }
    if (seen.library) {
      if (const auto mapped = reader_.Mapped(process.pid, seen.library->identity); mapped.ok()) {
        process.library = JudgeMapped(*mapped, *seen.library);
      }
    }
    const std::string limits = std::string(kLimitsInContainer) + "/" + std::string(kLimitsFile);
    process.limits = ReadInside(reader_.proc(), process.pid, limits, sizeof(quota::LimitsRecord));
    process.preload = ReadInside(reader_.proc(), process.pid, std::string(kPreloadInContainer),
                                 kMostPreloadBytes);
    process.devices = DevicesInside(reader_.proc(), process.pid);
  }

  const VerifyInputs& inputs_;
  const ProcessReader& reader_;
  const StateLayout& layout_;
  GpuBackend& backend_;
  std::set<std::string> granted_;  // containers of the pod
  std::map<pid_t, std::map<std::string, std::uint64_t>> driver_;
  std::uint64_t start_ = 0;  // of the process that is being looked at
  VerifyFacts facts_;
};

}  // namespace

Result<VerifyFacts> LookAtPod(const VerifyInputs& inputs, const ProcessReader& reader,
                              const StateLayout& layout, GpuBackend& backend) {
  return PodLook(inputs, reader, layout, backend).Take();
}

}  // namespace aliquot::agent
