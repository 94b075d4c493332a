// SPDX-License-Identifier: Apache-2.0
#include "simulate/churn.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "simulate/demand_cache.h"
#include "simulate/random_stream.h"
#include "simulate/trace_cluster.h"
#include "simulate/trace_mix.h"

namespace aliquot::simulate {
namespace {

constexpr std::size_t kEventsPerProgress = 64;

// The pods' lives in units of their mean.
class Lives {
 public:
  explicit Lives(const std::vector<TracePod>& pods) {
    double sum = 0;
    std::size_t known = 0;
    for (const TracePod& pod : pods) {
      known += pod.life_seconds ? 1 : 0;
      sum += pod.life_seconds.value_or(0);
    }
    const double mean = known == 0 ? 0 : sum / static_cast<double>(known);
    for (const TracePod& pod : pods) {
      if (mean > 0 && pod.life_seconds) {
        lives_.push_back(*pod.life_seconds / mean);
      } else {
        lives_.push_back(std::nullopt);
      }
      total_ += Mean(lives_.size() - 1);
      cumulated_.push_back(total_);
    }
  }

  double Mean(std::size_t pod) const { return lives_[pod].value_or(1); }
  double total() const { return total_; }
  double Draw(std::size_t pod, RandomStream& random) const {
    return lives_[pod] ? *lives_[pod] : random.Exponential(1);
  }
  // What is left of one that is met by chance. An exponential life has no memory.
  double DrawRest(std::size_t pod, RandomStream& random) const {
    return lives_[pod] ? *lives_[pod] * random.Unit() : random.Exponential(1);
  }
  // A pod met by chance: the longer it lives the more often.
  std::size_t DrawLiving(RandomStream& random) const {
    const double at = random.Unit() * total_;
    const auto found = std::upper_bound(cumulated_.begin(), cumulated_.end(), at);
    return std::min(static_cast<std::size_t>(found - cumulated_.begin()), cumulated_.size() - 1);
  }

 private:
  std::vector<std::optional<double>> lives_;
  std::vector<double> cumulated_;
  double total_ = 0;
};

class Churn {
 public:
  Churn(const OpenbTrace& trace, const ChurnOptions& options)
      : trace_(trace),
        options_(options),
        random_(options.seed),
        lives_(trace.pods),
        demands_(trace.pods) {
    result_.seed = options.seed;
  }

  Result<ChurnResult> Run(const scoring::Policy& policy, const Clock& clock,
                          const Progress& progress) {
    if (Status status = Prepare(); !status.ok()) {
      return status;
    }
    TraceCluster cluster(trace_.nodes, policy, options_.service, clock, LinkRules(), random_);
    if (KnowsTheTrace(policy)) {
      cluster.Expect(MixOf(trace_.pods, demands_));
    }
    for (std::size_t i = 0; i < starting_; ++i) {
      const std::size_t pod = lives_.DrawLiving(random_);
      Arrive(pod, lives_.DrawRest(pod, random_), cluster);
    }
    const double end = kWarmUpLives + kMeasuredLives;
    double next = random_.Exponential(1 / rate_);
    for (std::size_t i = 0; next < end; ++i) {
      EndPodsUntil(next, cluster);
      const auto pod = static_cast<std::size_t>(random_.Below(trace_.pods.size()));
      Arrive(pod, lives_.Draw(pod, random_), cluster);
      if (progress && i % kEventsPerProgress == 0) {
        progress(next / end);
      }
      next += random_.Exponential(1 / rate_);
    }
    EndPodsUntil(end, cluster);
    if (!cluster.problem().ok()) {
      return cluster.problem();
    }
    result_.mean_allocated_percent =
        100 * milli_lives_ / (kMeasuredLives * static_cast<double>(TotalGpuMilli(trace_.nodes)));
    return std::move(result_);
  }

 private:
  struct Living {
    double ends = 0;
    std::size_t number = 0;  // of its arrival: equal ends go in that order
    std::size_t pod = 0;
    PlacedPod placed;

    friend bool operator>(const Living& a, const Living& b) {
      return a.ends != b.ends ? a.ends > b.ends : a.number > b.number;
    }
  };

  Status Prepare() {
    const auto total = static_cast<double>(TotalGpuMilli(trace_.nodes));
    const auto pods = static_cast<double>(trace_.pods.size());
    double milli_lives = 0;
    for (std::size_t i = 0; i < trace_.pods.size(); ++i) {
      milli_lives += static_cast<double>(trace_.pods[i].total_milli()) * lives_.Mean(i);
    }
    if (total == 0 || milli_lives == 0) {
      return InvalidArgument(total == 0 ? "no node has a GPU; give nodes with gpu above 0"
                                        : "no pod asks for a GPU for any time; give a trace with "
                                          "num_gpu above 0");
    }
    rate_ = options_.load * total / (milli_lives / pods);
    const double living = rate_ * lives_.total() / pods;
    if (rate_ * (kWarmUpLives + kMeasuredLives) + living > static_cast<double>(kMostArrivals)) {
      return InvalidArgument("more than " + std::to_string(kMostArrivals) +
                             " pods would arrive; use a lower --churn or fewer nodes");
    }
    starting_ = static_cast<std::size_t>(living);
    return demands_.problem();
  }

  bool measuring() const { return now_ >= kWarmUpLives; }

  void Arrive(std::size_t pod, double life, TraceCluster& cluster) {
    const TracePod& asked = trace_.pods[pod];
    const std::size_t number = arrivals_++;
    auto placed = cluster.Place(asked, demands_.Of(pod), std::to_string(number));
    if (measuring()) {
      ClassCount& count = result_.classes[PodClassOf(asked)];
      ++count.arrived;
      count.refused += placed ? 0 : 1;
    }
    if (placed) {
      living_.push({now_ + life, number, pod, *std::move(placed)});
    }
  }

  // Moves the time on, pod by pod that ends.
  void EndPodsUntil(double time, TraceCluster& cluster) {
    while (!living_.empty() && living_.top().ends <= time) {
      Pass(living_.top().ends, cluster);
      const Living& over = living_.top();
      cluster.Remove(over.placed, trace_.pods[over.pod], std::to_string(over.number));
      living_.pop();
    }
    Pass(time, cluster);
  }

  void Pass(double until, const TraceCluster& cluster) {
    const double from = std::max(now_, kWarmUpLives);
    if (until > from) {
      milli_lives_ += (until - from) * static_cast<double>(cluster.books().taken_milli());
    }
    now_ = until;
  }

  const OpenbTrace& trace_;
  const ChurnOptions& options_;
  RandomStream random_;
  const Lives lives_;
  const DemandCache demands_;
  double rate_ = 0;           // arrivals a mean life
  std::size_t starting_ = 0;  // pods at hand at the start
  double now_ = 0;            // mean lives
  double milli_lives_ = 0;    // integral of what is placed over the measured time
  std::size_t arrivals_ = 0;
  std::priority_queue<Living, std::vector<Living>, std::greater<>> living_;
  ChurnResult result_;
};

}  // namespace

std::size_t PodClassOf(const TracePod& pod) {
  switch (pod.gpus) {
    case 0:
      return 0;
    case 1:
      return pod.shared() ? 1 : 2;
    case 2:
      return 3;
    case 4:
      return 4;
    case 8:
      return 5;
    default:
      return 6;
  }
}

Result<ChurnResult> ReplayChurn(const OpenbTrace& trace, const scoring::Policy& policy,
                                const ChurnOptions& options, const Clock& clock,
                                const Progress& progress) {
  return Churn(trace, options).Run(policy, clock, progress);
}

}  // namespace aliquot::simulate
