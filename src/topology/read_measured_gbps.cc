// SPDX-License-Identifier: Apache-2.0
#include "topology/read_measured_gbps.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/strings.h"
#include "topology/card_set.h"
#include "topology/source_text.h"

namespace aliquot::topology {
namespace {

constexpr std::string_view kTableCorner = "D\\D";
constexpr const char* kPairHeader = "a,b,gbps";
constexpr const char* kForms =
    "give a header a,b,gbps and rows of it, a square table with a header of GPU names, or the "
    "output of p2pBandwidthLatencyTest";

// Figures by sender and receiver.
using Figures = std::map<std::pair<int, int>, double>;

enum class TestTable { kNone, kUnidirectional, kBidirectional };

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return lower;
}

std::string_view WithoutCommentSign(std::string_view line) {
  line = Trim(line);
  while (StartsWith(line, "#")) {
    line = Trim(line.substr(1));
  }
  return line;
}

bool IsCardHeading(const std::vector<std::string_view>& fields) {
  return fields.size() > 1 && std::all_of(fields.begin() + 1, fields.end(), [](auto field) {
           return StartsWith(field, "GPU") && ParseCardNumber(field).has_value();
         });
}

bool IsUnmeasured(std::string_view field) {
  return field.empty() || field == "-" || field == "N/A" || field == "X";
}

class TableReader {
 public:
  explicit TableReader(const SourceText& source) : source_(source) {}

  // A table whose columns are 0, 1, .. or GPU names; `at` is its header's position and ends at the
  // line after its last row.
  Result<Figures> ReadSquare(std::size_t& at, const std::vector<std::string_view>& header,
                             bool in_comments);
  Result<Figures> ReadPairs(std::size_t at);

  int cards() const { return cards_; }

 private:
  Result<int> ReadCard(const TextLine& line, std::string_view text);
  Status ReadSquareRow(const TextLine& line, const std::vector<std::string_view>& fields,
                       std::size_t row, Figures& figures) const;
  Status BadFigure(const TextLine& line, int a, int b, std::string_view text) const;

