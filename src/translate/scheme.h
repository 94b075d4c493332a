// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "base/status.h"

namespace aliquot::translate {

// Other ways to ask for a share of a GPU.
enum class Scheme {
  // HAMi: nvidia.com/gpu, gpumem (MiB a card), gpumem-percentage, gpucores, and annotations.
  // Source: github.com/Project-HAMi/HAMi, docs/develop/protocol.md and the NVIDIA backend, v2.10.
  kHami,
  // NVIDIA's device plugin: nvidia.com/gpu, whole or time-sliced, and nvidia.com/gpu.shared.
  // Source: github.com/NVIDIA/k8s-device-plugin, README, "Shared Access to GPUs".
  kNvidia,
  // KAI: annotations gpu-fraction, gpu-memory (MiB), gpu-fraction-num-devices.
  // Source: github.com/NVIDIA/KAI-Scheduler, docs/gpu-sharing.
  kKai,
};

// "hami", "nvidia", "kai".
std::string_view SchemeName(Scheme scheme);
std::optional<Scheme> SchemeNamed(std::string_view name);

// What a pod or pod template (an object with `metadata` and `spec`) is written for; nothing when it
// asks for no GPU in any of these ways. NVIDIA's own name alone is NVIDIA's, whatever reads it. The
// error, a sentence: it is written for HAMi and KAI at once. Pure; `pod` has passed
// admission::CheckPodShape.
Result<std::optional<Scheme>> SchemeOf(const nlohmann::json& pod);

}  // namespace aliquot::translate
