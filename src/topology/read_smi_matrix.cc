// SPDX-License-Identifier: Apache-2.0
#include "topology/read_smi_matrix.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "topology/card_set.h"
#include "topology/smi_header.h"
#include "topology/smi_row.h"
#include "topology/source_text.h"

namespace aliquot::topology {
namespace {

constexpr const char* kPasteAll = "paste the whole output of `nvidia-smi topo -m`";

class MatrixReader {
 public:
  explicit MatrixReader(const SourceText& source) : source_(source) {}

  Result<Description> Read() {
    Status status = ReadLines();
    if (status.ok()) {
      status = CheckComplete();
    }
    if (status.ok()) {
      status = CheckBothWays();
    }
    if (!status.ok()) {
      return status;
    }
    return Describe();
  }

 private:
  struct KnownRow {
    std::size_t line = 0;
    std::vector<Link> links;  // one for each device; its own is unused
    std::string cpu_affinity;
    int numa = -1;
  };

  Status ReadLines();
  Status TakeHeader(std::size_t line, SmiHeader header);
  Status TakeRow(std::size_t line, const SmiRow& row);
  Status ParseCells(std::size_t line, const SmiRow& row, KnownRow& known) const;
  void TakeLegend(std::string_view line);
  Status CheckComplete() const;
  Status CheckBothWays() const;
  bool Complete() const { return rows_.size() == header_->devices.size(); }
  void InferNuma();
  Description Describe();

  const SourceText& source_;
  std::optional<SmiHeader> header_;
  std::size_t header_line_ = 0;
  std::size_t last_line_ = 0;                     // of the rows
  std::size_t cards_ = 0;                         // the first devices
  std::map<std::size_t, KnownRow> rows_;          // by device
  std::map<std::string, std::string> nic_names_;  // by the header's name
};

Status MatrixReader::ReadLines() {
  bool in_legend = false;
  for (const TextLine& line : source_.lines()) {
    const std::string plain = PlainLine(line.text);
    const std::string_view content = Trim(plain);
    if (content.empty() || content.front() == '#') {
      continue;
    }
    if (!header_) {
      std::optional<SmiHeader> header = ParseSmiHeader(plain);
      Status taken = header ? TakeHeader(line.number, *std::move(header)) : Status::Ok();
      if (!taken.ok()) {
        return taken;
      }
      continue;
    }
    in_legend = in_legend || StartsWith(content, "Legend") || StartsWith(content, "NIC Legend");
    if (in_legend) {
      TakeLegend(content);
      continue;
    }
    const std::optional<SmiRow> row = ParseSmiRow(*header_, plain);
    if (row) {
      Status taken = TakeRow(line.number, *row);
      if (!taken.ok()) {
        return taken;
      }
    } else if (!Complete()) {
      return source_.Refuse(line.number, "begins with \"" + Printable(content, 16) +
                                             "\", which is no device of the header; " + kPasteAll);
    }
  }
  return Status::Ok();
}

Status MatrixReader::TakeHeader(std::size_t line, SmiHeader header) {
  std::set<std::string> names;
  for (const std::string& device : header.devices) {
    if (!names.insert(device).second) {
      return source_.Refuse(line, "names " + Printable(device) + " twice; " + kPasteAll);
    }
    if (IsCardName(device) && cards_ + 1 != names.size()) {
      return source_.Refuse(line, "names " + Printable(device) +
                                      " behind a NIC; list the GPUs first, as nvidia-smi does");
    }
    cards_ += IsCardName(device) ? 1 : 0;
  }
  if (cards_ > static_cast<std::size_t>(kMaxCards)) {
    return source_.Refuse(
        line, "names " + std::to_string(cards_) + " GPUs; at most 64 of one node are supported");
  }
  if (header.devices.size() - cards_ > kMaxNics) {
    return source_.Refuse(line, "names " + std::to_string(header.devices.size() - cards_) +
                                    " NICs; at most " + std::to_string(kMaxNics) +
                                    " are supported, so remove virtual ones");
  }
  header_ = std::move(header);
  header_line_ = last_line_ = line;
  return Status::Ok();
}

Status MatrixReader::TakeRow(std::size_t line, const SmiRow& row) {
  const std::string& name = header_->devices[row.device];
  const std::size_t devices = header_->devices.size();
  const auto known = rows_.find(row.device);
  if (known != rows_.end()) {
    return source_.Refuse(line, "is a second row of " + Printable(name) + " after line " +
                                    std::to_string(known->second.line) + "; give one matrix");
  }
  KnownRow made;
  made.line = line;
  Status parsed = ParseCells(line, row, made);
  if (!parsed.ok()) {
    return parsed;
  }
  if (row.cells.size() < devices) {
    return source_.Refuse(line, "the row of " + Printable(name) + " has " +
                                    std::to_string(row.cells.size()) + " cells for " +
                                    std::to_string(devices) + " devices; " + kPasteAll);
  }
  if (!row.surplus.empty()) {
    return source_.Refuse(line, "the row of " + Printable(name) + " goes on with " +
                                    Printable(row.surplus) + " behind its " +
                                    std::to_string(devices) + " devices; " + kPasteAll);
  }
  made.cpu_affinity = LowestOfList(row.cpu_affinity) ? row.cpu_affinity : "";
  made.numa = LowestOfList(row.numa_affinity).value_or(-1);
  rows_.emplace(row.device, std::move(made));
  last_line_ = line;
  return Status::Ok();
}

Status MatrixReader::ParseCells(std::size_t line, const SmiRow& row, KnownRow& known) const {
  const std::string& name = header_->devices[row.device];
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    const std::string& cell = row.cells[i];
    if ((cell == "X") != (i == row.device)) {
      return source_.Refuse(line, cell == "X"
                                      ? Printable(name) + " has an X, itself, in the column of " +
                                            Printable(header_->devices[i]) + "; " + kPasteAll
                                      : "links " + Printable(name) + " to itself by \"" +
                                            Printable(cell, 16) + "\"; write X there");
    }
    if (cell == "X") {
      known.links.emplace_back();
      continue;
    }
    const Result<Link> link = ParseLink(cell);
    if (!link.ok()) {
      return source_.Refuse(line, Printable(name) + " to " + Printable(header_->devices[i]) + ": " +
                                      link.status().message());
    }
    known.links.push_back(*link);
  }
  return Status::Ok();
}

// "NIC0: mlx5_0".
void MatrixReader::TakeLegend(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) {
    return;
  }
  const std::string_view name = Trim(line.substr(colon + 1));
  if (header_->Find(line.substr(0, colon)) && !name.empty()) {
    nic_names_[std::string(line.substr(0, colon))] = Printable(name);
  }
}

