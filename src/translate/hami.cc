// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "translate/memory.h"
#include "translate/schemes.h"

namespace aliquot::translate {
namespace {

constexpr char kMemory[] = "nvidia.com/gpumem";
constexpr char kMemoryPercentage[] = "nvidia.com/gpumem-percentage";
constexpr char kCores[] = "nvidia.com/gpucores";
constexpr char kPriority[] = "nvidia.com/priority";

using Count = std::optional<std::int64_t>;

// What a container says; HAMi's webhook takes one GPU where only memory or cores are named.
struct Ask {
  Count gpus;
  Count mib;
  Count percentage;
  Count cores;
  Count priority;

  bool empty() const { return !gpus && !mib && !percentage && !cores; }
};

Result<Ask> Read(const PodEdit& edit, const ContainerRef& container) {
  Ask ask;
  const std::pair<const char*, Count*> fields[] = {{kGpuResource, &ask.gpus},
                                                   {kMemory, &ask.mib},
                                                   {kMemoryPercentage, &ask.percentage},
                                                   {kCores, &ask.cores},
                                                   {kPriority, &ask.priority}};
  for (const auto& [resource, value] : fields) {
    const auto amount = edit.Amount(container, resource);
    if (!amount.ok()) {
      return amount.status();
    }
    *value = *amount;
  }
  // HAMi takes zero for "not said".
  for (Count* value : {&ask.mib, &ask.percentage, &ask.cores}) {
    if (*value && **value == 0) {
      value->reset();
    }
  }
  return ask;
}

// HAMi leaves a whole card alone: its core is 100, or all its memory is asked for and no core.
bool IsWhole(const Ask& ask) {
  const bool all_memory = !ask.mib && ask.percentage.value_or(100) == 100;
  return ask.cores ? *ask.cores >= 100 : all_memory;
}

Result<std::int64_t> MemoryOf(PodEdit& edit, const std::string& label, const Ask& ask) {
  if (ask.mib) {
    if (ask.percentage) {
      edit.Note(label + ": " + kMemoryPercentage + " is dropped; " + kMemory +
                " holds, as in HAMi");
    }
    return UnitsOf(edit, label, kMemory, *ask.mib);
  }
  if (!ask.percentage) {
    return UnitsOfPart(edit, label, "all of a card's memory, which HAMi gives where none is named,",
                       10000);
  }
  return UnitsOfPart(edit, label,
                     std::string(kMemoryPercentage) + " " + std::to_string(*ask.percentage),
                     *ask.percentage * 100);
}

Status GiveShare(PodEdit& edit, const ContainerRef& container, const Ask& ask, Share& share) {
  const Result<std::int64_t> units = MemoryOf(edit, container.label, ask);
  if (!units.ok()) {
    return units.status();
  }
  share.units = *units;
  if (ask.cores) {
    share.core = *ask.cores;
    return Status::Ok();
  }
  share.elastic = true;
  const Result<std::int64_t> core = CoreOfMemory(edit, container.label, *units);
  if (!core.ok()) {
    return core.status();
  }
  share.core = *core;
  return Status::Ok();
}

Status TranslateContainer(PodEdit& edit, const ContainerRef& container) {
  const Result<Ask> ask = Read(edit, container);
  if (!ask.ok()) {
    return ask.status();
  }
  if (ask->empty() || ask->gpus == 0) {
    return Status::Ok();
  }
  if (ask->percentage.value_or(0) > 100) {
    return InvalidArgument(container.label + ": " + kMemoryPercentage + " is " +
                           std::to_string(*ask->percentage) + "; give 1 to 100");
  }
  Share share;
  share.cards = ask->gpus.value_or(1);
  share.whole = IsWhole(*ask);
  if (share.whole && ask->mib) {
    edit.Note(container.label + ": " + kMemory +
              " is dropped; with all of a card's core comes the whole card");
  }
  if (!share.whole) {
    if (Status status = GiveShare(edit, container, *ask, share); !status.ok()) {
      return status;
    }
  }
  if (ask->priority) {
    edit.Note(container.label + ": " + kPriority +
              " is removed; Aliquot has no priority among the sharers of a card, each has its "
              "guaranteed share");
  }
  return edit.Give(container, share, {kGpuResource, kMemory, kMemoryPercentage, kCores, kPriority});
}

}  // namespace

Status TranslateHami(PodEdit& edit) {
  for (const ContainerRef& container : edit.Containers()) {
    if (Status status = TranslateContainer(edit, container); !status.ok()) {
      return status;
    }
  }
  if (edit.gave_any()) {
    edit.RemoveScheduler(kHamiScheduler);
    TranslateHamiAnnotations(edit);
  }
  return Status::Ok();
}

}  // namespace aliquot::translate
