// SPDX-License-Identifier: Apache-2.0
#include "simulate/arrivals.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

namespace aliquot::simulate {
namespace {

std::vector<std::size_t> SortedByName(const std::vector<TracePod>& pods) {
  std::vector<std::size_t> order(pods.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&pods](std::size_t a, std::size_t b) { return pods[a].name < pods[b].name; });
  return order;
}

// Which of a list are left. The n-th of them is found and taken in O(log size), by a Fenwick tree
// of how many are left: a trace of a million pods is cut in a second.
class Remaining {
 public:
  explicit Remaining(std::size_t count) : sums_(count + 1) {
    for (std::size_t i = 1; i <= count; ++i) {
      sums_[i] = LowestBit(i);
    }
    while (top_ * 2 <= count) {
      top_ *= 2;
    }
  }

  // `nth` counts from 0. Pre: more than that are left.
  std::size_t TakeNth(std::uint64_t nth) {
    std::size_t at = 0;
    for (std::size_t step = top_; step > 0; step /= 2) {
      if (at + step < sums_.size() && sums_[at + step] <= nth) {
        at += step;
        nth -= sums_[at];
      }
    }
    for (std::size_t i = at + 1; i < sums_.size(); i += LowestBit(i)) {
      --sums_[i];
    }
    return at;
  }

 private:
  static std::size_t LowestBit(std::size_t i) { return i & (~i + 1); }

  std::vector<std::size_t> sums_;
  std::size_t top_ = 1;
};

// Takes drawn arrivals away, keeping the order of the others.
void Cut(const std::vector<TracePod>& pods, double limit, double total, RandomStream& random,
         std::vector<Arrival>& arrivals) {
  Remaining remaining(arrivals.size());
  std::vector<bool> taken(arrivals.size());
  for (std::size_t left = arrivals.size(); total > limit && left > 0; --left) {
    const std::size_t drawn = remaining.TakeNth(random.Below(left));
    taken[drawn] = true;
    total -= static_cast<double>(pods[arrivals[drawn].pod].total_milli());
  }
  std::vector<Arrival> kept;
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    if (!taken[i]) {
      kept.push_back(arrivals[i]);
    }
  }
  arrivals = std::move(kept);
}

Status Grow(const std::vector<TracePod>& pods, const std::vector<std::size_t>& sorted, double limit,
            double total, RandomStream& random, std::vector<Arrival>& arrivals) {
  std::vector<int> copies(pods.size(), 0);
  for (;;) {
    const std::size_t drawn = sorted[static_cast<std::size_t>(random.Below(sorted.size()))];
    if (total + pods[drawn].gpu_milli > limit) {
      return Status::Ok();
    }
    if (arrivals.size() >= kMostArrivals) {
      return InvalidArgument("more than " + std::to_string(kMostArrivals) +
                             " pods would arrive; use a lower --arrivals or fewer nodes");
    }
    total += static_cast<double>(pods[drawn].total_milli());
    arrivals.push_back({drawn, ++copies[drawn]});
  }
}

}  // namespace

Result<std::vector<Arrival>> InflatedArrivals(const std::vector<TracePod>& pods, double ratio,
                                              std::int64_t cluster_milli, RandomStream& random) {
  const std::int64_t asked = std::accumulate(
      pods.begin(), pods.end(), std::int64_t{0},
      [](std::int64_t sum, const TracePod& pod) { return sum + pod.total_milli(); });
  if (asked == 0) {
    return InvalidArgument("no pod asks for a GPU; give a trace with num_gpu above 0");
  }
  if (cluster_milli == 0) {
    return InvalidArgument("no node has a GPU; give nodes with gpu above 0");
  }
  const std::vector<std::size_t> sorted = SortedByName(pods);
  std::vector<Arrival> arrivals;
  arrivals.reserve(sorted.size());
  for (const std::size_t pod : sorted) {
    arrivals.push_back({pod, 0});
  }
  random.Shuffle(arrivals);
  const double limit = ratio * static_cast<double>(cluster_milli);
  const auto total = static_cast<double>(asked);
  if (total > limit) {
    Cut(pods, limit, total, random, arrivals);
    return arrivals;
  }
  if (Status status = Grow(pods, sorted, limit, total, random, arrivals); !status.ok()) {
    return status;
  }
  return arrivals;
}

}  // namespace aliquot::simulate
