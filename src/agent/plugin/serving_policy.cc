// SPDX-License-Identifier: Apache-2.0
#include "agent/plugin/serving_policy.h"

namespace aliquot::agent {
namespace {

// The server can no longer be what the kubelet knows, or the kubelet no longer knows it.
bool MustStartOver(const ServingFacts& facts, std::chrono::nanoseconds stream_grace) {
  if (!facts.own_socket_present) return true;
  if (!facts.registered_with) return false;
  if (*facts.registered_with != *facts.kubelet_socket) return true;
  if (facts.asked_again) return true;
  return facts.streams == 0 && facts.without_stream >= stream_grace;
}

}  // namespace

ServingStep NextServingStep(const ServingFacts& facts, std::chrono::nanoseconds stream_grace) {
  if (!facts.has_list || !facts.kubelet_socket) return ServingStep::kNone;
  if (!facts.serving) return ServingStep::kServe;
  if (MustStartOver(facts, stream_grace)) return ServingStep::kClose;
  return facts.registered_with ? ServingStep::kNone : ServingStep::kRegister;
}

}  // namespace aliquot::agent
