// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/nvml_core.h"

#include <optional>
#include <utility>

#include "agent/gpu/nvml_checks.h"
#include "agent/gpu/nvml_figures.h"
#include "agent/gpu/nvml_links.h"
#include "agent/gpu/nvml_processes.h"
#include "agent/gpu/sysfs_nics.h"
#include "base/clock.h"
#include "base/strings.h"

namespace aliquot::agent {
namespace {

// Who waits for events comes back within a second of being asked.
constexpr std::chrono::milliseconds kReopenWait = std::chrono::seconds(3);
constexpr char kNoNode[] = "no-node";
// Links are hundreds of calls into the driver on a machine with NVLink, and they change only when
// one fails.
constexpr int kLooksPerLinkRead = 10;

std::map<std::string, nvml::Device> HandlesOf(const std::vector<NvmlCard>& cards) {
  std::map<std::string, nvml::Device> handles;
  for (const NvmlCard& each : cards) {
    handles.emplace(each.card.uuid, each.handle);
  }
  return handles;
}

std::vector<std::optional<PciPlace>> PlacesOf(const std::vector<NvmlCard>& cards) {
  std::vector<std::optional<PciPlace>> places;
  for (const NvmlCard& each : cards) {
    places.push_back(each.place);
  }
  return places;
}

}  // namespace

NvmlCore::NvmlCore(NvmlOptions options)
    : options_(std::move(options)),
      library_paths_(options_.library.empty() ? NvmlPaths(options_.driver_root)
                                              : std::vector<std::string>{options_.library}) {}

std::shared_ptr<const NvmlOpen> NvmlCore::open() {
  MutexLock lock(mutex_);
  return open_;
}

std::shared_ptr<NvmlEvents> NvmlCore::events() {
  MutexLock lock(mutex_);
  return open_ == nullptr ? nullptr : open_->events;
}

void NvmlCore::WaitForSession(std::chrono::milliseconds timeout) {
  const SteadyTime deadline = std::chrono::steady_clock::now() + timeout;
  MutexLock lock(mutex_);
  while (open_ == nullptr && changed_.WaitUntil(mutex_, deadline)) {
  }
}

std::shared_ptr<const NvmlOpen> NvmlCore::Forget() {
  MutexLock lock(mutex_);
  ++generation_;
  known_.clear();
  if (open_ != nullptr) {
    open_->session->stop().Set();
  }
  return std::exchange(open_, nullptr);
}

void NvmlCore::CloseForReopening() {
  std::shared_ptr<NvmlSessionEnd> end;
  std::shared_ptr<const NvmlOpen> old;
  {
    MutexLock lock(mutex_);
    old = std::exchange(open_, nullptr);
  }
  if (old == nullptr) {
    return;
  }
  old->session->stop().Set();
  end = old->session->end();
  old = nullptr;
  end->WaitFor(kReopenWait);
}

bool NvmlCore::Publish(std::shared_ptr<const NvmlOpen> next, std::uint64_t generation) {
  MutexLock lock(mutex_);
  if (generation != generation_) {
    return false;
  }
  for (const auto& [uuid, handle] : next->handles) {
    known_.insert(uuid);
  }
  open_ = std::move(next);
  changed_.NotifyAll();
  return true;
}

Result<Machine> NvmlCore::Look() {
  std::uint64_t generation = 0;
  {
    // Before the session is taken: one that is forgotten meanwhile must not come back.
    MutexLock lock(mutex_);
    generation = generation_;
  }
  auto next = std::make_shared<NvmlOpen>();
  if (std::shared_ptr<const NvmlOpen> before = open()) {
    if (before->left_out) {
      before = nullptr;
      CloseForReopening();
    } else {
      *next = *before;
    }
  }
  if (next->session == nullptr) {
    Result<std::shared_ptr<NvmlSession>> session = NvmlSession::Open(library_paths_);
    if (!session.ok()) {
      NoteError(session.status());
      return session.status();
    }
    next->session = std::move(*session);
  }
  Result<Machine> machine = LookWith(*next);
  if (!machine.ok()) {
    next = nullptr;
    NoteError(machine.status());
    CloseForReopening();
    return machine.status();
  }
  if (!Publish(std::move(next), generation)) {
    return Unavailable("the driver was let go of during the look; the next look takes it again");
  }
  return machine;
}

Result<Machine> NvmlCore::LookWith(NvmlOpen& next) {
  NvmlSession& session = *next.session;
  Machine machine;
  Result<std::string> driver = ReadDriverVersion(session);
  if (!driver.ok()) {
    return driver.status();
  }
  machine.driver = std::move(*driver);
  machine.memory_limits = session.library()->memory_limits();
  Result<NvmlCards> found = ReadNvmlCards(session, options_.sysfs_root);
  if (!found.ok()) {
    return found.status();
  }
  machine.notes = std::move(found->notes);
  const std::vector<NvmlCard>& cards = found->cards;
  for (const NvmlCard& each : cards) {
    MachineCard card;
    card.card = each.card;
    machine.cards.push_back(std::move(card));
  }
  FillNodes(machine);
  if (!cards.empty()) {
    machine.nics = ReadNics(options_.sysfs_root, PlacesOf(cards));
  }
  std::map<std::string, nvml::Device> handles = HandlesOf(cards);
  const bool same_cards = next.events != nullptr && handles == next.handles;
  FillLinks(next, cards, same_cards);
  machine.links = next.links;
  if (!same_cards) {
    next.events = NvmlEvents::Register(next.session, cards);
  }
  machine.notes.insert(machine.notes.end(), next.events->notes().begin(),
                       next.events->notes().end());
  next.handles = std::move(handles);
  next.left_out = found->left_out;
  return machine;
}

void NvmlCore::FillLinks(NvmlOpen& next, const std::vector<NvmlCard>& cards,
                         bool same_cards) const {
  if (same_cards && ++next.looks < kLooksPerLinkRead) {
    return;
  }
  next.links = ReadLinkTriangle(next.session->functions(), cards, options_.sysfs_root);
  next.looks = 0;
}

void NvmlCore::FillNodes(Machine& machine) const {
  if (machine.cards.empty()) {
    return;
  }
  ControlNodes control = FindControlNodes(options_.device_root, options_.stat_device);
  machine.control = std::move(control.nodes);
  if (!control.missing.empty()) {
    machine.notes.push_back(options_.device_root + " lacks " + Join(control.missing, " and ") +
                            ", without which no program reaches a card; run "
                            "`nvidia-modprobe -u -c 0` on the node");
  }
  for (MachineCard& each : machine.cards) {
    std::optional<DeviceNode> node =
        FindCardNode(options_.device_root, options_.stat_device, each.card.minor);
    if (node) {
      each.node = std::move(*node);
    } else {
      each.node.name = "nvidia" + std::to_string(each.card.minor);
      machine.notes.push_back(each.card.uuid + " cannot be given: " + options_.device_root + "/" +
                              each.node.name +
                              " is missing or is no character device; run "
                              "`nvidia-modprobe -c " +
                              std::to_string(each.card.minor) + "` on the node");
    }
    if (each.card.mode.empty() && (!node || !control.missing.empty())) {
      each.card.mode = kNoNode;
    }
  }
}

Status NvmlCore::Unopened() const {
  return Unavailable(
      "the driver is not in use: it was let go of, or the last look found none; it "
      "is taken at the next look");
}

void NvmlCore::NoteError(const Status& status) {
  if (status.code() == StatusCode::kUnavailable) {
    Forget();
  }
}

Result<std::vector<CardCheck>> NvmlCore::Check() {
  std::shared_ptr<const NvmlOpen> now;
  std::set<std::string> known;
  {
    MutexLock lock(mutex_);
    now = open_;
    known = known_;
  }
  if (now == nullptr) {
    return Unopened();
  }
  std::vector<CardCheck> checks;
  for (const std::string& uuid : known) {
    const auto handle = now->handles.find(uuid);
    if (handle == now->handles.end()) {
      CardCheck lost;
      lost.uuid = uuid;
      lost.present = false;
      checks.push_back(std::move(lost));
      continue;
    }
    Result<CardCheck> check = CheckNvmlCard(*now->session, handle->second, uuid);
    if (!check.ok()) {
      NoteError(check.status());
      return check.status();
    }
    checks.push_back(std::move(*check));
  }
  return checks;
}

Result<CardWork> NvmlCore::Work(const std::string& uuid, std::uint64_t since_us) {
  const std::shared_ptr<const NvmlOpen> now = open();
  if (now == nullptr) {
    return Unopened();
  }
  const auto handle = now->handles.find(uuid);
  if (handle == now->handles.end()) {
    return NotFound("no card " + Printable(uuid) + " on this node now; the next look may find it");
  }
  return ReadNvmlWork(*now->session, handle->second, since_us);
}

Result<CardFigures> NvmlCore::Figures(const std::string& uuid) {
  const std::shared_ptr<const NvmlOpen> now = open();
  if (now == nullptr) {
    return Unopened();
  }
  const auto handle = now->handles.find(uuid);
  if (handle == now->handles.end()) {
    return NotFound("no card " + Printable(uuid) + " on this node now; the next look may find it");
  }
  Result<CardFigures> figures =
      ReadNvmlFigures(*now->session, handle->second, now->last_sample[uuid]);
  if (!figures.ok()) {
    NoteError(figures.status());
  }
  return figures;
}

}  // namespace aliquot::agent
