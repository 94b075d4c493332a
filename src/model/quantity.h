// SPDX-License-Identifier: Apache-2.0
#pragma once

// Kubernetes quantities of processor time and memory as whole numbers of our units. Pure,
// thread-safe. Grammar: k8s.io/apimachinery/pkg/api/resource, Quantity: a decimal number with a
// suffix n, u, m, k, M, G, T, P, E or Ki .. Ei, or with a decimal exponent.

#include <cstdint>
#include <optional>
#include <string_view>

namespace aliquot::model {

// What a number that is no whole multiple of the unit becomes: what is asked for must not look
// smaller than it is, what there is not larger.
enum class Rounding { kUp, kDown };

// More than any node has; larger numbers end here.
inline constexpr std::int64_t kMaxHostAmount = std::int64_t{1} << 50;

// 1/1000 of a core: "500m" is 500, "1.5" is 1500. Nothing when the text is no quantity; a negative
// one is 0.
std::optional<std::int64_t> CpuMilli(std::string_view text, Rounding rounding);
// MiB: "1Gi" is 1024, "1G" is 953.67, so 954 or 953.
std::optional<std::int64_t> MemoryMib(std::string_view text, Rounding rounding);

}  // namespace aliquot::model
