// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "interposer/launch_state.h"
#include "quota/usage_region.h"

// Times launches on the card: an event of the driver before one and another after it, in the
// launch's own stream, so that no order changes. Events are made per context, outside every
// capture, used again and again, and end with their context. Nothing here waits, and no error of
// these calls reaches the program: a launch that can't be timed is not.

namespace aliquot::interposer {

// Where the process writes down what it uses of one card.
struct LaunchBook {
  quota::PaceCell* pace;
  quota::UsageCell* cell;  // null: the process has no slot
  LaunchFlight* flight;
};

// `stream` names the default streams by their handles, not by 0: see launch_pacer.h.
LaunchSample* BeginSample(LaunchState& state, const LaunchBook& book, LaunchCost& cost,
                          CUstream stream, std::uint64_t now_ns);
// Pre: what BeginSample returned, not null.
void EndSample(const LaunchBook& book, LaunchSample& sample, CUstream stream, bool launched,
               std::uint64_t now_ns);

// Settles the samples of the calling thread's context that have ended.
void LookAtSamples(LaunchState& state, const LaunchBook& book, const ShareNow& share,
                   std::uint64_t now_ns);
// None that is under way now is waited for again.
void SamplesOverdue(LaunchState& state);

// Whether launches into the stream are being recorded into a graph. Cheap while the process
// captures nothing.
bool Capturing(LaunchState& state, CUstream stream);

// The context goes, with its events.
void ForgetContext(CUcontext context);
// All contexts of a device go.
void ForgetDevice(CUdevice device);

}  // namespace aliquot::interposer
