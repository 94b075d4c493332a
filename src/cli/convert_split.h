// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace aliquot::cli {

// One document of a manifest file, with the separator before it. All views are of the file's text,
// and the texts of all documents one after the other are the file's.
struct SourceDocument {
  std::string_view text;
  std::string_view head;  // of it, what precedes the content: separator, comments, blank lines
  int line = 1;           // of the first line of content; of a blank document, its first
  bool blank = false;     // no content
  bool json = false;      // the content begins with "{"
};

// Splits at lines that begin a YAML document (`---`). Pure.
std::vector<SourceDocument> SplitDocuments(std::string_view text);

}  // namespace aliquot::cli
