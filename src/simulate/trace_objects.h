// SPDX-License-Identifier: Apache-2.0
#pragma once

// Nodes and pods of a trace as the service would see them in a cluster. Pure, thread-safe.
//
// A trace says nothing of GPU memory. Every card gets kCardMib, and a share takes the same part of
// it as of the card's time, so memory never decides.

#include <cstdint>
#include <string>

#include "base/status.h"
#include "model/inventory.h"
#include "model/names.h"
#include "model/node.h"
#include "model/pod.h"
#include "simulate/openb_trace.h"

namespace aliquot::simulate {

// 256 MiB, the unit of tencent.com/vcuda-memory, for each percent.
inline constexpr std::int64_t kCardMib = 100 * 256;

// `links`: of the node's cards, or nullptr: all alike. Pre: it has as many cards or more; the first
// ones count.
model::Node NodeObject(const TraceNode& node, const std::string& name,
                       const model::Inventory* links = nullptr);

// A pod with one container that asks for what the trace says, and the annotation that names its
// models. 1/1000 of a GPU are rounded up to whole percents.
model::Pod PodObject(const TracePod& pod, const std::string& name,
                     const model::ResourceNames& names);

// Percent of a GPU, rounded up.
inline int CorePercent(int gpu_milli) { return (gpu_milli + 9) / 10; }

}  // namespace aliquot::simulate
