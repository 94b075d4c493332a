// SPDX-License-Identifier: Apache-2.0
#pragma once

// Mixes of pods for tests of scoring, written in few words.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "scoring/outlook.h"

namespace aliquot::scoring {

inline PodClass Pods(std::int64_t weight, int cards, int core, std::int64_t cpu_milli = 0,
                     std::vector<std::string> models = {}) {
  PodClass made;
  made.weight = weight;
  made.cards = cards;
  made.core = core;
  made.host.cpu_milli = cpu_milli;
  made.models = std::move(models);
  return made;
}

inline std::shared_ptr<const Outlook> Expecting(std::vector<PodClass> classes,
                                                const ClusterFigures& cluster = {}) {
  return MakeOutlook(1, std::move(classes), cluster);
}

}  // namespace aliquot::scoring
