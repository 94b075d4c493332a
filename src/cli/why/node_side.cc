// SPDX-License-Identifier: Apache-2.0
#include "cli/why/node_side.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "api/json_reader.h"
#include "api/list_envelope.h"
#include "base/strings.h"
#include "cli/doctor/api_reader.h"

namespace aliquot::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kShown = 120;

Result<NodeSide> DecodeNodeSide(const api::JsonElement& value, std::string_view core_name) {
  api::JsonReader reader("the node");
  const api::JsonPath root;
  NodeSide node;
  const auto [metadata, spec, status] =
      reader.Object<3>(value, root, {"metadata", "spec", "status"});
  const auto [name, labels] = reader.Object<2>(metadata, root, {"name", "labels"});
  reader.Text(name, root, node.name);
  reader.ForEachMember(labels, root,
                       [&](std::string_view key, const api::JsonField& label, const auto& at) {
                         std::string_view text;
                         reader.View(label, at, text);
                         node.labels.Add(key, text);
                       });
  const auto [taints] = reader.Object<1>(spec, root, {"taints"});
  reader.ForEachItem(taints, root, [&](const api::JsonElement& item, const api::JsonPath& at) {
    const auto [key, text, effect] = reader.Object<3>(item, at, {"key", "value", "effect"});
    Taint taint;
    reader.Text(key, at, taint.key);
    reader.Text(text, at, taint.value);
    reader.Text(effect, at, taint.effect);
    node.taints.push_back(std::move(taint));
  });
  const auto [allocatable] = reader.Object<1>(status, root, {"allocatable"});
  const auto [core] = reader.Object<1>(allocatable, root, {core_name});
  reader.Text(core, root, node.core);
  if (!reader.ok()) {
    return reader.status();
  }
  return node;
}

bool Tolerates(const json& toleration, const Taint& taint) {
  const std::string effect = TextAt(toleration, "/effect");
  const std::string key = TextAt(toleration, "/key");
  const std::string comparison = TextAt(toleration, "/operator");
  if ((!effect.empty() && effect != taint.effect) || (!key.empty() && key != taint.key)) {
    return false;
  }
  if (comparison.empty() || comparison == "Equal") {
    return !key.empty() && TextAt(toleration, "/value") == taint.value;
  }
  // Exists; or one that is newer than this program, which is left to the scheduler.
  return true;
}

const Taint* Untolerated(const json& pod, const NodeSide& node) {
  const json& tolerations = MemberAt(pod, "/spec/tolerations");
  for (const Taint& taint : node.taints) {
    if (taint.effect != "NoSchedule" && taint.effect != "NoExecute") {
      continue;
    }
    // Of a cordon: the ledger says that better.
    if (taint.key == "node.kubernetes.io/unschedulable") {
      continue;
    }
    if (std::none_of(tolerations.begin(), tolerations.end(),
                     [&](const json& each) { return Tolerates(each, taint); })) {
      return &taint;
    }
  }
  return nullptr;
}

// Gt and Lt compare whole numbers; anything else is not comparable.
bool IsNumber(std::string_view text, std::int64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool Among(const json& values, std::string_view text) {
  return std::any_of(values.begin(), values.end(), [text](const json& value) {
    return value.is_string() && value.get_ref<const std::string&>() == text;
  });
}

// One of matchExpressions or matchFields; `found` is the label's or field's value.
bool Matches(const json& requirement, std::optional<std::string_view> found) {
  const std::string comparison = TextAt(requirement, "/operator");
  const json& values = MemberAt(requirement, "/values");
  if (comparison == "In") {
    return found && Among(values, *found);
  }
  if (comparison == "NotIn") {
    return !found || !Among(values, *found);
  }
  if (comparison == "Exists") {
    return found.has_value();
  }
  if (comparison == "DoesNotExist") {
    return !found.has_value();
  }
  if (comparison != "Gt" && comparison != "Lt") {
    return true;  // newer than this program, so it is left to the scheduler
  }
  std::int64_t have = 0;
  std::int64_t bound = 0;
  if (!found || !IsNumber(*found, have) || values.size() != 1 || !values[0].is_string() ||
      !IsNumber(values[0].get_ref<const std::string&>(), bound)) {
    return false;
  }
  return comparison == "Gt" ? have > bound : have < bound;
}

// "" when the node matches the term, else the requirement that it does not match.
std::string Mismatch(const json& term, const NodeSide& node) {
  const json& expressions = MemberAt(term, "/matchExpressions");
  const json& fields = MemberAt(term, "/matchFields");
  if (expressions.empty() && fields.empty()) {
    return "an empty term";  // matches no node
  }
  for (const json* list : {&expressions, &fields}) {
    for (const json& requirement : *list) {
      const std::string key = TextAt(requirement, "/key");
      if (!Matches(requirement, list == &fields ? node.name : node.labels.Find(key))) {
        std::vector<std::string> values;
        for (const json& value : MemberAt(requirement, "/values")) {
          values.push_back(value.is_string() ? value.get<std::string>() : value.dump());
        }
        return key + " " + TextAt(requirement, "/operator") +
               (values.empty() ? "" : " " + Join(values, ", "));
      }
    }
  }
  return {};
}

Objection SelectorObjection(const json& pod, const NodeSide& node) {
  const json& selector = MemberAt(pod, "/spec/nodeSelector");
  if (selector.is_object()) {
    for (const auto& [key, value] : selector.items()) {
      if (value.is_string() && node.labels.Find(key) != value.get_ref<const std::string&>()) {
        const std::string pair = Printable(key + "=" + value.get<std::string>(), kShown);
        return {"affinity", "its nodeSelector asks for the label " + pair,
                "change it, or give nodes that label"};
      }
    }
  }
  const json& terms =
      MemberAt(pod,
               "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/"
               "nodeSelectorTerms");
  std::string missing;  // of the first term
  for (const json& term : terms) {
    const std::string mismatch = Mismatch(term, node);
    if (mismatch.empty()) {
      return {};
    }
    missing = missing.empty() ? mismatch : missing;
  }
  if (missing.empty()) {
    return {};
  }
  return {"affinity", "its node affinity asks for " + Printable(missing, kShown),
          "change it, or the nodes' labels"};
}

}  // namespace

std::string Taint::ToString() const {
  return Printable(key + (value.empty() ? "" : "=" + value) + ":" + effect, kShown);
}

Result<api::ListPage<NodeSide>> ParseNodeSides(std::string_view body, std::string_view core_name) {
  return api::ReadList<NodeSide>(
      body, [core_name](const api::JsonElement& item) { return DecodeNodeSide(item, core_name); });
}

Objection ObjectionOf(const json& pod, const NodeSide& node) {
  if (Objection selector = SelectorObjection(pod, node); !selector.code.empty()) {
    return selector;
  }
  if (const Taint* taint = Untolerated(pod, node)) {
    return {"taints", "it does not tolerate the taint " + taint->ToString(),
            "add a toleration, or take the taint away"};
  }
  return {};
}

}  // namespace aliquot::cli
