// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/extender/bind_fixture.h"

namespace aliquot::extender {

using nlohmann::json;

void BindFixture::MakeDesk(int threads) {
  BindDeskOptions options;
  options.threads = threads;
  bind_.reset();
  desk_ = std::make_unique<BindDesk>(ledger_, cluster_, clock_, metrics_, log_, options);
  bind_ = std::make_unique<Bind>(ledger_, pending_, *desk_, cluster_, names_, clock_, metrics_,
                                 log_, AnnotationOptions());
}

void BindFixture::AddPending(const model::Pod& pod) {
  cluster_.AddPod(pod);
  ledger::PendingPod known;
  known.key = pod.key;
  known.uid = pod.uid;
  known.demand = *model::DemandOf(pod, names_);
  pending_.Watched(known);
}

void BindFixture::WatchShows(const model::PodKey& key) {
  const model::Pod pod = *cluster_.Find(key);
  ledger_.SetPod(pod);
  if (!pod.node_name.empty()) {
    pending_.Remove(pod.uid);
    desk_->PodSeenBound(pod.uid, pod.node_name);
  }
}

std::string BindFixture::BindNow(const model::Pod& pod, const std::string& node) {
  const Reply reply = bind_->Handle(BindArgsFor(pod, node));
  EXPECT_EQ(reply.status, 200);
  return json::parse(reply.body)["Error"];
}

std::future<std::string> BindFixture::BindLater(const model::Pod& pod, const std::string& node) {
  return std::async(std::launch::async, [this, pod, node] { return BindNow(pod, node); });
}

void BindFixture::AdvanceAndTick(std::chrono::nanoseconds by) {
  clock_.Advance(by);
  desk_->Tick();
}

bool BindFixture::IsBound(const model::Pod& pod) const {
  const auto hold = ledger_.FindHold(pod.uid);
  return hold && hold->state == ledger::HoldState::kBound;
}

bool BindFixture::IsReserved(const model::Pod& pod) const {
  const auto hold = ledger_.FindHold(pod.uid);
  return hold && hold->state == ledger::HoldState::kReserved;
}

}  // namespace aliquot::extender
