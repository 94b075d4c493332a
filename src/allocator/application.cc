// SPDX-License-Identifier: Apache-2.0
#include "allocator/application.h"

#include <malloc.h>

#include <utility>

#include "observability/build_info.h"

namespace aliquot::allocator {
namespace {

constexpr std::chrono::milliseconds kTick{100};

}  // namespace

Application::Application(Configuration configuration, observability::JsonLog& log)
    : configuration_(WithManagedFiles(std::move(configuration))),
      log_(log),
      metrics_(clock_),
      instruments_{clock_, metrics_, log, log},
      keeper_(configuration_, instruments_),
      signer_(configuration_, instruments_) {}

Application::~Application() {
  listeners_.reset();  // handlers use the core
  StopCore();
}

bool Application::Start(program::Problems& problems) {
  if (!keeper_.Start(problems) || !signer_.Start(problems)) {
    return false;
  }
  cluster_ = ConnectCluster(configuration_, clock_, metrics_, log_, problems);
  if (cluster_ == nullptr) {
    return false;
  }
  core_ = std::make_unique<DecisionCore>(configuration_, cluster_->writer(), instruments_,
                                         signer_.signer());
  if (!StartListeners(problems)) {
    return false;
  }
  core_->Start();
  ticker_ = std::make_unique<program::Ticker>(kTick, [this] { Tick(); });
  cluster_->Start(core_->observer());
  log_.Info("allocator", "listening",
            {{"version", observability::Version()},
             {"commit", observability::Commit()},
             {"extender", addresses_.extender},
             {"admission", addresses_.admission},
             {"monitor", addresses_.monitor},
             {"authenticated", addresses_.authenticated}});
  return true;
}

bool Application::StartListeners(program::Problems& problems) {
  listeners_ = std::make_unique<Listeners>(configuration_, *core_, instruments_, *cluster_);
  auto started = listeners_->Start();
  if (!started.ok()) {
    problems.Add("start", started.status().message());
    return false;
  }
  addresses_ = *std::move(started);
  if (configuration_.addresses_file.empty()) {
    return true;
  }
  program::Addresses named = {{"extender", addresses_.extender},
                              {"admission", addresses_.admission},
                              {"monitor", addresses_.monitor}};
  if (!addresses_.authenticated.empty()) {
    named.emplace_back("authenticated", addresses_.authenticated);
  }
  const Status written = program::WriteAddressesFile(configuration_.addresses_file, named);
  if (!written.ok()) {
    problems.Add("start", written.message());
  }
  return written.ok();
}

void Application::Tick() {
  core_->Tick();
  metrics_.SetLogLinesDropped(log_.dropped());
  if (!trimmed_ && core_->readiness().synced()) {
    // Reading the whole cluster once took more memory than keeping it.
    trimmed_ = true;
    malloc_trim(0);
  }
}

Status Application::Drain() {
  log_.Info("allocator", "draining");
  core_->readiness().StartDraining();
  Status drained = listeners_->DrainVerbs(configuration_.drain_timeout);
  StopCore();
  listeners_->StopMonitor();
  log_.Info("allocator", "drained", {{"outcome", drained.ToString()}});
  return drained;
}

void Application::StopCore() {
  if (std::exchange(stopped_, true)) {
    return;
  }
  if (cluster_ != nullptr) {
    cluster_->Stop();
  }
  // The desk ends what is on its way while the ticker still settles it.
  if (core_ != nullptr) {
    core_->Stop();
  }
  if (ticker_ != nullptr) {
    ticker_->Stop();
  }
}

}  // namespace aliquot::allocator
