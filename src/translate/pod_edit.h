// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admission/patch.h"
#include "base/status.h"
#include "translate/translate.h"

namespace aliquot::translate {

// A container or init container, and where it stands.
struct ContainerRef {
  const nlohmann::json* container = nullptr;
  std::string path;   // "/spec/containers/0"
  std::string label;  // `container "main"`
};

// What a container is to have on each of `cards` different cards.
struct Share {
  std::int64_t cards = 1;
  bool whole = false;
  std::int64_t core = 0;   // percent, where not whole
  std::int64_t units = 0;  // of 256 MiB, where not whole
  bool elastic = false;    // nothing bounds its core in the scheme that it comes from
};

// A pod being translated: what it says, and what is to change. The pod must outlive it. Not
// thread-safe.
class PodEdit {
 public:
  PodEdit(const nlohmann::json& pod, const TranslateOptions& options)
      : pod_(pod), options_(options) {}

  const nlohmann::json& pod() const { return pod_; }
  const TranslateOptions& options() const { return options_; }
  std::vector<ContainerRef> Containers() const;

  // The whole number that the container's limits, or else its requests, give for the resource;
  // nothing where it is not named. The error names container, resource and value.
  Result<std::optional<std::int64_t>> Amount(const ContainerRef& container,
                                             std::string_view resource) const;
  const std::string* Annotation(std::string_view key) const;
  bool NamesScheduler(std::string_view name) const;

  // Takes `foreign` off the container and puts the share in their place. The error: the container
  // has resources of ours already, or the share is more than can be asked for.
  Status Give(const ContainerRef& container, const Share& share,
              const std::vector<std::string>& foreign);
  // An annotation that the pod has already stays, with a note.
  void SetAnnotation(std::string_view key, const std::string& value);
  void RemoveAnnotation(std::string_view key);
  void RemoveLabel(std::string_view key);
  // A note for each annotation that begins so and was not removed: it has no equal. Call it after
  // the removals.
  void NoteLeftAnnotations(std::initializer_list<std::string_view> prefixes);
  // The cluster's default takes the pod, or the one that Aliquot's webhook gives it.
  void RemoveScheduler(std::string_view name);
  void Note(std::string sentence) { notes_.push_back(std::move(sentence)); }

  bool gave_any() const { return !shares_.empty(); }
  // What belongs to the pod as a whole: gpu-count and ceiling. Call once, last.
  Result<Translation> Finish();

 private:
  Status CheckShare(const ContainerRef& container, const Share& share) const;
  // In one of the container's `limits` and `requests`.
  void ReplaceAmounts(const ContainerRef& container, const char* kind, const nlohmann::json& ours,
                      const std::vector<std::string>& foreign);
  Status FinishCount();
  void FinishCeiling();
  bool HasOwnResource(const nlohmann::json& container) const;

  const nlohmann::json& pod_;
  const TranslateOptions& options_;
  admission::Patch patch_;
  bool annotations_added_ = false;
  std::vector<std::string> set_annotations_;
  std::vector<std::string> removed_annotations_;
  std::vector<Share> shares_;
  std::vector<std::string> notes_;
};

}  // namespace aliquot::translate
