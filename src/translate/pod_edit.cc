// SPDX-License-Identifier: Apache-2.0
#include "translate/pod_edit.h"

#include <algorithm>
#include <utility>

#include "admission/pod_review.h"
#include "base/strings.h"
#include "model/demand.h"
#include "model/gpu_count.h"
#include "model/names.h"

namespace aliquot::translate {

using admission::Member;
using admission::Patch;
using nlohmann::json;

namespace {

constexpr char kAnnotations[] = "/metadata/annotations";
constexpr std::int64_t kMostWholeGpus = 1024;  // no node has so many

// A quantity may be a number in a manifest; the API server makes it a string.
std::string QuantityText(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

const json* Amounts(const json& container, const char* kind) {
  const json* amounts = Member(container, {"resources", kind});
  return amounts != nullptr && amounts->is_object() ? amounts : nullptr;
}

}  // namespace

std::vector<ContainerRef> PodEdit::Containers() const {
  std::vector<ContainerRef> all;
  for (const admission::ContainerList& list : admission::ContainerLists(pod_)) {
    for (std::size_t i = 0; i < list.containers->size(); ++i) {
      const json& container = (*list.containers)[i];
      all.push_back(
          {&container, list.path + "/" + std::to_string(i), admission::ContainerLabel(container)});
    }
  }
  return all;
}

Result<std::optional<std::int64_t>> PodEdit::Amount(const ContainerRef& container,
                                                    std::string_view resource) const {
  for (const char* kind : {"limits", "requests"}) {
    const json* amounts = Amounts(*container.container, kind);
    const json* value = amounts == nullptr ? nullptr : Member(*amounts, resource);
    if (value == nullptr) {
      continue;
    }
    const std::string text = QuantityText(*value);
    const Result<std::int64_t> count = model::ParseCount(text);
    if (!count.ok()) {
      return InvalidArgument(container.label + ": " + std::string(resource) + " is " +
                             Printable(text) + "; give a whole number");
    }
    return std::optional(*count);
  }
  return std::optional<std::int64_t>();
}

const std::string* PodEdit::Annotation(std::string_view key) const {
  const json* value = Member(pod_, {"metadata", "annotations", key});
  return value == nullptr ? nullptr : &value->get_ref<const std::string&>();
}

bool PodEdit::NamesScheduler(std::string_view name) const {
  const json* scheduler = Member(pod_, {"spec", "schedulerName"});
  return scheduler != nullptr && *scheduler == name;
}

bool PodEdit::HasOwnResource(const json& container) const {
  for (const char* kind : {"limits", "requests"}) {
    const json* amounts = Amounts(container, kind);
    if (amounts == nullptr) {
      continue;
    }
    for (const auto& [key, value] : amounts->items()) {
      if (StartsWith(key, options_.names.prefix)) {
        return true;
      }
    }
  }
  return false;
}

Status PodEdit::CheckShare(const ContainerRef& container, const Share& share) const {
  if (HasOwnResource(*container.container)) {
    return InvalidArgument(container.label + " asks for a GPU in Aliquot's way (" +
                           options_.names.prefix + "*) and in another at once; keep one of them");
  }
  const std::int64_t most = share.whole ? kMostWholeGpus : model::kMaxGpuCount;
  if (share.cards > most) {
    return InvalidArgument(container.label + " asks for " + (share.whole ? "" : "shares of ") +
                           std::to_string(share.cards) + " GPUs; at most " + std::to_string(most) +
                           " can be asked for");
  }
  if (!share.whole && share.core * share.cards >= model::kWholeCardCore) {
    return InvalidArgument(container.label + " asks for " + std::to_string(share.core) + " % of " +
                           std::to_string(share.cards) +
                           " GPUs; shares come to at most 99 % in sum, so ask for fewer or for "
                           "whole GPUs");
  }
  return Status::Ok();
}

void PodEdit::ReplaceAmounts(const ContainerRef& container, const char* kind, const json& ours,
                             const std::vector<std::string>& foreign) {
  const std::string at = container.path + "/resources/" + kind;
  const json* amounts = Amounts(*container.container, kind);
  bool named = false;
  for (const std::string& key : foreign) {
    if (amounts != nullptr && amounts->contains(key)) {
      patch_.Remove(Patch::Member(at, key));
      named = true;
    }
  }
  // Kubernetes takes limits alone for both.
  if (!named && std::string_view(kind) == "requests") {
    return;
  }
  if (amounts == nullptr) {
    patch_.Add(at, ours);
    return;
  }
  for (const auto& [key, value] : ours.items()) {
    patch_.Add(Patch::Member(at, key), value);
  }
}

Status PodEdit::Give(const ContainerRef& container, const Share& share,
                     const std::vector<std::string>& foreign) {
  if (Status status = CheckShare(container, share); !status.ok()) {
    return status;
  }
  const std::int64_t core = (share.whole ? model::kWholeCardCore : share.core) * share.cards;
  json ours = {{options_.names.core, std::to_string(core)}};
  if (!share.whole) {
    ours[options_.names.memory] = std::to_string(share.units * share.cards);
  }
  if (Member(*container.container, "resources") == nullptr) {
    patch_.Add(container.path + "/resources", json::object());
  }
  ReplaceAmounts(container, "limits", ours, foreign);
  ReplaceAmounts(container, "requests", ours, foreign);
  shares_.push_back(share);
  return Status::Ok();
}

void PodEdit::SetAnnotation(std::string_view key, const std::string& value) {
  const std::string* present = Annotation(key);
  if (present != nullptr) {
    if (*present != value) {
      Note("annotation " + std::string(key) + " is " + Printable(*present) + " already and stays");
    }
    return;
  }
  if (std::find(set_annotations_.begin(), set_annotations_.end(), key) != set_annotations_.end()) {
    return;
  }
  set_annotations_.emplace_back(key);
  if (Member(pod_, "metadata") == nullptr && !annotations_added_) {
    patch_.Add("/metadata", json::object());
  }
  admission::SetInMap(patch_, kAnnotations, Member(pod_, {"metadata", "annotations"}),
                      annotations_added_, std::string(key), value);
}

void PodEdit::RemoveAnnotation(std::string_view key) {
  if (Annotation(key) != nullptr) {
    patch_.Remove(Patch::Member(kAnnotations, key));
    removed_annotations_.emplace_back(key);
  }
}

void PodEdit::NoteLeftAnnotations(std::initializer_list<std::string_view> prefixes) {
  const json* annotations = Member(pod_, {"metadata", "annotations"});
  if (annotations == nullptr) {
    return;
  }
  for (const auto& [key, value] : annotations->items()) {
    const std::string& name = key;
    const bool theirs = std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view prefix) {
      return StartsWith(name, prefix);
    });
    const bool removed = std::find(removed_annotations_.begin(), removed_annotations_.end(),
                                   name) != removed_annotations_.end();
    if (theirs && !removed) {
      Note("annotation " + Printable(name) +
           " stays and has no effect; Aliquot has no equal of it");
    }
  }
}

