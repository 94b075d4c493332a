// SPDX-License-Identifier: Apache-2.0
#include "simulate/replay_report.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "simulate/text_table.h"

namespace aliquot::simulate {
namespace {

using Json = nlohmann::ordered_json;

// Enough to compare, short enough to read: 1/1000 of a percent, of a GB/s, of a microsecond.
double Rounded(double value) { return std::round(value * 1000) / 1000; }

Json AtPercentsJson(const RunFigures::AtPercents& values) {
  Json json = Json::object();
  for (std::size_t i = 0; i < values.size(); ++i) {
    Json& entry = json[std::to_string(kReportedPercents[i])];
    entry = values[i] ? Json(Rounded(*values[i])) : Json(nullptr);
  }
  return json;
}

// Counts of one run are whole numbers; their mean and deviation need not be.
Json CountJson(double value, bool whole) {
  return whole ? Json(static_cast<std::int64_t>(value)) : Json(Rounded(value));
}

void AddFigures(const RunFigures& figures, bool whole, Json& json) {
  json["allocated_percent"] = AtPercentsJson(figures.allocated_percent);
  json["arrived_pods"] = CountJson(figures.arrived_pods, whole);
  json["failed_pods"] = CountJson(figures.failed_pods, whole);
  json["fragmentation_percent"] = AtPercentsJson(figures.fragmentation_percent);
  json["decision_us"] = {{"p50", Rounded(figures.decision_p50_us)},
                         {"p99", Rounded(figures.decision_p99_us)}};
  if (figures.multi_card_pods) {
    json["multi_card"] = {{"pods", CountJson(*figures.multi_card_pods, whole)},
                          {"ring_of_best", Rounded(*figures.multi_card_ring_of_best)}};
  }
}

Json RunJson(std::string_view policy, const SeededRun& run) {
  Json json;
  json["policy"] = policy;
  json["seed"] = run.seed;
  AddFigures(run.figures, /*whole=*/true, json);
  return json;
}

FigureSummary SummaryOfRuns(const std::vector<SeededRun>& runs) {
  std::vector<RunFigures> figures;
  for (const SeededRun& run : runs) {
    figures.push_back(run.figures);
  }
  return Summarize(figures);
}

Json SummaryJson(std::string_view policy, const RunFigures& figures) {
  Json json;
  json["policy"] = policy;
  AddFigures(figures, /*whole=*/false, json);
  return json;
}

std::vector<std::string> TableRow(const std::string& label, const RunFigures& figures) {
  std::vector<std::string> row = {label};
  for (const auto* values : {&figures.allocated_percent, &figures.fragmentation_percent}) {
    for (const std::optional<double>& value : *values) {
      row.push_back(value ? FormatFixed(*value, 2) : "-");
    }
  }
  row.push_back(FormatFixed(figures.arrived_pods, 0));
  row.push_back(FormatFixed(figures.failed_pods, 0));
  row.push_back(FormatFixed(figures.decision_p50_us, 1));
  row.push_back(FormatFixed(figures.decision_p99_us, 1));
  return row;
}

Json BandwidthJson(const std::vector<double>& bandwidths) {
  const BandwidthSummary summary = SummaryOf(bandwidths);
  return {{"jobs", summary.jobs},
          {"mean", Rounded(summary.mean)},
          {"p25", Rounded(summary.p25)},
          {"median", Rounded(summary.median)}};
}

Json BandwidthsJson(const MapaBandwidths& bandwidths) {
  return {{"sensitive", BandwidthJson(bandwidths.sensitive)},
          {"insensitive", BandwidthJson(bandwidths.insensitive)}};
}

std::vector<std::string> BandwidthRow(const char* label, const std::vector<double>& bandwidths) {
  const BandwidthSummary summary = SummaryOf(bandwidths);
  return {label, std::to_string(summary.jobs), FormatFixed(summary.mean, 2),
          FormatFixed(summary.p25, 1), FormatFixed(summary.median, 1)};
}

}  // namespace

std::string ReplayJson(std::string_view policy, const std::vector<SeededRun>& runs) {
  if (runs.size() == 1) {
    return RunJson(policy, runs.front()).dump(2) + "\n";
  }
  Json json;
  json["runs"] = Json::array();
  for (const SeededRun& run : runs) {
    json["runs"].push_back(RunJson(policy, run));
  }
  const FigureSummary summary = SummaryOfRuns(runs);
  json["mean"] = SummaryJson(policy, summary.mean);
  json["deviation"] = SummaryJson(policy, summary.deviation);
  return json.dump(2) + "\n";
}

std::string ReplayTable(std::string_view policy, const std::vector<SeededRun>& runs) {
  TextTable table({"seed", "alloc@95", "@100", "@110", "@130", "frag@95", "@100", "@110", "@130",
                   "arrived", "failed", "p50 us", "p99 us"});
  for (const SeededRun& run : runs) {
    table.Add(TableRow(std::to_string(run.seed), run.figures));
  }
  if (runs.size() > 1) {
    const FigureSummary summary = SummaryOfRuns(runs);
    table.Add(TableRow("mean", summary.mean));
    table.Add(TableRow("deviation", summary.deviation));
  }
  return "policy " + std::string(policy) + ", percent of all GPUs\n" + table.Text();
}

std::string MapaJson(std::string_view policy, const MapaOutcome& outcome) {
  Json json;
  json["policy"] = policy;
  json["jobs"] = outcome.jobs;
  json["effective_bandwidth"] = BandwidthsJson(outcome.best_order);
  json["effective_bandwidth_own_order"] = BandwidthsJson(outcome.own_order);
  return json.dump(2) + "\n";
}

std::string MapaTable(std::string_view policy, const MapaOutcome& outcome) {
  TextTable table({"jobs of 2 and more GPUs", "jobs", "mean", "p25", "median"});
  table.Add(BandwidthRow("sensitive", outcome.best_order.sensitive));
  table.Add(BandwidthRow("insensitive", outcome.best_order.insensitive));
  return "policy " + std::string(policy) + ", " + std::to_string(outcome.jobs) +
         " jobs, effective bandwidth in GB/s\n" + table.Text();
}

}  // namespace aliquot::simulate
