// SPDX-License-Identifier: Apache-2.0
#include "topology/source_text.h"

#include <algorithm>
#include <charconv>

#include "base/strings.h"
#include "base/utf8.h"

namespace aliquot::topology {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20;
constexpr std::size_t kTabWidth = 8;
constexpr int kMaxCardNumber = 999;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Length of the escape sequence at the start of `text`: ECMA-48 CSI, with or without its escape
// character; 0 for none. Without it only "[4m" and the like, so that "[x]" stays.
std::size_t EscapeLength(std::string_view text) {
  const bool escaped = StartsWith(text, "\x1b[");
  if (!escaped && !StartsWith(text, "[")) {
    return StartsWith(text, "\x1b") ? 1 : 0;
  }
  std::size_t at = escaped ? 2 : 1;
  const std::size_t parameters = at;
  while (at < text.size() && (IsDigit(text[at]) || text[at] == ';')) {
    ++at;
  }
  if (at == text.size()) {
    return escaped ? at : 0;
  }
  return escaped || (text[at] == 'm' && at > parameters) ? at + 1 : 0;
}

// The first line that is no text, from 1; 0 when all are. No UTF-8 sequence spans two lines.
std::size_t LineThatIsNoText(std::string_view text) {
  if (IsUtf8(text) && text.find('\0') == std::string_view::npos) {
    return 0;
  }
  std::size_t number = 0;
  for (const std::string_view line : Split(text, '\n')) {
    ++number;
    if (!IsUtf8(line) || line.find('\0') != std::string_view::npos) {
      break;
    }
  }
  return number;
}

}  // namespace

Result<SourceText> SourceText::Create(std::string_view text, std::string_view file) {
  SourceText source;
  source.file_ = Printable(file, 200);
  if (text.size() > kMaxBytes) {
    return InvalidArgument(source.file_ + ": has more than 1 MiB; give the topology of one node");
  }
  if (StartsWith(text, "\xef\xbb\xbf")) {
    text.remove_prefix(3);
  }
  if (const std::size_t line = LineThatIsNoText(text); line > 0) {
    return source.Refuse(line, "is not UTF-8 text; save the file as UTF-8");
  }
  if (Trim(text).empty()) {
    return source.Refuse(
        1,
        "the file is empty; give the output of `nvidia-smi topo -m` or another format of "
        "docs/reference/topology-files.md");
  }
  source.text_ = text;
  std::size_t number = 0;
  for (std::string_view line : Split(text, '\n')) {
    while (!line.empty() && line.back() == '\r') {
      line.remove_suffix(1);
    }
    source.lines_.push_back({++number, line});
  }
  return source;
}

std::size_t SourceText::LineAt(std::ptrdiff_t offset) const {
  const auto size = static_cast<std::ptrdiff_t>(text_.size());
  const std::ptrdiff_t before = std::clamp<std::ptrdiff_t>(offset, 0, size);
  return static_cast<std::size_t>(std::count(text_.begin(), text_.begin() + before, '\n')) + 1;
}

Status SourceText::Refuse(std::size_t line, std::string_view what) const {
  return InvalidArgument(file_ + ", line " + std::to_string(line) + ": " + std::string(what));
}

Status SourceText::RefuseAtEnd(std::string_view what) const {
  const auto last = std::find_if(lines_.rbegin(), lines_.rend(),
                                 [](const TextLine& line) { return !Trim(line.text).empty(); });
  return Refuse(last == lines_.rend() ? 1 : last->number, what);
}

std::string PlainLine(std::string_view line) {
  std::string plain;
  while (!line.empty()) {
    const std::size_t escape = EscapeLength(line);
    if (escape > 0) {
      line.remove_prefix(escape);
      continue;
    }
    if (line.front() == '\t') {
      plain.append(kTabWidth - plain.size() % kTabWidth, ' ');
    } else {
      plain += line.front();
    }
    line.remove_prefix(1);
  }
  plain.erase(plain.find_last_not_of(" \r") + 1);
  return plain;
}

std::vector<Word> Words(std::string_view line) {
  std::vector<Word> words;
  std::size_t at = line.find_first_not_of(' ');
  while (at != std::string_view::npos) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    words.push_back({at, line.substr(at, end - at)});
    at = line.find_first_not_of(' ', end);
  }
  return words;
}

std::vector<std::string_view> Fields(std::string_view line) {
  std::vector<std::string_view> fields;
  if (line.find(',') != std::string_view::npos) {
    for (const std::string_view field : Split(line, ',')) {
      fields.push_back(Trim(field));
    }
    return fields;
  }
  constexpr std::string_view kBlanks = " \t";
  std::size_t at = line.find_first_not_of(kBlanks);
  while (at != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    fields.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kBlanks, end);
  }
  return fields;
}

std::optional<double> ParseFigure(std::string_view text, double most) {
  if (text.empty() || !IsDigit(text.front()) || !IsDigit(text.back())) {
    return std::nullopt;
  }
  const bool plain =
      std::all_of(text.begin(), text.end(), [](char c) { return IsDigit(c) || c == '.'; });
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [parsed_to, error] =
      std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (!plain || error != std::errc() || parsed_to != end || value > most) {
    return std::nullopt;
  }
  return value;
}

std::optional<int> ParseCardNumber(std::string_view text) {
  if (StartsWith(text, "GPU")) {
    text.remove_prefix(3);
  }
  const std::optional<std::int64_t> number = ParseUnsigned(text);
  if (!number || *number > kMaxCardNumber) {
    return std::nullopt;
  }
  return static_cast<int>(*number);
}

}  // namespace aliquot::topology
