// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which cards a pod may have, apart from room on them: what its annotations say
// (docs/reference/annotations.md). Plain values; pure, thread-safe functions.

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/pod.h"

namespace aliquot::model {

// How the user wants cards to be chosen: annotation aliquot.io/placement.
enum class Placement { kUnsaid, kBinpack, kSpread, kTopology };

// What the annotations ask of a pod's cards. All its cards together are meant, those of every
// container.
struct CardWishes {
  // Names of models as ModelKey writes them, and card UUIDs; sorted, each once. An empty list to
  // include means any.
  std::vector<std::string> models;
  std::vector<std::string> models_excluded;
  std::vector<std::string> uuids;
  std::vector<std::string> uuids_excluded;
  bool all_nvlink = false;  // aliquot.io/link: required, each pair of its cards
  bool one_numa = false;    // aliquot.io/numa: required, all of them on one NUMA node
  Placement placement = Placement::kUnsaid;

  bool names_models() const { return !models.empty() || !models_excluded.empty(); }
  bool names_cards() const { return names_models() || !uuids.empty() || !uuids_excluded.empty(); }
  bool binds_cards_together() const { return all_nvlink || one_numa; }
};

// Reads aliquot.io/gpu-model, gpu-uuid, link, numa and placement. The error is one sentence that
// names the annotation, its value and the remedy.
Result<CardWishes> CardWishesOf(const Pod& pod);

// A model's name as it is compared: blanks are dashes, and "NVIDIA-" and then "Tesla-" in front are
// left out; case counts. So the inventory's "NVIDIA A100-SXM4-80GB", the label's
// "NVIDIA-A100-SXM4-80GB" (GPU feature discovery writes dashes for blanks) and "A100-SXM4-80GB" are
// one model, while "A100" is another.
std::string ModelKey(std::string_view name);
// ModelKey(published) == key, without an allocation.
bool IsModel(std::string_view key, std::string_view published);

// Equal for equal wishes, "" for none: a part of PodDemand::shape.
std::string ShapeOfWishes(const CardWishes& wishes);

}  // namespace aliquot::model
