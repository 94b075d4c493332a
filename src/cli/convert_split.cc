// SPDX-License-Identifier: Apache-2.0
#include "cli/convert_split.h"

#include <algorithm>

#include "base/strings.h"

namespace aliquot::cli {
namespace {

// The next line with its end, taken off `text`.
std::string_view TakeLine(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end);
  return line;
}

bool IsSeparator(std::string_view line) {
  return StartsWith(line, "---") && (line.size() == 3 || line[3] == ' ' || line[3] == '\t' ||
                                     line[3] == '\r' || line[3] == '\n');
}

// A separator may have content on its own line: "--- {kind: Pod}".
bool HasContent(std::string_view line) {
  if (IsSeparator(line)) {
    line.remove_prefix(3);
  }
  line = Trim(line);
  return !line.empty() && line.front() != '#' && line != "...";
}

void Finish(std::size_t head, SourceDocument& document) {
  document.head = document.text.substr(0, head);
  std::string_view content = Trim(document.text.substr(head));
  document.blank = content.empty();
  if (IsSeparator(content)) {
    content = Trim(content.substr(3));
  }
  document.json = StartsWith(content, "{");
}

}  // namespace

std::vector<SourceDocument> SplitDocuments(std::string_view text) {
  std::vector<SourceDocument> documents;
  std::string_view rest = text;
  int line_number = 1;
  while (!rest.empty()) {
    SourceDocument document;
    document.line = line_number;
    const std::string_view from = rest;
    std::size_t size = 0;
    std::size_t head = 0;
    bool content = false;
    do {
      const std::string_view line = TakeLine(rest);
      size += line.size();
      if (!content && HasContent(line)) {
        content = true;
        document.line = line_number;
      }
      if (!content) {
        head = size;
      }
      ++line_number;
    } while (!rest.empty() && !IsSeparator(rest));
    document.text = from.substr(0, size);
    Finish(head, document);
    documents.push_back(document);
  }
  return documents;
}

}  // namespace aliquot::cli
