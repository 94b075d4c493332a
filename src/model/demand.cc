// SPDX-License-Identifier: Apache-2.0
#include "model/demand.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/strings.h"
#include "model/annotation_text.h"
#include "model/gpu_count.h"

namespace aliquot::model {
namespace {

// A quantity above what any node can hold is not an overflow to fear later: counts end here.
constexpr std::int64_t kMaxCount = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMaxCore = 100 * 4096;
constexpr std::int64_t kMaxMemoryUnits = std::int64_t{1} << 32;

Status BadCount(std::string_view text) {
  return InvalidArgument("\"" + Printable(text) +
                         "\", not a whole number of 0 or more; write digits only");
}

Status TooLarge(std::string_view text) {
  return InvalidArgument(Printable(text) + ", more than any node has; ask for less");
}

std::optional<std::int64_t> Multiply(std::int64_t a, std::int64_t b) {
  if (a != 0 && b > kMaxCount / a) {
    return std::nullopt;
  }
  return a * b;
}

// 10^exponent or 1024^power of the suffix; nothing if the suffix is unknown.
std::optional<std::int64_t> SuffixFactor(std::string_view suffix) {
  constexpr std::string_view kLetters = "kMGTPE";
  if (suffix.empty()) {
    return 1;
  }
  if (suffix.size() == 1) {
    const std::size_t at = kLetters.find(suffix[0]);
    if (at == std::string_view::npos) {
      return std::nullopt;
    }
    std::int64_t factor = 1;
    for (std::size_t i = 0; i <= at; ++i) {
      factor *= 1000;
    }
    return factor;
  }
  if (suffix.size() == 2 && suffix[1] == 'i') {
    const std::size_t at = std::string_view("KMGTPE").find(suffix[0]);
    if (at == std::string_view::npos) {
      return std::nullopt;
    }
    return std::int64_t{1} << (10 * (at + 1));
  }
  if (suffix[0] == 'e' || suffix[0] == 'E') {
    const auto exponent = ParseUnsigned(suffix.substr(suffix[1] == '+' ? 2 : 1));
    if (!exponent || *exponent > 18) {
      return std::nullopt;
    }
    std::int64_t factor = 1;
    for (std::int64_t i = 0; i < *exponent; ++i) {
      factor *= 10;
    }
    return factor;
  }
  return std::nullopt;
}

struct Amounts {
  std::int64_t core = 0;
  std::int64_t memory = 0;
};

Status In(const GpuContainer& container, std::string sentence) {
  return InvalidArgument("container \"" + Printable(container.name) + "\": " + std::move(sentence));
}

Result<Amounts> ReadAmounts(const GpuContainer& container, const ResourceNames& names) {
  Amounts amounts;
  for (const NamedQuantity& quantity : container.quantities) {
    const bool is_core = quantity.resource == names.core;
    if (!is_core && quantity.resource != names.memory) {
      return In(container, "resource " + Printable(quantity.resource) + " is not known; use " +
                               names.core + " and " + names.memory);
    }
    const Result<std::int64_t> count = ParseCount(quantity.text);
    if (!count.ok()) {
      return In(container, quantity.resource + " is " + count.status().message());
    }
    if (*count == 0) {
      return In(container, quantity.resource + " is 0; leave it out, or ask for at least 1");
    }
    if (*count > (is_core ? kMaxCore : kMaxMemoryUnits)) {
      return In(container, quantity.resource + " is " + Printable(quantity.text) +
                               ", more than any node has; ask for less");
    }
    (is_core ? amounts.core : amounts.memory) = *count;
  }
  return amounts;
}

Result<ContainerDemand> DemandOfContainer(const GpuContainer& container,
                                          const ResourceNames& names) {
  const Result<Amounts> amounts = ReadAmounts(container, names);
  if (!amounts.ok()) {
    return amounts.status();
  }
  const std::int64_t core = amounts->core;
  if (core == 0) {
    return In(container, names.memory + " is " + std::to_string(amounts->memory) + " without " +
                             names.core + "; add " + names.core +
                             ", 1 to 99 for a share of one GPU");
  }
  if (core > kWholeCardCore && core % kWholeCardCore != 0) {
    return In(container, names.core + " is " + std::to_string(core) +
                             "; above 100 use a multiple of 100 (whole GPUs)");
  }
  ContainerDemand demand;
  demand.name = container.name;
  demand.kind = container.kind;
  demand.index = container.index;
  if (core >= kWholeCardCore) {
    demand.whole = true;
    demand.cards = static_cast<int>(core / kWholeCardCore);
    demand.core = static_cast<int>(kWholeCardCore);
    return demand;
  }
  if (amounts->memory == 0) {
    return In(container, names.core + " is " + std::to_string(core) + " without " + names.memory +
                             "; add " + names.memory + ", 1 for each 256 MiB");
  }
  demand.core = static_cast<int>(core);
  demand.mib = amounts->memory * kMebibytesPerMemoryUnit;
  return demand;
}

// The elastic ceiling, checked against every share; 0 when none is asked or none applies.
Result<int> CeilingOf(const Pod& pod, const std::vector<ContainerDemand>& containers) {
  const std::string* text = pod.Annotation(kCoreLimitAnnotation);
  if (text == nullptr) {
    return 0;
  }
  const std::string field =
      "annotation " + std::string(kCoreLimitAnnotation) + " is \"" + Printable(*text) + "\"";
  const auto limit = ParseUnsigned(*text);
  if (!limit || *limit == 0) {
    return InvalidArgument(field + ", not a whole percentage; use 1 to 100");
  }
  bool any_share = false;
  for (const ContainerDemand& container : containers) {
    if (container.whole) {
      continue;
    }
    any_share = true;
    if (*limit < container.core) {
      return InvalidArgument(field + ", below the share of " + std::to_string(container.core) +
                             " of container \"" + Printable(container.name) +
                             "\"; use at least that, or remove it");
    }
  }
  if (!any_share) {
    return 0;
  }
  return static_cast<int>(std::min<std::int64_t>(*limit, kWholeCardCore));
}

// mps and mig have no effect in this version (admission warns), so the node's choice holds.
Result<std::string> IsolationOf(const Pod& pod) {
  const std::string* word = pod.Annotation(kIsolationAnnotation);
  if (word == nullptr) {
    return std::string("auto");
  }
  if (Status status = CheckAnnotationWord(kIsolationAnnotation, *word,
                                          {"auto", "driver", "library", "mps", "mig", "none"});
      !status.ok()) {
    return status;
  }
  return *word == "mps" || *word == "mig" ? std::string("auto") : *word;
}

std::string ShapeOf(const PodDemand& demand) {
  std::string shape;
  for (const ContainerDemand& container : demand.containers) {
    shape += container.kind == ContainerKind::kInit      ? 'i'
             : container.kind == ContainerKind::kSidecar ? 's'
                                                         : 'a';
    shape += std::to_string(container.cards) + "x" + std::to_string(container.core) + ":" +
             std::to_string(container.mib) + (container.whole ? "w;" : ";");
  }
  // Ranks depend on the host figures, and kept ranks are found by the shape.
  shape +=
      std::to_string(demand.host.cpu_milli) + "," + std::to_string(demand.host.memory_mib) + ";";
  return shape + ShapeOfWishes(demand.wishes);
}

}  // namespace

Result<std::int64_t> ParseCount(std::string_view text) {
  const std::size_t digits_end = text.find_first_not_of("0123456789");
  const std::string_view digits = text.substr(0, digits_end);
  const std::string_view suffix =
      digits_end == std::string_view::npos ? "" : text.substr(digits_end);
  const auto factor = SuffixFactor(suffix);
  if (digits.empty() || !factor) {
    return BadCount(text);
  }
  // Nothing but digits fails only by its size.
  const auto number = ParseUnsigned(digits);
  const auto count = number ? Multiply(*number, *factor) : std::nullopt;
  if (!count) {
    return TooLarge(text);
  }
  return *count;
}

bool BandwidthSensitive(const PodDemand& demand) {
  if (demand.wishes.placement != Placement::kUnsaid) {
    return demand.wishes.placement == Placement::kTopology;
  }
  return std::any_of(
      demand.containers.begin(), demand.containers.end(),
      [](const ContainerDemand& container) { return container.whole && container.cards > 1; });
}

Result<PodDemand> DemandOfSpec(const Pod& pod, const ResourceNames& names) {
  if (pod.gpu_containers.size() > static_cast<std::size_t>(kMaxGpuContainersPerPod)) {
    return InvalidArgument("the pod has " + std::to_string(pod.gpu_containers.size()) +
                           " GPU containers; use at most " +
                           std::to_string(kMaxGpuContainersPerPod));
  }
  PodDemand demand;
  for (const GpuContainer& container : pod.gpu_containers) {
    Result<ContainerDemand> of_container = DemandOfContainer(container, names);
    if (!of_container.ok()) {
      return of_container.status();
    }
    demand.containers.push_back(*std::move(of_container));
  }
  demand.host = pod.host;
  demand.shape = ShapeOf(demand);
  return demand;
}

Result<PodDemand> DemandOf(const Pod& pod, const ResourceNames& names) {
  Result<PodDemand> of_spec = DemandOfSpec(pod, names);
  if (!of_spec.ok()) {
    return of_spec;
  }
  PodDemand demand = *std::move(of_spec);
  if (Status status = ApplyGpuCount(pod, demand.containers); !status.ok()) {
    return status;
  }
  const Result<int> ceiling = CeilingOf(pod, demand.containers);
  if (!ceiling.ok()) {
    return ceiling.status();
  }
  demand.ceiling = *ceiling;
  Result<CardWishes> wishes = CardWishesOf(pod);
  if (!wishes.ok()) {
    return wishes.status();
  }
  demand.wishes = *std::move(wishes);
  const Result<std::string> isolation = IsolationOf(pod);
  if (!isolation.ok()) {
    return isolation.status();
  }
  demand.isolation = *isolation;
  demand.shape = ShapeOf(demand);
  return demand;
}

}  // namespace aliquot::model
