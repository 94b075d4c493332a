// SPDX-License-Identifier: Apache-2.0
#include "program/ticker.h"

#include <utility>

namespace aliquot::program {

Ticker::Ticker(std::chrono::milliseconds interval, std::function<void()> tick)
    : interval_(interval), tick_(std::move(tick)), thread_([this] { Run(); }) {}

void Ticker::Stop() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    stopped_.NotifyAll();
  }
  if (thread_.joinable()) {
    thread_.join();
  }
}

void Ticker::Run() {
  while (true) {
    tick_();
    const auto next = std::chrono::steady_clock::now() + interval_;
    MutexLock lock(mutex_);
    while (!stopping_ && stopped_.WaitUntil(mutex_, next)) {
    }
    if (stopping_) {
      return;
    }
  }
}

}  // namespace aliquot::program
