// SPDX-License-Identifier: Apache-2.0
#include "simulate/trace_mix.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "scoring/mix_learner.h"

namespace aliquot::simulate {

bool KnowsTheTrace(const scoring::Policy& policy) { return policy.name() == "fgd"; }

std::vector<scoring::PodClass> MixOf(const std::vector<TracePod>& pods,
                                     const DemandCache& demands) {
  using Key = std::tuple<std::int64_t, int, int, std::vector<std::string>>;
  std::map<Key, std::size_t> places;
  std::vector<scoring::PodClass> mix;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const model::PodDemand& demand = demands.Of(i);
    scoring::PodClass pod = scoring::ClassOf(demand);
    pod.host = pods[i].host;
    const auto [at, fresh] =
        places.emplace(Key(pod.host.cpu_milli, pod.cards, pod.core, pod.models), mix.size());
    if (fresh) {
      pod.weight = 0;
      mix.push_back(pod);
    }
    ++mix[at->second].weight;
  }
  return mix;
}

}  // namespace aliquot::simulate
