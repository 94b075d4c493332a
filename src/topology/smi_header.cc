// SPDX-License-Identifier: Apache-2.0
#include "topology/smi_header.h"

#include <algorithm>

#include "base/strings.h"
#include "topology/smi_row.h"
#include "topology/source_text.h"

namespace aliquot::topology {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::size_t DigitsAt(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && IsDigit(text[end])) {
    ++end;
  }
  return end - at;
}

// Length of a device name with which other text may be run together: GPU3, NIC3, mlx5_3. 0 = none.
std::size_t PartableName(std::string_view text) {
  for (const std::string_view prefix : {"GPU", "NIC", "mlx"}) {
    if (!StartsWith(text, prefix)) {
      continue;
    }
    std::size_t length = prefix.size();
    std::size_t digits = DigitsAt(text, length);
    length += digits;
    if (prefix == "mlx" && digits > 0) {
      if (length >= text.size() || text[length] != '_') {
        return 0;
      }
      digits = DigitsAt(text, length + 1);
      length += 1 + digits;
    }
    return digits > 0 ? length : 0;
  }
  return 0;
}

// Parts "NIC10NIC11" and "NIC8CPU"; any other word stays whole.
void AddParts(const Word& word, std::vector<Word>& parts) {
  std::string_view rest = word.text;
  std::size_t at = word.at;
  while (!rest.empty()) {
    std::size_t length = PartableName(rest);
    const std::string_view after = rest.substr(length);
    if (length == 0 ||
        (PartableName(after) == 0 && after != "CPU" && after != "NUMA" && after != "GPU")) {
      length = rest.size();
    }
    parts.push_back({at, rest.substr(0, length)});
    rest.remove_prefix(length);
    at += length;
  }
}

bool BeginsColumns(std::string_view word) {
  return word == "CPU" || word == "NUMA" || word == "GPU";
}

std::vector<SmiHeader::Column> ColumnsFrom(const std::vector<Word>& words, std::size_t first) {
  std::vector<SmiHeader::Column> columns;
  const auto is = [&words](std::size_t i, std::string_view text) {
    return i < words.size() && words[i].text == text;
  };
  for (std::size_t i = first; i < words.size(); ++i) {
    if (is(i, "CPU")) {
      columns.push_back({SmiColumn::kCpuAffinity, words[i].at});
      i += is(i + 1, "Affinity") ? 1 : 0;
    } else if (is(i, "NUMA")) {
      columns.push_back({SmiColumn::kNumaAffinity, words[i].at});
      i += is(i + 1, "Affinity") ? 1 : 0;
    } else if (is(i, "GPU") && is(i + 1, "NUMA") && is(i + 2, "ID")) {
      columns.push_back({SmiColumn::kOther, words[i].at});
      i += 2;
    } else {
      columns.push_back({SmiColumn::kOther, words[i].at});
    }
  }
  return columns;
}

}  // namespace

std::optional<std::size_t> SmiHeader::Find(std::string_view name) const {
  const auto found = std::find(devices.begin(), devices.end(), name);
  if (found == devices.end()) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(found - devices.begin());
}

bool IsCardName(std::string_view name) {
  return StartsWith(name, "GPU") && name.size() > 3 && DigitsAt(name, 3) == name.size() - 3;
}

std::optional<SmiHeader> ParseSmiHeader(std::string_view line) {
  std::vector<Word> words;
  for (const Word& word : Words(line)) {
    AddParts(word, words);
  }
  if (words.empty() || !IsCardName(words[0].text) ||
      (words.size() > 1 && CellLength(words[1].text) > 0)) {
    return std::nullopt;
  }
  SmiHeader header;
  std::size_t i = 0;
  for (; i < words.size() && !BeginsColumns(words[i].text); ++i) {
    header.devices.emplace_back(words[i].text);
    header.last_device_at = words[i].at;
  }
  header.columns = ColumnsFrom(words, i);
  return header;
}

}  // namespace aliquot::topology
