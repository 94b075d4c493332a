// SPDX-License-Identifier: Apache-2.0
#include "cli/set_answer.h"

#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "simulate/text_table.h"

namespace aliquot::cli {
namespace {

using Json = nlohmann::ordered_json;
using topology::CardSet;
using topology::SetValue;

Json TermsJson(const SetValue& value) {
  return {{"ring_gbps", value.of.ring_gbps},
          {"pairs_gbps", value.of.total_gbps},
          {"numa_nodes", value.of.numa_nodes},
          {"remaining", value.remaining}};
}

Json EntryJson(const AnsweredSet& answer, const SetContext& context) {
  Json json;
  json["set"] = topology::IndicesOf(answer.set);
  json["score"] = ScoreOf(answer.value, context.order);
  json["terms"] = TermsJson(answer.value);
  return json;
}

std::string IndexList(CardSet set) {
  std::string text;
  for (const int card : topology::IndicesOf(set)) {
    text += (text.empty() ? "" : ",") + std::to_string(card);
  }
  return text;
}

std::string NameList(CardSet set, const topology::Description& description) {
  std::vector<std::string> names;
  for (const int card : topology::IndicesOf(set)) {
    names.push_back(Printable(description.cards[static_cast<std::size_t>(card)].name));
  }
  return Join(names, " ");
}

std::string ScoreText(const SetValue& value, const SetContext& context) {
  return std::to_string(ScoreOf(value, context.order));
}

bool LeavesMostFirst(const SetContext& context) {
  return context.order == topology::SetOrder::kLeavesMost;
}

std::string OrderText(const SetContext& context) {
  return LeavesMostFirst(context)
             ? "remaining, ring_gbps, pairs_gbps, fewest numa_nodes, lowest indices"
             : "ring_gbps, pairs_gbps, fewest numa_nodes, remaining, lowest indices";
}

}  // namespace

std::int64_t ScoreOf(const SetValue& value, topology::SetOrder order) {
  if (order == topology::SetOrder::kLeavesMost) {
    return value.remaining;
  }
  // 16 bits of ring, 27 of pairs (2,016 of at most 65,535 GB/s), 7 of NUMA nodes.
  return (std::int64_t{value.of.ring_gbps} << 34) + (std::int64_t{value.of.total_gbps} << 7) +
         (topology::kMaxCards - value.of.numa_nodes);
}

std::string SetJson(const AnsweredSet& answer, const SetContext& context, bool cut_short) {
  Json json = EntryJson(answer, context);
  json["free"] = topology::IndicesOf(context.free);
  json["first_term"] = LeavesMostFirst(context) ? "remaining" : "ring_gbps";
  json["cut_short"] = cut_short;
  return json.dump() + "\n";
}

std::string SetText(const AnsweredSet& answer, const SetContext& context, bool cut_short) {
  const SetValue& value = answer.value;
  std::string text = IndexList(answer.set) + "  (" + NameList(answer.set, context.description) +
                     ")  score " + ScoreText(value, context) + "\n\n";
  simulate::TextTable table({"term", "value", "meaning"}, /*words_last=*/true);
  table.Add({"ring_gbps", std::to_string(value.of.ring_gbps),
             "smallest link of the best ring, GB/s one way"});
  table.Add({"pairs_gbps", std::to_string(value.of.total_gbps), "sum over all pairs"});
  table.Add({"numa_nodes", std::to_string(value.of.numa_nodes), "NUMA nodes it spans"});
  table.Add({"remaining", std::to_string(value.remaining),
             "what the other free cards are worth to later pods"});
  text += table.Text();
  text += "\nfree " + IndexList(context.free) + "; sets compare by " + OrderText(context) + "\n";
  if (cut_short) {
    text += "note: the search was cut short; a better set may exist\n";
  }
  return text;
}

std::string RankedJson(const std::vector<topology::RankedSet>& sets, const SetContext& context) {
  Json json = Json::array();
  for (const topology::RankedSet& each : sets) {
    json.push_back(EntryJson({each.set, each.value}, context));
  }
  return json.dump() + "\n";
}

std::string RankedText(const std::vector<topology::RankedSet>& sets, const SetContext& context) {
  simulate::TextTable table({"set", "ring_gbps", "pairs_gbps", "numa_nodes", "remaining", "score"});
  for (const topology::RankedSet& each : sets) {
    table.Add({IndexList(each.set), std::to_string(each.value.of.ring_gbps),
               std::to_string(each.value.of.total_gbps), std::to_string(each.value.of.numa_nodes),
               std::to_string(each.value.remaining), ScoreText(each.value, context)});
  }
  return table.Text();
}

}  // namespace aliquot::cli
