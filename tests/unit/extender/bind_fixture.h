// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>
#include <memory>
#include <string>

#include "extender/bind.h"
#include "extender/bind_desk.h"
#include "tests/unit/extender/extender_fixture.h"
#include "tests/unit/extender/fake_cluster.h"

namespace aliquot::extender {

// The bind verb over a cluster in memory. Time stands still unless a test moves it.
class BindFixture : public ExtenderFixture {
 protected:
  BindFixture() { MakeDesk(8); }
  ~BindFixture() override {
    cluster_.HoldBinds(false);
    cluster_.HoldReads(false);
    desk_->Stop();
  }

  void MakeDesk(int threads);
  // In the cluster, and known from the watch as waiting to be bound.
  void AddPending(const model::Pod& pod);
  // What the watch does with the pod's state in the cluster.
  void WatchShows(const model::PodKey& key);

  // The error of one bind; "" when it is bound.
  std::string BindNow(const model::Pod& pod, const std::string& node);
  // The same on a thread of its own.
  std::future<std::string> BindLater(const model::Pod& pod, const std::string& node);
  void AdvanceAndTick(std::chrono::nanoseconds by);

  bool IsBound(const model::Pod& pod) const;
  bool IsReserved(const model::Pod& pod) const;

  FakeCluster cluster_;
  std::unique_ptr<BindDesk> desk_;
  std::unique_ptr<Bind> bind_;
};

}  // namespace aliquot::extender