  const SourceText& source_;
  int cards_ = 0;
};

Result<int> TableReader::ReadCard(const TextLine& line, std::string_view text) {
  const std::optional<int> card = ParseCardNumber(text);
  if (!card || *card >= kMaxCards) {
    return source_.Refuse(
        line.number, "names the card \"" + Printable(text) + "\"; use GPU0 to GPU63, or 0 to 63");
  }
  cards_ = std::max(cards_, *card + 1);
  return *card;
}

Status TableReader::BadFigure(const TextLine& line, int a, int b, std::string_view text) const {
  return source_.Refuse(line.number, "GPU" + std::to_string(a) + " to GPU" + std::to_string(b) +
                                         " is \"" + Printable(text) + "\"; give GB/s, 0 to " +
                                         std::to_string(kMaxPairGbps));
}

Status TableReader::ReadSquareRow(const TextLine& line, const std::vector<std::string_view>& fields,
                                  std::size_t row, Figures& figures) const {
  if (ParseCardNumber(fields[0]) != static_cast<int>(row)) {
    return source_.Refuse(line.number, "is the row of \"" + Printable(fields[0]) +
                                           "\" where that of card " + std::to_string(row) +
                                           " belongs; give one row a card, in order");
  }
  const auto cards = static_cast<std::size_t>(cards_);
  if (fields.size() != cards + 1) {
    return source_.Refuse(line.number, "the row of card " + std::to_string(row) + " has " +
                                           std::to_string(fields.size() - 1) + " figures; give " +
                                           std::to_string(cards) + ", one for each card");
  }
  for (std::size_t column = 0; column < cards; ++column) {
    const std::string_view field = fields[column + 1];
    if (column == row || IsUnmeasured(field)) {
      continue;
    }
    const std::optional<double> figure = ParseFigure(field, kMaxPairGbps);
    if (!figure) {
      return BadFigure(line, static_cast<int>(row), static_cast<int>(column), field);
    }
    figures[{static_cast<int>(row), static_cast<int>(column)}] = *figure;
  }
  return Status::Ok();
}

Result<Figures> TableReader::ReadSquare(std::size_t& at,
                                        const std::vector<std::string_view>& header,
                                        bool in_comments) {
  const std::vector<TextLine>& lines = source_.lines();
  cards_ = 0;
  for (std::size_t i = 1; i < header.size(); ++i) {
    const Result<int> card = ReadCard(lines[at], header[i]);
    if (!card.ok()) {
      return card.status();
    }
    if (*card != static_cast<int>(i) - 1) {
      return source_.Refuse(lines[at].number, "names card " + std::to_string(*card) + " in place " +
                                                  std::to_string(i - 1) +
                                                  "; name the cards in order, from 0");
    }
  }
  Figures figures;
  std::size_t row = 0;
  std::size_t last = at;
  for (++at; at < lines.size() && row < header.size() - 1; ++at) {
    const std::string_view content =
        in_comments ? WithoutCommentSign(lines[at].text) : Trim(lines[at].text);
    if (content.empty() || (!in_comments && StartsWith(content, "#"))) {
      continue;
    }
    const Status read = ReadSquareRow(lines[at], Fields(content), row, figures);
    if (!read.ok()) {
      return read;
    }
    last = at;
    ++row;
  }
  if (row < header.size() - 1) {
    return source_.Refuse(lines[last].number, "the table ends here without a row of card " +
                                                  std::to_string(row) +
                                                  "; give one row a card, in order");
  }
  return figures;
}

Result<Figures> TableReader::ReadPairs(std::size_t at) {
  cards_ = 0;
  Figures figures;
  for (++at; at < source_.lines().size(); ++at) {
    const TextLine& line = source_.lines()[at];
    const std::string_view content = Trim(line.text);
    if (content.empty() || StartsWith(content, "#")) {
      continue;
    }
    const std::vector<std::string_view> fields = Fields(content);
    if (fields.size() != 3) {
      return source_.Refuse(
          line.number, "has " + std::to_string(fields.size()) + " columns; give " + kPairHeader);
    }
    const Result<int> a = ReadCard(line, fields[0]);
    const Result<int> b = ReadCard(line, fields[1]);
    if (!a.ok() || !b.ok()) {
      return a.ok() ? b.status() : a.status();
    }
    if (*a == *b) {
      return source_.Refuse(line.number,
                            "measures card " + std::to_string(*a) + " to itself; remove the row");
    }
    const std::optional<double> figure = ParseFigure(fields[2], kMaxPairGbps);
    if (!figure) {
      return BadFigure(line, *a, *b, fields[2]);
    }
    if (!figures.emplace(std::pair(*a, *b), *figure).second) {
      return source_.Refuse(line.number, "measures card " + std::to_string(*a) + " to " +
                                             std::to_string(*b) + " again; keep one of the rows");
    }
  }
  if (figures.empty()) {
    return source_.RefuseAtEnd(
        std::string("the text ends here without a pair of cards; give rows of ") + kPairHeader);
  }
  return figures;
}

MeasuredGbps Measured(const Figures& figures, int cards, double share) {
  MeasuredGbps measured;
  measured.cards = cards;
  const auto count = static_cast<std::size_t>(cards);
  measured.gbps.resize(PairCount(count));
  for (const auto& [pair, figure] : figures) {
    const auto [a, b] = pair;
    const auto back = figures.find({b, a});
    const double lower = back == figures.end() ? figure : std::min(figure, back->second);
    // A pair that was measured stays measured, however slow it is.
    const auto whole = static_cast<int>(std::lround(lower * share));
    measured.gbps[PairIndex(static_cast<std::size_t>(a), static_cast<std::size_t>(b), count)] =
        lower > 0 ? std::max(whole, 1) : 0;
  }
  return measured;
}

// What the title of a table of p2pBandwidthLatencyTest says of it.
TestTable TableOfTitle(std::string_view title, TestTable before) {
  const std::string lower = Lower(title);
  const auto has = [&lower](std::string_view word) { return lower.find(word) != lower.npos; };
  if (has("disabled") || has("latency matrix") || has("connectivity") || has("(us)")) {
    return TestTable::kNone;
  }
  if (has("bidirectional")) {
    return TestTable::kBidirectional;
  }
  return has("unidirectional") ? TestTable::kUnidirectional : before;
}

bool IsTestTable(const std::vector<std::string_view>& fields) {
  return fields.size() > 2 && fields[0] == kTableCorner;
}

// The best of the test's tables; nothing when there is none.
Result<std::optional<MeasuredGbps>> ReadTestOutput(const SourceText& source) {
  std::optional<MeasuredGbps> best;
  TestTable best_table = TestTable::kNone;
  TestTable table = TestTable::kUnidirectional;
  TableReader reader(source);
  for (std::size_t at = 0; at < source.lines().size();) {
    const std::string_view content = WithoutCommentSign(source.lines()[at].text);
    const std::vector<std::string_view> fields = Fields(content);
    if (!IsTestTable(fields)) {
      table = TableOfTitle(content, table);
      ++at;
      continue;
    }
    if (table == TestTable::kNone) {
      ++at;
      continue;
    }
    const Result<Figures> figures = reader.ReadSquare(at, fields, true);
    if (!figures.ok()) {
      return figures.status();
    }
    if (table > best_table) {
      best = Measured(*figures, reader.cards(), table == TestTable::kBidirectional ? 0.5 : 1);
      best_table = table;
    }
  }
  return best;
}

}  // namespace

