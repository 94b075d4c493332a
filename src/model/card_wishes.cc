// SPDX-License-Identifier: Apache-2.0
#include "model/card_wishes.h"

#include <algorithm>
#include <cstddef>

#include "base/strings.h"
#include "model/annotation_text.h"
#include "model/gpu_uuid.h"
#include "model/names.h"

namespace aliquot::model {
namespace {

constexpr std::size_t kMaxListEntries = 64;
constexpr std::size_t kMaxModelBytes = 64;

char KeyChar(char c) { return c == ' ' ? '-' : c; }

// Without the maker's and the family's name, each followed by a blank or a dash.
std::string_view WithoutBrand(std::string_view name) {
  for (const std::string_view brand : {std::string_view("NVIDIA"), std::string_view("Tesla")}) {
    if (name.size() > brand.size() + 1 && StartsWith(name, brand) &&
        KeyChar(name[brand.size()]) == '-') {
      name.remove_prefix(brand.size() + 1);
    }
  }
  return name;
}

bool CanBeModel(std::string_view text) {
  return !text.empty() && text.size() <= kMaxModelBytes && Trim(text) == text &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

struct ListRule {
  std::string_view key;
  bool (*valid)(std::string_view);
  std::string (*as_compared)(std::string_view);
  const char* remedy;
};

const ListRule kModelRule = {kGpuModelAnnotation, CanBeModel, ModelKey,
                             "list model names separated by commas, ! before one to exclude it"};
const ListRule kUuidRule = {kGpuUuidAnnotation, IsGpuUuid,
                            [](std::string_view uuid) { return std::string(uuid); },
                            "list card UUIDs separated by commas, ! before one to exclude it"};

void SortOnce(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

// A list to include, and with "!" before an entry to exclude.
Status ReadList(const Pod& pod, const ListRule& rule, std::vector<std::string>& included,
                std::vector<std::string>& excluded) {
  const std::string* value = pod.Annotation(rule.key);
  if (value == nullptr) {
    return Status::Ok();
  }
  if (static_cast<std::size_t>(std::count(value->begin(), value->end(), ',')) >= kMaxListEntries) {
    return MalformedAnnotation(rule.key, *value,
                               "list at most " + std::to_string(kMaxListEntries) + " entries");
  }
  for (std::string_view entry : Split(*value, ',')) {
    const bool exclude = StartsWith(entry, "!");
    if (exclude) {
      entry.remove_prefix(1);
    }
    if (!rule.valid(entry)) {
      return MalformedAnnotation(rule.key, *value, rule.remedy);
    }
    (exclude ? excluded : included).push_back(rule.as_compared(entry));
  }
  SortOnce(included);
  SortOnce(excluded);
  return Status::Ok();
}

// "required" sets `required`; "preferred" is what is done anyhow.
Status ReadStrength(const Pod& pod, std::string_view key, bool& required) {
  const std::string* value = pod.Annotation(key);
  required = value != nullptr && *value == "required";
  return value == nullptr ? Status::Ok()
                          : CheckAnnotationWord(key, *value, {"preferred", "required"});
}

Status ReadPlacement(const Pod& pod, Placement& placement) {
  const std::string* value = pod.Annotation(kPlacementAnnotation);
  if (value == nullptr) {
    return Status::Ok();
  }
  placement = *value == "binpack"    ? Placement::kBinpack
              : *value == "spread"   ? Placement::kSpread
              : *value == "topology" ? Placement::kTopology
                                     : Placement::kUnsaid;
  return CheckAnnotationWord(kPlacementAnnotation, *value, {"binpack", "spread", "topology"});
}

// Lengths instead of separators: a model's name may hold any character.
void AddNames(char mark, const std::vector<std::string>& names, std::string& shape) {
  for (const std::string& name : names) {
    shape += mark + std::to_string(name.size()) + ":" + name;
  }
}

}  // namespace

Result<CardWishes> CardWishesOf(const Pod& pod) {
  CardWishes wishes;
  Status status = ReadList(pod, kModelRule, wishes.models, wishes.models_excluded);
  if (status.ok()) {
    status = ReadList(pod, kUuidRule, wishes.uuids, wishes.uuids_excluded);
  }
  if (status.ok()) {
    status = ReadPlacement(pod, wishes.placement);
  }
  if (status.ok()) {
    status = ReadStrength(pod, kLinkAnnotation, wishes.all_nvlink);
  }
  if (status.ok()) {
    status = ReadStrength(pod, kNumaAnnotation, wishes.one_numa);
  }
  if (!status.ok()) {
    return status;
  }
  return wishes;
}

std::string ModelKey(std::string_view name) {
  std::string key(WithoutBrand(name));
  std::transform(key.begin(), key.end(), key.begin(), KeyChar);
  return key;
}

bool IsModel(std::string_view key, std::string_view published) {
  published = WithoutBrand(published);
  return std::equal(key.begin(), key.end(), published.begin(), published.end(),
                    [](char a, char b) { return a == KeyChar(b); });
}

std::string ShapeOfWishes(const CardWishes& wishes) {
  std::string shape;
  AddNames('m', wishes.models, shape);
  AddNames('M', wishes.models_excluded, shape);
  AddNames('u', wishes.uuids, shape);
  AddNames('U', wishes.uuids_excluded, shape);
  shape += wishes.all_nvlink ? "l" : "";
  shape += wishes.one_numa ? "n" : "";
  shape += wishes.placement == Placement::kBinpack    ? "b"
           : wishes.placement == Placement::kSpread   ? "s"
           : wishes.placement == Placement::kTopology ? "t"
                                                      : "";
  return shape;
}

}  // namespace aliquot::model
