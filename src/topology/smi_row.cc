// SPDX-License-Identifier: Apache-2.0
#include "topology/smi_row.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "topology/link.h"
#include "topology/source_text.h"

namespace aliquot::topology {
namespace {

constexpr std::array<std::string_view, 8> kWords = {"NODE", "C2C", "PIX", "PXB",
                                                    "PHB",  "SYS", "SOC", "X"};
constexpr int kMaxListNumber = 65535;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// May `rest` follow a cell without a separator? Another cell, or a list of CPUs or NUMA nodes.
bool MayFollow(std::string_view rest) {
  return rest.empty() || !IsDigit(rest.front()) || rest.find_first_of("-,") != rest.npos;
}

// NV and the most digits that name a possible number of links.
std::size_t NvlinkLength(std::string_view text) {
  std::size_t digits = 0;
  while (2 + digits < text.size() && IsDigit(text[2 + digits])) {
    ++digits;
  }
  for (std::size_t take = std::min<std::size_t>(digits, 2); take > 0; --take) {
    const std::string_view rest = text.substr(2 + take);
    const bool cut_list = !rest.empty() && (rest.front() == '-' || rest.front() == ',');
    if (!cut_list && MayFollow(rest) && ParseLink(text.substr(0, 2 + take)).ok()) {
      return 2 + take;
    }
  }
  return 0;
}

// Cells of all devices from `at` on; `at` ends behind the last.
void TakeCells(std::string_view line, std::size_t count, std::size_t& at, SmiRow& row,
               std::size_t& last_cell_at) {
  while (row.cells.size() < count) {
    at = std::min(line.find_first_not_of(' ', at), line.size());
    if (at == line.size()) {
      return;
    }
    const std::string_view word = line.substr(at, line.find(' ', at) - at);
    const std::size_t length = CellLength(word);
    last_cell_at = word.front() == 'X' && at > 0 ? at - 1 : at;  // X is written one blank in
    row.cells.emplace_back(word.substr(0, length == 0 ? word.size() : length));
    at += row.cells.back().size();
  }
}

// Words of a list that was written with blanks after its commas are one.
std::vector<Word> JoinLists(std::string_view line, std::size_t from,
                            std::vector<std::string>& text) {
  std::vector<Word> joined;
  for (const Word& word : Words(line.substr(from))) {
    if (!text.empty() && text.back().back() == ',') {
      text.back() += word.text;
    } else {
      text.emplace_back(word.text);
      joined.push_back({word.at + from, word.text});
    }
  }
  return joined;
}

// Which column each word stands in. As many words as columns are taken in order; with fewer, some
// cells are empty and the place in the line decides. `shift` is how far the row is to the right of
// its header.
std::vector<std::size_t> ColumnsOf(const SmiHeader& header, const std::vector<Word>& words,
                                   std::ptrdiff_t shift) {
  std::vector<std::size_t> columns;
  std::size_t next = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::size_t column = next;
    const std::size_t last = header.columns.size() - (words.size() - i);
    const auto at = static_cast<std::ptrdiff_t>(words[i].at) - shift + 1;
    while (column < last && static_cast<std::ptrdiff_t>(header.columns[column + 1].at) <= at) {
      ++column;
    }
    columns.push_back(column);
    next = column + 1;
  }
  return columns;
}

void TakeAffinity(const SmiHeader& header, std::string_view line, std::size_t at,
                  std::size_t last_cell_at, SmiRow& row) {
  std::vector<std::string> text;
  std::vector<Word> words = JoinLists(line, at, text);
  if (!words.empty() && CellLength(words[0].text) > 0) {
    row.surplus = words[0].text;
    return;
  }
  words.resize(std::min(words.size(), header.columns.size()));
  const auto shift = static_cast<std::ptrdiff_t>(last_cell_at) -
                     static_cast<std::ptrdiff_t>(header.last_device_at);
  const std::vector<std::size_t> columns = ColumnsOf(header, words, shift);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const SmiColumn kind = header.columns[columns[i]].kind;
    if (kind == SmiColumn::kCpuAffinity) {
      row.cpu_affinity = text[i];
    } else if (kind == SmiColumn::kNumaAffinity) {
      row.numa_affinity = text[i];
    }
  }
}

}  // namespace

std::size_t CellLength(std::string_view text) {
  for (const std::string_view word : kWords) {
    if (StartsWith(text, word)) {
      return word.size();
    }
  }
  return StartsWith(text, "NV") ? NvlinkLength(text) : 0;
}

std::optional<SmiRow> ParseSmiRow(const SmiHeader& header, std::string_view line) {
  std::size_t at = std::min(line.find_first_not_of(' '), line.size());
  const std::string_view word = line.substr(at, line.find(' ', at) - at);
  std::optional<std::size_t> device;
  for (std::size_t i = 0; i < header.devices.size(); ++i) {
    const std::string& name = header.devices[i];
    const bool begins =
        word == name || (StartsWith(word, name) && CellLength(word.substr(name.size())) > 0);
    if (begins && (!device || name.size() > header.devices[*device].size())) {
      device = i;
    }
  }
  if (!device) {
    return std::nullopt;
  }
  SmiRow row;
  row.device = *device;
  at += header.devices[*device].size();
  std::size_t last_cell_at = 0;
  TakeCells(line, header.devices.size(), at, row, last_cell_at);
  if (row.cells.size() == header.devices.size()) {
    TakeAffinity(header, line, at, last_cell_at, row);
  }
  return row;
}

std::optional<int> LowestOfList(std::string_view list) {
  std::optional<int> lowest;
  for (const std::string_view part : Split(list, ',')) {
    for (const std::string_view end : Split(part, '-')) {
      const std::optional<std::int64_t> number = ParseUnsigned(end);
      if (!number || *number > kMaxListNumber) {
        return std::nullopt;
      }
      lowest = std::min(lowest.value_or(kMaxListNumber), static_cast<int>(*number));
    }
  }
  return lowest;
}

}  // namespace aliquot::topology
