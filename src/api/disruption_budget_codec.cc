// SPDX-License-Identifier: Apache-2.0
#include "api/disruption_budget_codec.h"

#include <limits>
#include <utility>

#include "api/json_reader.h"

namespace aliquot::api {
namespace {

using Operator = model::LabelRequirement::Operator;

void ReadExpression(JsonReader& reader, const JsonElement& item, const JsonPath& path,
                    model::DisruptionBudget& budget) {
  const auto [key, op, values] = reader.Object<3>(item, path, {"key", "operator", "values"});
  model::LabelRequirement line;
  std::string_view word;
  reader.Text(key, path.Field("key"), line.key);
  reader.View(op, path.Field("operator"), word);
  reader.ForEachItem(values, path.Field("values"),
                     [&](const JsonElement& value, const JsonPath& at) {
                       reader.Text(value, at, line.values.emplace_back());
                     });
  if (word == "In") {
    line.op = Operator::kIn;
  } else if (word == "NotIn") {
    line.op = Operator::kNotIn;
  } else if (word == "Exists") {
    line.op = Operator::kExists;
  } else if (word == "DoesNotExist") {
    line.op = Operator::kDoesNotExist;
  } else {
    budget.unreadable_selector = true;
  }
  budget.selector.push_back(std::move(line));
}

void ReadSelector(JsonReader& reader, const JsonField& selector, const JsonPath& path,
                  model::DisruptionBudget& budget) {
  const auto [labels, expressions] =
      reader.Object<2>(selector, path, {"matchLabels", "matchExpressions"});
  reader.ForEachMember(labels, path.Field("matchLabels"),
                       [&](std::string_view key, const JsonElement& value, const JsonPath& at) {
                         model::LabelRequirement line;
                         line.key = std::string(key);
                         reader.Text(value, at, line.values.emplace_back());
                         budget.selector.push_back(std::move(line));
                       });
  reader.ForEachItem(expressions, path.Field("matchExpressions"),
                     [&](const JsonElement& item, const JsonPath& at) {
                       ReadExpression(reader, item, at, budget);
                     });
}

void ReadStatus(JsonReader& reader, const JsonField& status, const JsonPath& path,
                model::DisruptionBudget& budget) {
  const auto [allowed, disrupted] =
      reader.Object<2>(status, path, {"disruptionsAllowed", "disruptedPods"});
  reader.Integer(allowed, path.Field("disruptionsAllowed"),
                 std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max(),
                 budget.disruptions_allowed);
  reader.ForEachMember(disrupted, path.Field("disruptedPods"),
                       [&](std::string_view pod, const JsonElement&, const JsonPath&) {
                         budget.disrupted_pods.emplace(pod);
                       });
}

}  // namespace

Result<model::DisruptionBudget> DecodeDisruptionBudget(const JsonElement& value) {
  JsonReader reader("the disruption budget");
  const JsonPath root;
  model::DisruptionBudget budget;
  const auto [metadata, spec, status] =
      reader.Object<3>(value, root, {"metadata", "spec", "status"});
  const JsonPath metadata_at = root.Field("metadata");
  const auto [name, namespace_name, version] =
      reader.Object<3>(metadata, metadata_at, {"name", "namespace", "resourceVersion"});
  reader.Text(name, metadata_at.Field("name"), budget.name);
  reader.Text(namespace_name, metadata_at.Field("namespace"), budget.namespace_name);
  reader.Text(version, metadata_at.Field("resourceVersion"), budget.resource_version);
  const JsonPath spec_at = root.Field("spec");
  const auto [selector] = reader.Object<1>(spec, spec_at, {"selector"});
  ReadSelector(reader, selector, spec_at.Field("selector"), budget);
  ReadStatus(reader, status, root.Field("status"), budget);
  if (!reader.ok()) {
    return reader.status();
  }
  return budget;
}

}  // namespace aliquot::api
