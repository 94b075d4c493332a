// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads comma-separated values (RFC 4180: quoted fields, doubled quotes, CRLF or LF), with lines
// for error messages. Pure, thread-safe; a table owns its text. A UTF-8 byte order mark is skipped,
// as are empty lines and lines that begin with '#'. Each error is one sentence that names file,
// line and remedy.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace aliquot::simulate {

inline constexpr std::size_t kMaxCsvBytes = std::size_t{64} << 20;

struct CsvRow {
  int line = 0;  // where it begins, from 1
  std::vector<std::string> fields;
};

struct CsvFile {
  std::string name;  // for messages
  std::vector<CsvRow> rows;
};

// Refuses what is empty, no UTF-8, holds control characters, or leaves a quote open.
Result<CsvFile> ParseCsv(std::string_view text, std::string name);

// Columns found by their names in the first row, in whatever order they stand there.
class CsvColumns {
 public:
  // `required` and `optional` become columns 0, 1, ... in that order. Any other column is ignored.
  // The error names a missing or repeated one.
  static Result<CsvColumns> Find(const CsvFile& file, const std::vector<std::string>& required,
                                 const std::vector<std::string>& optional = {});

  // Every row has as many fields as the header: checked here, at the row's line.
  Status CheckWidth(const CsvRow& row) const;
  // nullptr where the file lacks an optional column. Pre: CheckWidth(row).
  const std::string* Text(const CsvRow& row, std::size_t column) const;
  // A whole number of 0 or more, at most `most`. Pre: the column is there, CheckWidth(row).
  Result<std::int64_t> Count(const CsvRow& row, std::size_t column, std::int64_t most) const;
  // "pods.csv:3: cpu_milli ", for messages of the caller.
  std::string Where(const CsvRow& row, std::size_t column) const;

 private:
  CsvColumns() = default;

  std::string file_;
  std::size_t width_ = 0;
  std::vector<std::string> names_;
  std::vector<int> places_;  // parallel to names_; -1: the file has no such column
};

// The same check for files without a header: `text` is `field` of file `file` at `line`.
Result<std::int64_t> ParseCsvCount(std::string_view text, const std::string& where,
                                   std::int64_t most);

}  // namespace aliquot::simulate
