// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "admission/rules/rule.h"

namespace aliquot::admission {
namespace {

using nlohmann::json;

constexpr char kTaint[] = "nvidia.com/gpu";

bool IsOneOf(const json* field, std::initializer_list<const char*> values) {
  const std::string text = field != nullptr && field->is_string() ? field->get<std::string>() : "";
  return std::find(values.begin(), values.end(), text) != values.end();
}

// Whether the taint is tolerated whatever its value.
bool Tolerates(const json& toleration) {
  return IsOneOf(Member(toleration, "key"), {"", kTaint}) &&
         IsOneOf(Member(toleration, "operator"), {"Exists"}) &&
         IsOneOf(Member(toleration, "effect"), {"", "NoSchedule"});
}

}  // namespace

// GPU nodes carry this taint by custom, so that nothing else lands there.
std::optional<Refusal> AddToleration(PodReview& review) {
  const json toleration = {{"key", kTaint}, {"operator", "Exists"}, {"effect", "NoSchedule"}};
  const json* present = Member(review.object, {"spec", "tolerations"});
  if (present == nullptr) {
    review.patch.Add("/spec/tolerations", json::array({toleration}));
  } else if (std::none_of(present->begin(), present->end(), Tolerates)) {
    review.patch.Add("/spec/tolerations/-", toleration);
  }
  return std::nullopt;
}

}  // namespace aliquot::admission
