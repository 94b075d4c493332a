// SPDX-License-Identifier: Apache-2.0
#include "simulate/churn_report.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "simulate/text_table.h"

namespace aliquot::simulate {
namespace {

using Json = nlohmann::ordered_json;

double Rounded(double value) { return std::round(value * 1000) / 1000; }

struct Totals {
  std::size_t arrived = 0;
  std::size_t refused = 0;
};

Totals TotalsOf(const ChurnResult& run) {
  Totals totals;
  for (const ClassCount& count : run.classes) {
    totals.arrived += count.arrived;
    totals.refused += count.refused;
  }
  return totals;
}

Json RunJson(const ChurnResult& run) {
  const Totals totals = TotalsOf(run);
  Json classes = Json::object();
  for (std::size_t i = 0; i < kPodClasses.size(); ++i) {
    classes[std::string(kPodClasses[i])] = {{"arrived", run.classes[i].arrived},
                                            {"refused", run.classes[i].refused}};
  }
  return {{"mean_allocated_percent", Rounded(run.mean_allocated_percent)},
          {"arrived_pods", totals.arrived},
          {"refused_pods", totals.refused},
          {"classes", classes}};
}

// Applies `combine` to the numbers that stand at the same place in each of the objects, which have
// the same keys.
template <typename Combine>
Json Combined(const std::vector<Json>& objects, const Combine& combine) {
  if (objects.front().is_object()) {
    Json json = Json::object();
    for (const auto& [key, unused] : objects.front().items()) {
      std::vector<Json> inner;
      for (const Json& object : objects) {
        inner.push_back(object[key]);
      }
      json[key] = Combined(inner, combine);
    }
    return json;
  }
  std::vector<double> values;
  for (const Json& object : objects) {
    values.push_back(object.get<double>());
  }
  return Rounded(combine(values));
}

double MeanOf(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) {
    sum += value;
  }
  return sum / static_cast<double>(values.size());
}

double DeviationOf(const std::vector<double>& values) {
  const double mean = MeanOf(values);
  double squares = 0;
  for (const double value : values) {
    squares += (value - mean) * (value - mean);
  }
  return std::sqrt(squares / static_cast<double>(values.size()));
}

// One seed: its figures, then those of the peers under "peers".
Json SeedJson(double load, const std::vector<ChurnRuns>& policies, std::size_t run) {
  Json json = {{"policy", policies.front().policy},
               {"seed", policies.front().runs[run].seed},
               {"load", load}};
  json.update(RunJson(policies.front().runs[run]));
  Json peers = Json::object();
  for (std::size_t i = 1; i < policies.size(); ++i) {
    peers[policies[i].policy] = RunJson(policies[i].runs[run]);
  }
  json["peers"] = peers;
  return json;
}

}  // namespace

std::string ChurnJson(double load, const std::vector<ChurnRuns>& policies) {
  std::vector<Json> runs;
  for (std::size_t i = 0; i < policies.front().runs.size(); ++i) {
    runs.push_back(SeedJson(load, policies, i));
  }
  if (runs.size() == 1) {
    return runs.front().dump(2) + "\n";
  }
  Json json;
  json["runs"] = runs;
  for (Json& run : runs) {
    run.erase("policy");
    run.erase("seed");
    run.erase("load");
  }
  json["mean"] = Combined(runs, MeanOf);
  json["deviation"] = Combined(runs, DeviationOf);
  return json.dump(2) + "\n";
}

std::string ChurnTable(double load, const std::vector<ChurnRuns>& policies) {
  std::vector<std::string> header = {"policy", "seed", "allocated %", "refused"};
  for (const std::string_view name : kPodClasses) {
    header.emplace_back(name);
  }
  TextTable table(header);
  for (const ChurnRuns& policy : policies) {
    for (const ChurnResult& run : policy.runs) {
      const Totals totals = TotalsOf(run);
      std::vector<std::string> row = {
          policy.policy, std::to_string(run.seed), FormatFixed(run.mean_allocated_percent, 2),
          std::to_string(totals.refused) + "/" + std::to_string(totals.arrived)};
      for (const ClassCount& count : run.classes) {
        row.push_back(std::to_string(count.refused) + "/" + std::to_string(count.arrived));
      }
      table.Add(std::move(row));
    }
  }
  return "offered load " + FormatFixed(100 * load, 0) +
         " % of all GPUs; refused and arrived pods, in all and by GPUs asked for\n" + table.Text();
}

}  // namespace aliquot::simulate