Result<std::optional<MeasuredGbps>> ReadTestTables(std::string_view text, std::string_view file) {
  const Result<SourceText> source = SourceText::Create(text, file);
  if (!source.ok()) {
    return source.status();
  }
  return ReadTestOutput(*source);
}

Result<MeasuredGbps> ReadMeasuredGbps(std::string_view text, std::string_view file) {
  const Result<SourceText> source = SourceText::Create(text, file);
  if (!source.ok()) {
    return source.status();
  }
  const Result<std::optional<MeasuredGbps>> test = ReadTestOutput(*source);
  if (!test.ok()) {
    return test.status();
  }
  if (*test) {
    return **test;
  }
  TableReader reader(*source);
  for (std::size_t at = 0; at < source->lines().size(); ++at) {
    const TextLine& line = source->lines()[at];
    const std::string_view content = Trim(line.text);
    if (content.empty() || StartsWith(content, "#")) {
      continue;
    }
    std::vector<std::string_view> fields = Fields(content);
    if (!fields[0].empty() && StartsWith(fields[0], "GPU")) {
      fields.insert(fields.begin(), std::string_view());  // a header without a corner
    }
    const bool pairs =
        fields.size() == 3 && fields[0] == "a" && fields[1] == "b" && fields[2] == "gbps";
    if (!pairs && !IsCardHeading(fields)) {
      return source->Refuse(line.number, "begins no table of measured GB/s: \"" +
                                             Printable(content, 40) + "\"; " + kForms);
    }
    const Result<Figures> figures =
        pairs ? reader.ReadPairs(at) : reader.ReadSquare(at, fields, false);
    if (!figures.ok()) {
      return figures.status();
    }
    MeasuredGbps measured = Measured(*figures, reader.cards(), 1);
    measured.every_card = !pairs;
    return measured;
  }
  return source->RefuseAtEnd(std::string("the text ends here without a table of measured GB/s; ") +
                             kForms);
}

Status ApplyMeasured(const MeasuredGbps& measured, Description& description) {
  const std::size_t cards = description.cards.size();
  const auto given = static_cast<std::size_t>(measured.cards);
  if (given > cards || (given < cards && measured.every_card)) {
    return InvalidArgument("the table of measured GB/s has " + std::to_string(given) +
                           " cards and the node " + std::to_string(cards) +
                           "; measure the cards of this node");
  }
  description.measured_gbps.resize(PairCount(cards));
  for (std::size_t a = 0; a < given; ++a) {
    for (std::size_t b = a + 1; b < given; ++b) {
      const int gbps = measured.gbps[PairIndex(a, b, given)];
      int& kept = description.measured_gbps[PairIndex(a, b, cards)];
      kept = gbps > 0 ? gbps : kept;
    }
  }
  return Status::Ok();
}

}  // namespace aliquot::topology
