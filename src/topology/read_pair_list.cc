// SPDX-License-Identifier: Apache-2.0
#include "topology/read_pair_list.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "topology/card_set.h"
#include "topology/source_text.h"

namespace aliquot::topology {
namespace {

constexpr int kUnlistedGbps = 10;  // MAPA, src/GpuTopology.hh
constexpr std::size_t kColumns = 4;
constexpr const char* kHeader = "gpu_a,gpu_b,bw_gbps,link";

using Pair = std::pair<int, int>;  // from 0, the lower first

std::optional<Link> LinkOfWord(std::string_view word) {
  if (word == "DoubleNVLink") {
    return MakeLink(LinkClass::kNvlink, 2);
  }
  if (word == "SingleNVLink") {
    return MakeLink(LinkClass::kNvlink, 1);
  }
  if (word == "PCIe") {
    return MakeLink(LinkClass::kSys);
  }
  return std::nullopt;
}

// A card as the file counts it, from 1.
Result<int> ReadCard(const SourceText& source, const TextLine& line, std::string_view column,
                     std::string_view text) {
  const std::optional<std::int64_t> card = ParseUnsigned(text);
  if (!card || *card < 1 || *card > kMaxCards) {
    return source.Refuse(line.number, std::string(column) + " is \"" + Printable(text) +
                                          "\"; cards are numbered from 1 to 64");
  }
  return static_cast<int>(*card) - 1;
}

// One row. Pre: line is neither empty nor a comment.
Status ReadRow(const SourceText& source, const TextLine& line, std::map<Pair, Link>& links) {
  const std::vector<std::string_view> fields = Fields(line.text);
  if (fields.size() != kColumns) {
    return source.Refuse(line.number,
                         "has " + std::to_string(fields.size()) + " columns; give " + kHeader);
  }
  const Result<int> a = ReadCard(source, line, "gpu_a", fields[0]);
  const Result<int> b = ReadCard(source, line, "gpu_b", fields[1]);
  if (!a.ok() || !b.ok()) {
    return a.ok() ? b.status() : a.status();
  }
  if (*a == *b) {
    return source.Refuse(line.number,
                         "links card " + std::to_string(*a + 1) + " to itself; remove the row");
  }
  const std::optional<double> gbps = ParseFigure(fields[2], kMaxPairGbps);
  if (!gbps || std::lround(*gbps) < 1) {
    return source.Refuse(line.number, "bw_gbps is \"" + Printable(fields[2]) +
                                          "\"; give GB/s one way, 1 to " +
                                          std::to_string(kMaxPairGbps));
  }
  std::optional<Link> link = LinkOfWord(fields[3]);
  if (!link) {
    return source.Refuse(line.number, "link is \"" + Printable(fields[3]) +
                                          "\"; use DoubleNVLink, SingleNVLink or PCIe");
  }
  link->gbps = static_cast<int>(std::lround(*gbps));
  const auto [known, added] = links.try_emplace(std::minmax(*a, *b), *link);
  if (!added && (known->second.gbps != link->gbps || known->second.link_class != link->link_class ||
                 known->second.nvlinks != link->nvlinks)) {
    return source.Refuse(line.number, "cards " + std::to_string(*a + 1) + " and " +
                                          std::to_string(*b + 1) +
                                          " have another link further up; a link is the same "
                                          "both ways, so keep one of the rows");
  }
  return Status::Ok();
}

Description Describe(const std::map<Pair, Link>& links) {
  int cards = 0;
  for (const auto& [pair, link] : links) {
    cards = std::max(cards, pair.second + 1);
  }
  Description description;
  description.format = "pair list";
  Link unlisted = MakeLink(LinkClass::kSys);
  unlisted.gbps = kUnlistedGbps;
  for (int a = 0; a < cards; ++a) {
    description.cards.push_back({"GPU" + std::to_string(a), "", "", -1});
    for (int b = a + 1; b < cards; ++b) {
      const auto listed = links.find({a, b});
      description.links.push_back(listed == links.end() ? unlisted : listed->second);
    }
  }
  return description;
}

}  // namespace

Result<Description> ReadPairList(std::string_view text, std::string_view file) {
  const Result<SourceText> source = SourceText::Create(text, file);
  if (!source.ok()) {
    return source.status();
  }
  std::map<Pair, Link> links;
  bool header_seen = false;
  for (const TextLine& line : source->lines()) {
    const std::string_view content = Trim(line.text);
    if (content.empty() || StartsWith(content, "#")) {
      continue;
    }
    if (!header_seen) {
      std::string header;
      for (const std::string_view field : Fields(content)) {
        header += (header.empty() ? "" : ",") + std::string(field);
      }
      if (header != kHeader) {
        return source->Refuse(line.number, "the columns are \"" + Printable(content) +
                                               "\"; begin with the line " + kHeader);
      }
      header_seen = true;
      continue;
    }
    const Status read = ReadRow(*source, line, links);
    if (!read.ok()) {
      return read;
    }
  }
  if (links.empty()) {
    return source->RefuseAtEnd(
        std::string("the text ends here without a pair of cards; give rows of ") + kHeader);
  }
  return Describe(links);
}

}  // namespace aliquot::topology
