// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/string_map.h"
#include "model/demand.h"
#include "model/pod.h"

namespace aliquot::ledger {

// A pod that asks for cards and is not bound yet.
struct PendingPod {
  model::PodKey key;
  std::string uid;
  model::PodDemand demand;
  bool tolerates_cordon = false;
  std::int64_t priority = 0;
  // Seen by our watch, not only in a request: the webhook stamp reserves only for such.
  bool watched = false;
};

// The unbound GPU pods, known from the watch and from filter requests: bind and the stamp carry a
// UID or a name only, and asking the API server would cost a read per pod. Pods from requests alone
// are bounded and the oldest goes first; watched pods stay until they are bound or gone.
// Thread-safe.
class PendingPods {
 public:
  // `request_capacity`: how many pods known from requests alone are kept.
  explicit PendingPods(std::size_t request_capacity = 4096) : request_capacity_(request_capacity) {}

  void Watched(PendingPod pod);
  // Keeps what the watch said, if it said anything.
  void Asked(PendingPod pod);
  void Remove(std::string_view uid);

  // Filter answered a pod just now. The latest `kRefusalsKept` refusals are kept.
  void Refused(std::string_view uid, SteadyTime now);
  void Fitted(std::string_view uid);
  // When filter refused it last, if it did not find room for it since.
  std::optional<SteadyTime> LastRefused(std::string_view uid) const;
  // The pods of which the last answer was a refusal at `since` or later, the latest first.
  std::vector<std::string> RefusedSince(SteadyTime since) const;

  std::shared_ptr<const PendingPod> FindUid(std::string_view uid) const;
  std::shared_ptr<const PendingPod> FindKey(const model::PodKey& key) const;
  std::size_t size() const;

 private:
  struct Item {
    std::shared_ptr<const PendingPod> pod;
    std::optional<std::list<std::string>::iterator> age;  // set for pods known from requests alone
  };

  static constexpr std::size_t kRefusalsKept = 1024;
  using Refusals = std::list<std::pair<std::string, SteadyTime>>;

  void ForgetRefusal(std::string_view uid) REQUIRES(mutex_);
  void Put(PendingPod pod) REQUIRES(mutex_);
  void Erase(std::string_view uid) REQUIRES(mutex_);

  const std::size_t request_capacity_;
  mutable Mutex mutex_;
  StringMap<Item> by_uid_ GUARDED_BY(mutex_);
  StringMap<std::string> uid_by_key_ GUARDED_BY(mutex_);
  std::list<std::string> ages_ GUARDED_BY(mutex_);  // oldest first
  Refusals refusals_ GUARDED_BY(mutex_);            // oldest first
  StringMap<Refusals::iterator> refusal_by_uid_ GUARDED_BY(mutex_);
};

}  // namespace aliquot::ledger