Status MatrixReader::CheckComplete() const {
  if (!header_) {
    return source_.RefuseAtEnd(
        std::string("the text ends here without a header line that names GPU0; ") + kPasteAll);
  }
  for (std::size_t device = 0; device < header_->devices.size(); ++device) {
    if (rows_.count(device) == 0) {
      return source_.Refuse(last_line_, "the matrix ends here without a row of " +
                                            Printable(header_->devices[device]) + ", which line " +
                                            std::to_string(header_line_) + " names; " + kPasteAll);
    }
  }
  return Status::Ok();
}

Status MatrixReader::CheckBothWays() const {
  for (const auto& [b, row_b] : rows_) {
    for (std::size_t a = 0; a < b; ++a) {
      const KnownRow& row_a = rows_.at(a);
      const std::string forth = FormatLink(row_a.links[b]);
      const std::string back = FormatLink(row_b.links[a]);
      if (forth != back) {
        const KnownRow& later = row_a.line > row_b.line ? row_a : row_b;
        const KnownRow& earlier = row_a.line > row_b.line ? row_b : row_a;
        return source_.Refuse(
            later.line,
            "says " + (&later == &row_b ? back : forth) + " for " + Printable(header_->devices[a]) +
                " and " + Printable(header_->devices[b]) + " where line " +
                std::to_string(earlier.line) + " says " + (&later == &row_b ? forth : back) +
                "; a link is the same both ways, so correct one of them");
      }
    }
  }
  return Status::Ok();
}

// Cards with one CPU affinity are on one NUMA node. Where the source names no node at all, the
// lists are numbered by their lowest CPU.
void MatrixReader::InferNuma() {
  std::map<std::string, int> numa_of;
  std::set<std::pair<int, std::string>> lists;
  for (std::size_t card = 0; card < cards_; ++card) {
    const KnownRow& row = rows_.at(card);
    if (!row.cpu_affinity.empty()) {
      lists.emplace(*LowestOfList(row.cpu_affinity), row.cpu_affinity);
      if (row.numa >= 0) {
        numa_of.emplace(row.cpu_affinity, row.numa);
      }
    }
  }
  const bool none_known =
      std::all_of(rows_.begin(), rows_.end(), [](const auto& row) { return row.second.numa < 0; });
  if (none_known) {
    for (const auto& [lowest, list] : lists) {
      numa_of.emplace(list, static_cast<int>(numa_of.size()));
    }
  }
  for (std::size_t card = 0; card < cards_; ++card) {
    KnownRow& row = rows_.at(card);
    const auto found = numa_of.find(row.cpu_affinity);
    row.numa = row.numa < 0 && found != numa_of.end() ? found->second : row.numa;
  }
}

Description MatrixReader::Describe() {
  InferNuma();
  Description description;
  description.format = "nvidia-smi matrix";
  const std::size_t devices = header_->devices.size();
  for (std::size_t a = 0; a < devices; ++a) {
    const KnownRow& row = rows_.at(a);
    const std::string& name = header_->devices[a];
    if (a < cards_) {
      description.cards.push_back({name, "", "", row.numa});
      description.links.insert(description.links.end(),
                               row.links.begin() + static_cast<std::ptrdiff_t>(a) + 1,
                               row.links.begin() + static_cast<std::ptrdiff_t>(cards_));
      continue;
    }
    const auto legend = nic_names_.find(name);
    DescribedNic nic;
    nic.name = legend == nic_names_.end() ? name : legend->second;
    nic.to_cards.assign(row.links.begin(), row.links.begin() + static_cast<std::ptrdiff_t>(cards_));
    for (std::size_t card = 0; card < cards_ && nic.numa < 0; ++card) {
      nic.numa = nic.to_cards[card].link_class <= LinkClass::kNode ? rows_.at(card).numa : -1;
    }
    description.nics.push_back(std::move(nic));
    description.nic_links.insert(description.nic_links.end(),
                                 row.links.begin() + static_cast<std::ptrdiff_t>(a) + 1,
                                 row.links.end());
  }
  return description;
}

}  // namespace

Result<Description> ReadSmiMatrix(std::string_view text, std::string_view file) {
  const Result<SourceText> source = SourceText::Create(text, file);
  if (!source.ok()) {
    return source.status();
  }
  return MatrixReader(*source).Read();
}

}  // namespace aliquot::topology
