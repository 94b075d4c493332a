// SPDX-License-Identifier: Apache-2.0
#pragma once

// A text file from outside, as lines, and the sentences about it. Pure; the lines point into the
// text, which outlives this.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace aliquot::topology {

struct TextLine {
  std::size_t number = 0;  // from 1
  std::string_view text;   // without its end of line
};

class SourceText {
 public:
  // Refused with one sentence: more than 1 MiB, no UTF-8, a NUL, nothing but blanks. A byte order
  // mark and carriage returns are dropped.
  static Result<SourceText> Create(std::string_view text, std::string_view file);

  // All of it but for the byte order mark.
  std::string_view text() const { return text_; }
  const std::vector<TextLine>& lines() const { return lines_; }
  // Number of the line at this offset in text().
  std::size_t LineAt(std::ptrdiff_t offset) const;

  // "FILE, line 7: what".
  Status Refuse(std::size_t line, std::string_view what) const;
  // The same of the last line that is not blank: for what the text lacks as a whole.
  Status RefuseAtEnd(std::string_view what) const;

 private:
  std::string file_;
  std::string_view text_;
  std::vector<TextLine> lines_;
};

// The line without terminal escape sequences (nvidia-smi underlines its header), also those that
// lost their escape character on the way ("[4mGPU0"), and without its blanks at the end. Tabs
// become blanks up to the next multiple of eight, so that columns line up.
std::string PlainLine(std::string_view line);

// A word of a line and where it starts.
struct Word {
  std::size_t at = 0;
  std::string_view text;
};
// Split at runs of blanks.
std::vector<Word> Words(std::string_view line);

// Split at commas, or where the line has none at runs of blanks and tabs. Each part without blanks
// around it.
std::vector<std::string_view> Fields(std::string_view line);

// A figure of 0 to `most`, such as "52.2": digits and at most one point. Nothing for anything else.
std::optional<double> ParseFigure(std::string_view text, double most);

// "GPU12" or "12" as 12; nothing for anything else or past 999.
std::optional<int> ParseCardNumber(std::string_view text);

}  // namespace aliquot::topology