void PodEdit::RemoveLabel(std::string_view key) {
  if (Member(pod_, {"metadata", "labels", key}) != nullptr) {
    patch_.Remove(Patch::Member("/metadata/labels", key));
  }
}

void PodEdit::RemoveScheduler(std::string_view name) {
  if (NamesScheduler(name)) {
    patch_.Remove("/spec/schedulerName");
    Note("schedulerName " + std::string(name) +
         " is removed; the scheduler that Aliquot works with takes the pod");
  }
}

Status PodEdit::FinishCount() {
  std::int64_t cards = 0;
  bool whole = false;
  bool differ = false;
  for (const Share& share : shares_) {
    whole = whole || share.whole;
    if (!share.whole) {
      differ = differ || (cards != 0 && cards != share.cards);
      cards = std::max(cards, share.cards);
    }
  }
  for (const ContainerRef& container : Containers()) {
    // Ours from before: the annotation would spread it too.
    differ = differ || (cards > 1 && HasOwnResource(*container.container));
  }
  if (cards <= 1) {
    return Status::Ok();
  }
  if (whole || differ) {
    return InvalidArgument(
        "the pod's containers ask for shares of several GPUs each, and not all for as many; "
        "annotation " +
        std::string(model::kGpuCountAnnotation) +
        " holds for every container of a pod, so give them equal counts or pods of their own");
  }
  const std::string* present = Annotation(model::kGpuCountAnnotation);
  if (present != nullptr && *present != std::to_string(cards)) {
    return InvalidArgument("annotation " + std::string(model::kGpuCountAnnotation) + " is " +
                           Printable(*present) + " although the containers ask for shares of " +
                           std::to_string(cards) + " GPUs; remove it");
  }
  SetAnnotation(model::kGpuCountAnnotation, std::to_string(cards));
  return Status::Ok();
}

void PodEdit::FinishCeiling() {
  bool elastic = false;
  bool bounded = false;
  for (const Share& share : shares_) {
    elastic = elastic || (!share.whole && share.elastic);
    bounded = bounded || (!share.whole && !share.elastic);
  }
  if (elastic && bounded) {
    Note(
        "some containers of the pod have a bound on their core and some have none; each now has "
        "its share as bound, because annotation " +
        std::string(model::kCoreLimitAnnotation) + " would lift it for all");
  } else if (elastic) {
    SetAnnotation(model::kCoreLimitAnnotation, "100");
  }
}

Result<Translation> PodEdit::Finish() {
  if (Status status = FinishCount(); !status.ok()) {
    return status;
  }
  FinishCeiling();
  Translation translation;
  translation.patch = patch_.operations();
  translation.notes = std::move(notes_);
  return translation;
}

}  // namespace aliquot::translate
