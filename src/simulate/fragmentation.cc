// SPDX-License-Identifier: Apache-2.0
#include "simulate/fragmentation.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace aliquot::simulate {
namespace {

constexpr double kCovered = 0.95;

using Kind = std::tuple<std::int64_t, int, int, std::vector<std::string>>;

double IdleUnusable(const TypicalPod& pod, std::int64_t cpu_milli_free,
                    const std::vector<int>& gpu_milli_free, std::int64_t idle) {
  int enough = 0;
  std::int64_t too_little = 0;
  for (const int left : gpu_milli_free) {
    if (left >= pod.gpu_milli) {
      ++enough;
    } else {
      too_little += left;
    }
  }
  const bool fits = cpu_milli_free >= pod.cpu_milli && enough >= pod.gpus;
  return static_cast<double>(fits ? too_little : idle);
}

}  // namespace

std::vector<TypicalPod> TypicalPods(const std::vector<TracePod>& pods) {
  std::map<Kind, std::size_t> counts;
  for (const TracePod& pod : pods) {
    ++counts[{pod.host.cpu_milli, pod.gpus, pod.gpu_milli, pod.models}];
  }
  std::vector<std::pair<Kind, std::size_t>> kinds(counts.begin(), counts.end());
  std::stable_sort(kinds.begin(), kinds.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::size_t covered = 0;
  std::vector<TypicalPod> typical;
  for (const auto& [kind, count] : kinds) {
    if (static_cast<double>(covered) >= kCovered * static_cast<double>(pods.size())) {
      break;
    }
    const auto& [cpu, gpus, milli, models] = kind;
    typical.push_back({cpu, gpus, milli, models, static_cast<double>(count)});
    covered += count;
  }
  for (TypicalPod& pod : typical) {
    pod.share /= static_cast<double>(covered);
  }
  return typical;
}

FragmentationMeter::FragmentationMeter(const std::vector<TypicalPod>& pods,
                                       const std::string& model) {
  for (const TypicalPod& pod : pods) {
    const bool allowed = pod.models.empty() ||
                         std::find(pod.models.begin(), pod.models.end(), model) != pod.models.end();
    if (pod.gpus > 0 && allowed) {
      fitting_.push_back(pod);
    } else {
      never_ += pod.share;
    }
  }
}

double FragmentationMeter::Of(std::int64_t cpu_milli_free,
                              const std::vector<int>& gpu_milli_free) const {
  std::int64_t idle = 0;
  for (const int left : gpu_milli_free) {
    idle += left;
  }
  double sum = never_ * static_cast<double>(idle);
  for (const TypicalPod& pod : fitting_) {
    sum += pod.share * IdleUnusable(pod, cpu_milli_free, gpu_milli_free, idle);
  }
  return sum;
}

}  // namespace aliquot::simulate
