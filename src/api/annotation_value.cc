// SPDX-License-Identifier: Apache-2.0
#include "api/annotation_value.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "api/gpu_index.h"
#include "api/gpu_uuid.h"
#include "base/strings.h"
#include "model/names.h"

namespace aliquot::api {
namespace {

using model::ContainerDemand;
using model::PodDemand;

constexpr std::int64_t kMaxGpuCount = 16;
constexpr std::size_t kMaxListEntries = 64;
constexpr std::size_t kMaxModelBytes = 64;

Status Malformed(std::string_view key, std::string_view value, const std::string& remedy) {
  return InvalidArgument("annotation " + std::string(key) + " is \"" + Printable(value) + "\"; " +
                         remedy);
}

Status CheckGpuCount(std::string_view value, const PodDemand& demand) {
  constexpr std::string_view kKey = model::kGpuCountAnnotation;
  const auto count = ParseUnsigned(value);
  if (!count || *count == 0 || *count > kMaxGpuCount) {
    return Malformed(kKey, value, "use a whole number from 1 to 16");
  }
  for (const ContainerDemand& container : demand.containers) {
    const std::string name = " of container \"" + Printable(container.name) + "\"";
    if (container.whole) {
      return Malformed(kKey, value,
                       "it divides shares, but the demand" + name + " is whole GPUs: remove it");
    }
    const std::int64_t memory_units = container.mib / model::kMebibytesPerMemoryUnit;
    if (container.core % *count != 0 || memory_units % *count != 0) {
      return Malformed(kKey, value,
                       "it does not divide core " + std::to_string(container.core) +
                           " and memory " + std::to_string(memory_units) + name +
                           ": use a number that divides both");
    }
  }
  return Status::Ok();
}

bool IsModel(std::string_view text) {
  return !text.empty() && text.size() <= kMaxModelBytes && Trim(text) == text &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

// A list to include, and with "!" before an entry to exclude.
Status CheckList(std::string_view key, std::string_view value, bool (*valid)(std::string_view),
                 const std::string& remedy) {
  if (static_cast<std::size_t>(std::count(value.begin(), value.end(), ',')) >= kMaxListEntries) {
    return Malformed(key, value, "list at most " + std::to_string(kMaxListEntries) + " entries");
  }
  for (std::string_view entry : Split(value, ',')) {
    if (StartsWith(entry, "!")) {
      entry.remove_prefix(1);
    }
    if (!valid(entry)) {
      return Malformed(key, value, remedy);
    }
  }
  return Status::Ok();
}

// One of some words; `unsupported` is refused although it is a word of the format.
struct WordRule {
  std::string_view key;
  std::vector<std::string_view> words;
  std::string_view unsupported;  // empty = none
};

const std::vector<WordRule>& WordRules() {
  static const std::vector<WordRule> rules = {
      {model::kPlacementAnnotation, {"binpack", "spread", "topology"}, ""},
      {model::kLinkAnnotation, {"preferred", "required"}, "required"},
      {model::kNumaAnnotation, {"preferred", "required"}, "required"},
      {model::kIsolationAnnotation, {"auto", "driver", "library", "mps", "mig", "none"}, ""},
  };
  return rules;
}

Status CheckWord(const WordRule& rule, std::string_view value) {
  if (std::find(rule.words.begin(), rule.words.end(), value) == rule.words.end()) {
    std::string list;
    for (const std::string_view word : rule.words) {
      list += list.empty() ? "" : word == rule.words.back() ? " or " : ", ";
      list += word;
    }
    return Malformed(rule.key, value, "use " + list);
  }
  if (!rule.unsupported.empty() && value == rule.unsupported) {
    return Malformed(rule.key, value,
                     "this version can't hold to that: use preferred, or remove it");
  }
  return Status::Ok();
}

}  // namespace

Result<std::vector<std::string>> CheckUserAnnotations(const model::Pod& pod,
                                                      const PodDemand& demand) {
  std::vector<std::string> warnings;
  Status problem;
  const auto check = [&](std::string_view key, auto rule) {
    const std::string* value = pod.Annotation(key);
    if (value == nullptr || !problem.ok()) {
      return;
    }
    problem = rule(*value);
    // "auto" asks for nothing but the default.
    if (!(key == model::kIsolationAnnotation && *value == "auto")) {
      warnings.push_back("annotation " + std::string(key) + " has no effect in this version");
    }
  };
  check(model::kGpuCountAnnotation,
        [&](std::string_view value) { return CheckGpuCount(value, demand); });
  check(model::kGpuModelAnnotation, [](std::string_view value) {
    return CheckList(model::kGpuModelAnnotation, value, IsModel,
                     "list model names separated by commas, ! before one to exclude it");
  });
  check(model::kGpuUuidAnnotation, [](std::string_view value) {
    return CheckList(model::kGpuUuidAnnotation, value, IsGpuUuid,
                     "list card UUIDs separated by commas, ! before one to exclude it");
  });
  for (const WordRule& rule : WordRules()) {
    check(rule.key, [&](std::string_view value) { return CheckWord(rule, value); });
  }
  if (!problem.ok()) {
    return problem;
  }
  return warnings;
}

bool IsOwnPodAnnotation(std::string_view key) {
  constexpr std::array<std::string_view, 6> kOwn = {
      model::kAllocationAnnotation,    model::kAllocationSignatureAnnotation,
      model::kPredicateNodeAnnotation, model::kPredicateTimeAnnotation,
      model::kGpuAssignedAnnotation,   model::kRequeuedAnnotation};
  return std::find(kOwn.begin(), kOwn.end(), key) != kOwn.end() ||
         StartsWith(key, model::kGpuIndexAnnotationPrefix);
}

const std::vector<std::string_view>& UserPodAnnotations() {
  static const std::vector<std::string_view> keys = {
      model::kCoreLimitAnnotation, model::kGpuCountAnnotation,  model::kGpuModelAnnotation,
      model::kGpuUuidAnnotation,   model::kPlacementAnnotation, model::kLinkAnnotation,
      model::kNumaAnnotation,      model::kIsolationAnnotation};
  return keys;
}

bool IsUserPodAnnotation(std::string_view key) {
  const auto& keys = UserPodAnnotations();
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

}  // namespace aliquot::api
