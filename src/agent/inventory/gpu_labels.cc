// SPDX-License-Identifier: Apache-2.0
#include "agent/inventory/gpu_labels.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace aliquot::agent {
namespace {

constexpr std::string_view kProduct = "nvidia.com/gpu.product";
constexpr std::string_view kMemory = "nvidia.com/gpu.memory";
constexpr std::string_view kCount = "nvidia.com/gpu.count";
constexpr std::array<std::string_view, 3> kOurLabels = {kProduct, kMemory, kCount};
constexpr std::string_view kFeatureDiscovery = "nvidia.com/gfd.timestamp";
constexpr std::size_t kMaxLabelBytes = 63;

bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// "" = it was ours and somebody took it away. What is unreadable was written by somebody else.
LabelMap ReadRemembered(std::string_view annotation) {
  LabelMap remembered;
  const auto json = nlohmann::json::parse(annotation, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return remembered;
  }
  for (const std::string_view key : kOurLabels) {
    const auto at = json.find(key);
    if (at != json.end() && at->is_string()) {
      remembered[std::string(key)] = at->get<std::string>();
    }
  }
  return remembered;
}

std::string FormatRemembered(const LabelMap& remembered) {
  if (remembered.empty()) {
    return {};
  }
  return nlohmann::json(remembered).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

const std::string* Find(const LabelMap& labels, std::string_view key) {
  const auto at = labels.find(key);
  return at == labels.end() ? nullptr : &at->second;
}

// One label: what the node has, what we remember having written, what it should be.
void PlanLabel(const std::string& key, const std::string* has, const std::string* wrote,
               const std::string* wanted, LabelPlan& plan, LabelMap& remembered) {
  if (has != nullptr && (wrote == nullptr || *wrote != *has)) {
    return;  // theirs
  }
  if (has == nullptr && wrote != nullptr) {
    remembered[key] = "";  // ours, and taken away
    return;
  }
  if (wanted == nullptr) {
    if (has != nullptr) {
      plan.changes[key] = std::nullopt;
    }
    return;
  }
  remembered[key] = *wanted;
  if (has == nullptr || *has != *wanted) {
    plan.changes[key] = *wanted;
  }
}

}  // namespace

std::string LabelOfModel(std::string_view model) {
  std::string value;
  for (const char c : model) {
    if (c == ' ' || c == '\t') {
      value += '-';
    } else if (IsAlphanumeric(c) || c == '-' || c == '_' || c == '.') {
      value += c;
    }
  }
  value.resize(std::min(value.size(), kMaxLabelBytes));
  while (!value.empty() && !IsAlphanumeric(value.back())) {
    value.pop_back();
  }
  std::size_t start = 0;
  while (start < value.size() && !IsAlphanumeric(value[start])) {
    ++start;
  }
  return value.substr(start);
}

LabelMap WantedGpuLabels(const model::Inventory& inventory) {
  int count = 0;
  const model::Card* first = nullptr;
  bool one_model = true;
  bool one_size = true;
  for (const model::Card& card : inventory.cards) {
    if (!card.shareable()) {
      continue;
    }
    ++count;
    first = first == nullptr ? &card : first;
    one_model = one_model && card.model == first->model;
    one_size = one_size && card.mib == first->mib;
  }
  LabelMap labels;
  if (first == nullptr) {
    return labels;
  }
  labels[std::string(kCount)] = std::to_string(count);
  if (const std::string product = LabelOfModel(first->model); one_model && !product.empty()) {
    labels[std::string(kProduct)] = product;
  }
  if (one_model && one_size) {
    labels[std::string(kMemory)] = std::to_string(first->mib);
  }
  return labels;
}

LabelPlan PlanGpuLabels(const LabelMap& wanted, const NodeView& node) {
  LabelPlan plan;
  LabelMap remembered;
  if (Find(node.labels, kFeatureDiscovery) == nullptr) {
    const LabelMap wrote = ReadRemembered(node.gpu_labels);
    for (const std::string_view key : kOurLabels) {
      PlanLabel(std::string(key), Find(node.labels, key), Find(wrote, key), Find(wanted, key), plan,
                remembered);
    }
  }
  plan.remembered = FormatRemembered(remembered);
  plan.remember = plan.remembered != node.gpu_labels;
  return plan;
}

}  // namespace aliquot::agent
