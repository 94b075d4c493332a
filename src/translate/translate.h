// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "model/names.h"
#include "translate/scheme.h"

namespace aliquot::translate {

// What one time-sliced replica is worth.
struct ReplicaShare {
  std::int64_t core = 0;  // percent, 1 to 99
  std::int64_t mib = 0;
};

struct TranslateOptions {
  model::ResourceNames names;
  // Of the cards that the pod is meant for, where known: percentages of it become MiB.
  std::optional<std::int64_t> card_mib;
  // Set where nvidia.com/gpu is one replica of a time-sliced GPU; else it is a whole GPU.
  std::optional<ReplicaShare> replica;
};

struct Translation {
  // RFC 6902, against the pod or template; empty when it asks for no GPU in the scheme's way.
  nlohmann::json patch = nlohmann::json::array();
  // One sentence for each thing that changes its meaning or has no equal.
  std::vector<std::string> notes;
};

// Translates a pod, or a pod template (an object with `metadata` and `spec`), to Aliquot's
// resources and annotations. What asks for no GPU is left as it is, and what was translated once is
// not touched again. The error is one sentence: something is malformed, has no equal at all, or
// needs a number that the options lack. Pure.
//
// Memory becomes units of 256 MiB: an amount is rounded up, a part of a card down, so that the
// parts of a card still fit it together. A share that names no core takes the part of the card's
// core that its memory is of the card's, and up to all of it while the card is idle.
Result<Translation> TranslatePod(const nlohmann::json& pod, Scheme scheme,
                                 const TranslateOptions& options);

}  // namespace aliquot::translate
