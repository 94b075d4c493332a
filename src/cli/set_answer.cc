// SPDX-License-Identifier: Apache-2.0
#include "cli/set_answer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "simulate/text_table.h"

namespace aliquot::cli {
namespace {

using Json = nlohmann::ordered_json;
using topology::CardSet;
using topology::SetValue;

// Whether the product of the factors stays below 2^63.
bool FitsInt64(std::initializer_list<std::int64_t> factors) {
  __extension__ using Wide = unsigned __int128;
  Wide product = 1;
  for (const std::int64_t factor : factors) {
    product *= static_cast<Wide>(factor);
    if (product >> 63 != 0) {
      return false;
    }
  }
  return true;
}

Json TermsJson(const SetValue& value) {
  return {{"ring_gbps", value.of.ring_gbps},
          {"pairs_gbps", value.of.total_gbps},
          {"numa_nodes", value.of.numa_nodes},
          {"remaining", value.remaining}};
}

Json EntryJson(const AnsweredSet& answer, const SetContext& context) {
  const auto score = context.score.Of(answer.value);
  Json json;
  json["set"] = topology::IndicesOf(answer.set);
  json["score"] = score ? Json(*score) : Json(nullptr);
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
  const auto score = context.score.Of(value);
  return score ? std::to_string(*score) : "-";
}

std::string OrderText(bool sensitive) {
  return sensitive ? "ring_gbps, pairs_gbps, fewest numa_nodes, remaining, lowest indices"
                   : "remaining, ring_gbps, pairs_gbps, fewest numa_nodes, lowest indices";
}

}  // namespace

SetScore::SetScore(const topology::SetChooser& chooser, bool sensitive) : sensitive_(sensitive) {
  const topology::SetShape& shape = chooser.shape();
  std::int64_t pairs = 0;
  std::int64_t largest = 0;
  for (int a = 0; a < shape.card_count(); ++a) {
    for (int b = a + 1; b < shape.card_count(); ++b) {
      pairs += shape.Gbps(a, b);
      largest = std::max<std::int64_t>(largest, shape.Gbps(a, b));
    }
  }
  pairs_base_ = pairs + 1;
  numa_base_ = shape.card_count() + 1;
  // What remains of all cards is the most: fewer free cards are never worth more.
  remaining_base_ = chooser.Remaining(shape.all()) + 1;
  fits_ = FitsInt64({largest + 1, pairs_base_, numa_base_, remaining_base_});
  if (fits_) {
    connected_base_ = (largest + 1) * pairs_base_ * numa_base_;
  }
}

std::optional<std::int64_t> SetScore::Of(const SetValue& value) const {
  if (!fits_) {
    return std::nullopt;
  }
  const std::int64_t connected =
      (std::int64_t{value.of.ring_gbps} * pairs_base_ + value.of.total_gbps) * numa_base_ +
      (numa_base_ - 1 - value.of.numa_nodes);
  return sensitive_ ? connected * remaining_base_ + value.remaining
                    : value.remaining * connected_base_ + connected;
}

std::string SetJson(const AnsweredSet& answer, const SetContext& context, bool cut_short) {
  Json json = EntryJson(answer, context);
  json["free"] = topology::IndicesOf(context.free);
  json["first_term"] = context.sensitive ? "ring_gbps" : "remaining";
  json["cut_short"] = cut_short;
  return json.dump() + "\n";
}

std::string SetText(const AnsweredSet& answer, const SetContext& context, bool cut_short) {
  const SetValue& value = answer.value;
  std::string text = IndexList(answer.set) + "  (" + NameList(answer.set, context.description) +
                     ")  score " + ScoreText(value, context) + "\n\n";
  simulate::TextTable table({"term", "value", "meaning"});
  table.Add({"ring_gbps", std::to_string(value.of.ring_gbps),
             "smallest link of the best ring, GB/s one way"});
  table.Add({"pairs_gbps", std::to_string(value.of.total_gbps), "sum over all pairs"});
  table.Add({"numa_nodes", std::to_string(value.of.numa_nodes), "NUMA nodes it spans"});
  table.Add({"remaining", std::to_string(value.remaining),
             "what the other free cards are worth to later pods"});
  text += table.Text();
  text += "\nfree " + IndexList(context.free) + "; sets compare by " +
          OrderText(context.sensitive) + "\n";
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
