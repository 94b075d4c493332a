// SPDX-License-Identifier: Apache-2.0
#include "simulate/mapa_replay.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <string>
#include <utility>

namespace aliquot::simulate {
namespace {

using topology::CardSet;

struct Running {
  std::int64_t ends = 0;
  CardSet cards = 0;

  friend bool operator>(const Running& a, const Running& b) { return a.ends > b.ends; }
};

void Measure(const RingModel& model, const MapaJob& job, CardSet cards, const MapaPolicy& policy,
             MapaOutcome& outcome) {
  ++outcome.jobs;
  if (!job.counts_links()) {
    return;
  }
  const RingFigures ring = model.Rings(cards);
  const bool by_bandwidth = policy.rings_by_effective_bandwidth(job);
  const auto add = [&job](MapaBandwidths& bandwidths, double value) {
    (job.sensitive ? bandwidths.sensitive : bandwidths.insensitive).push_back(value);
  };
  add(outcome.best_order, ring.best_effective);
  add(outcome.own_order, by_bandwidth ? ring.best_effective : ring.effective_of_best);
}

double Percentile(const std::vector<double>& ascending, double part) {
  const double place = part * static_cast<double>(ascending.size() - 1);
  const auto low = static_cast<std::size_t>(std::floor(place));
  const std::size_t high = std::min(low + 1, ascending.size() - 1);
  return ascending[low] + (ascending[high] - ascending[low]) * (place - std::floor(place));
}

}  // namespace

Status ReplayMapa(const RingModel& model, const std::vector<MapaJob>& jobs, MapaPolicy& policy,
                  MapaOutcome& outcome) {
  CardSet free =
      model.cards() == topology::kMaxCards ? ~CardSet{0} : topology::CardBit(model.cards()) - 1;
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running;
  std::int64_t now = 0;
  for (const MapaJob& job : jobs) {
    if (job.gpus > model.cards()) {
      return InvalidArgument("a job asks for " + std::to_string(job.gpus) +
                             " GPUs and the node has " + std::to_string(model.cards()) +
                             "; use a larger node or smaller jobs");
    }
    // The head waits until enough is free; whatever ends by then is free too.
    while (topology::CountOf(free) < job.gpus || (!running.empty() && running.top().ends <= now)) {
      now = std::max(now, running.top().ends);
      free |= running.top().cards;
      running.pop();
    }
    const CardSet cards = policy.Choose(free, job);
    free &= ~cards;
    running.push({now + job.service, cards});
    Measure(model, job, cards, policy, outcome);
  }
  return Status::Ok();
}

BandwidthSummary SummaryOf(std::vector<double> bandwidths) {
  BandwidthSummary summary;
  summary.jobs = bandwidths.size();
  if (bandwidths.empty()) {
    return summary;
  }
  std::sort(bandwidths.begin(), bandwidths.end());
  summary.mean = std::accumulate(bandwidths.begin(), bandwidths.end(), 0.0) /
                 static_cast<double>(bandwidths.size());
  summary.p25 = Percentile(bandwidths, 0.25);
  summary.median = Percentile(bandwidths, 0.5);
  return summary;
}

}  // namespace aliquot::simulate
