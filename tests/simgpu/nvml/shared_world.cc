// SPDX-License-Identifier: Apache-2.0
#include "tests/simgpu/nvml/shared_world.h"

#include <algorithm>

#include "tests/simgpu/world/engine.h"

namespace aliquot::simgpu {
namespace {

constexpr std::uint64_t kGaugeNs = 100'000'000;
constexpr int kMibShift = 20;
// A process that the caller's process namespace does not have is shown by a number that means
// nothing there, as the machine's own numbers do in a container.
constexpr unsigned kOfAnotherNamespace = 1U << 30;

unsigned PidShown(unsigned pid, int slot) {
  return pid != 0 ? pid : kOfAnotherNamespace + static_cast<unsigned>(slot);
}

std::int64_t Mib(std::uint64_t bytes) { return static_cast<std::int64_t>(bytes >> kMibShift); }

}  // namespace

int SharedWorld::Gauge::Read(std::uint64_t now, std::uint64_t busy_now) {
  if (at == 0 || busy_now < busy) {
    *this = {now, busy_now, 0};
  } else if (now - at >= kGaugeNs) {
    *this = {now, busy_now,
             static_cast<int>(std::min<std::uint64_t>(100, 100 * (busy_now - busy) / (now - at)))};
  }
  return percent;
}

void SharedWorld::Open() {
  if (file_ == nullptr) {
    file_ = WorldFile::Open();
  }
}

Machine SharedWorld::Intact() {
  const WorldLayout& layout = file_->layout();
  Machine whole =
      ParseProfile(std::string(layout.profile, std::min(layout.profile_bytes, kMaxProfileBytes)));
  whole.cuda_version = layout.cuda_version;
  cards_of_world_.clear();
  for (std::size_t i = 0; i < whole.cards.size(); ++i) {
    if (CardIsThere(whole.cards[i].minor)) {
      cards_of_world_.push_back(static_cast<int>(i));
    }
  }
  history_ = {};
  for (std::size_t i = 0; i < cards_of_world_.size(); ++i) {
    history_.Remember(i, LookAt(*file_, cards_of_world_[i]));
  }
  return PartOf(whole, cards_of_world_);
}

std::vector<ProcessSince> SharedWorld::WorkSince(std::size_t card, std::uint64_t last_seen_us) {
  const CardWork now = LookAt(*file_, cards_of_world_[card]);
  std::vector<ProcessSince> found;
  for (const ProcessWork& each : now.processes) {
    const unsigned percent = history_.ProcessPercent(card, now, each, last_seen_us);
    if (percent > 0) {
      found.push_back({PidShown(each.pid, each.slot), now.epoch_us, percent});
    }
  }
  history_.Remember(card, now);
  return found;
}

void SharedWorld::Show(Machine& machine) {
  const WorldLock lock(*file_);
  file_->Reap();
  WorldLayout& layout = file_->layout();
  const std::uint64_t now = file_->Now();
  for (std::size_t i = 0; i < cards_of_world_.size(); ++i) {
    const int index = cards_of_world_[i];
    Card& card = machine.cards[i];
    AdvanceCard(layout, index, now);
    card.lost = card.lost || layout.card[index].lost != 0;
    card.mib_used = Mib(MemoryUsed(layout, index));
    card.gpu_percent = cards_[i].Read(now, layout.card[index].busy_ns);
    card.memory_percent = *card.gpu_percent / 2;
    ShowProcesses(layout, index, now, card);
  }
}

void SharedWorld::ShowProcesses(const WorldLayout& layout, int index, std::uint64_t now,
                                Card& card) {
  card.processes.clear();
  for (int slot = 0; slot < layout.processes_used; ++slot) {
    const ProcessLayout& process = layout.process[slot];
    const ProcessCard& uses = process.cards[index];
    const pid_t holder = process.used != 0 ? file_->HolderOf(slot) : -1;
    if (holder < 0 || (uses.contexts == 0 && uses.memory_bytes == 0)) {
      continue;
    }
    Gauge& gauge = processes_[static_cast<std::size_t>(slot)][static_cast<std::size_t>(index)];
    Process shown;
    shown.pid = PidShown(static_cast<unsigned>(holder), slot);
    shown.mib = Mib(uses.context_bytes + uses.memory_bytes);
    shown.sm_percent = gauge.Read(now, uses.busy_ns);
    card.processes.push_back(shown);
  }
}

}  // namespace aliquot::simgpu
