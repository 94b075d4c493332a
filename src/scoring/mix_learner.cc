// SPDX-License-Identifier: Apache-2.0
#include "scoring/mix_learner.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace aliquot::scoring {
namespace {

constexpr std::int64_t kFirstIncrement = std::int64_t{1} << 32;
// Past it all weights are made smaller alike: sums of them must stay below 2^63.
constexpr std::int64_t kLargestIncrement = std::int64_t{1} << 46;
constexpr int kScaleDown = 14;

// A sum of shares that may sit on one card together.
struct Peak {
  int steady = 0;
  int highest = 0;

  void Add(const model::ContainerDemand& container, int amount) {
    const int now = steady + amount;
    highest = std::max(highest, now);
    steady = container.kind == model::ContainerKind::kInit ? steady : now;
  }
};

}  // namespace

PodClass ClassOf(const model::PodDemand& demand) {
  Peak whole_cards;
  Peak share;
  int cards = 0;
  int largest = 0;
  for (const model::ContainerDemand& each : demand.containers) {
    whole_cards.Add(each, each.whole ? each.cards : 0);
    share.Add(each, each.whole ? 0 : each.core * each.cards);
    cards = std::max(cards, each.cards);
    largest = std::max(largest, each.core);
  }
  PodClass made;
  made.host = demand.host;
  made.models = demand.wishes.models;
  if (whole_cards.highest > 0) {
    made.cards = whole_cards.highest;
    made.core = 100;
  } else if (cards == 1 && share.highest <= 100) {
    made.cards = 1;
    made.core = share.highest;
  } else if (largest > 0) {
    made.cards = (share.highest + largest - 1) / largest;
    made.core = largest;
  }
  return made;
}

MixLearner::MixLearner(const MixOptions& options)
    : options_(options), increment_(kFirstIncrement) {}

bool MixLearner::Knows(std::string_view uid) const {
  MutexLock lock(mutex_);
  return known_uids_.contains(std::hash<std::string_view>()(uid));
}

void MixLearner::Learn(std::string_view uid, const model::PodDemand& demand) {
  if (demand.empty()) {
    return;
  }
  MutexLock lock(mutex_);
  if (RememberUid(uid)) {
    Count(ClassOf(demand));
  }
}

void MixLearner::Learn(const PodClass& pods) {
  MutexLock lock(mutex_);
  Count(pods);
}

bool MixLearner::RememberUid(std::string_view uid) {
  const std::uint64_t hash = std::hash<std::string_view>()(uid);
  if (!known_uids_.insert(hash).second) {
    return false;
  }
  uid_ages_.push_back(hash);
  if (uid_ages_.size() > options_.remembered_pods) {
    known_uids_.erase(uid_ages_.front());
    uid_ages_.pop_front();
  }
  return true;
}

void MixLearner::Count(const PodClass& pods) {
  if (pods.cards > 0) {
    ++seen_;
    // By ln 2 / half-life for each pod.
    increment_ += increment_ * 693 / 1000 / options_.half_life_pods;
  }
  if (increment_ > kLargestIncrement) {
    increment_ >>= kScaleDown;
    for (auto& [key, learned] : classes_) {
      learned.weight >>= kScaleDown;
    }
  }
  Learned& learned = classes_[{pods.host.cpu_milli, pods.cards, pods.core, pods.models}];
  learned.weight += increment_;
  learned.memory_mib = pods.host.memory_mib;
  if (classes_.size() > options_.max_classes) {
    MakeRoom();
  }
}

void MixLearner::MakeRoom() {
  std::vector<std::int64_t> weights;
  for (const auto& [key, learned] : classes_) {
    weights.push_back(learned.weight);
  }
  const auto middle = weights.begin() + static_cast<std::ptrdiff_t>(weights.size() / 2);
  std::nth_element(weights.begin(), middle, weights.end());
  const std::int64_t least = *middle;
  for (auto each = classes_.begin(); each != classes_.end();) {
    each = each->second.weight < least ? classes_.erase(each) : std::next(each);
  }
  // All alike: then the last ones go.
  while (classes_.size() > options_.max_classes) {
    classes_.erase(std::prev(classes_.end()));
  }
}

bool MixLearner::Due() const {
  MutexLock lock(mutex_);
  return epoch_ == 0 || seen_ >= next_outlook_;
}

std::shared_ptr<const Outlook> MixLearner::Publish(const ClusterFigures& cluster) {
  std::vector<PodClass> mix;
  std::uint64_t epoch = 0;
  {
    MutexLock lock(mutex_);
    epoch = ++epoch_;
    next_outlook_ = std::max(options_.first_outlook_pods,
                             std::min(seen_ * 2, seen_ + options_.most_pods_between));
    const std::int64_t halvings = seen_ / options_.assumed_half_life_pods;
    const std::int64_t assumed =
        halvings > 40 ? 0 : (increment_ * options_.assumed_pods) >> halvings;
    mix = DefaultMix(cluster, assumed);
    for (const auto& [key, learned] : classes_) {
      mix.push_back(
          {{key.cpu_milli, learned.memory_mib}, key.cards, key.core, key.models, learned.weight});
    }
  }
  return MakeOutlook(epoch, std::move(mix), cluster);
}

}  // namespace aliquot::scoring
