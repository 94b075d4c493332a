// SPDX-License-Identifier: Apache-2.0
#include "simulate/csv.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "base/utf8.h"

namespace aliquot::simulate {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// The line of the first bytes that are no UTF-8. Pre: there are such.
int LineOfBadUtf8(std::string_view text) {
  int line = 1;
  for (const std::string_view each : Split(text, '\n')) {
    if (!IsUtf8(each)) {
      break;
    }
    ++line;
  }
  return line;
}

class Reader {
 public:
  Reader(std::string_view text, std::string name) : text_(text) { file_.name = std::move(name); }

  Result<CsvFile> Read() {
    if (!IsUtf8(text_)) {
      line_ = LineOfBadUtf8(text_);
      return Bad("the text is not UTF-8; save the file as UTF-8");
    }
    if (StartsWith(text_, kByteOrderMark)) {
      at_ = kByteOrderMark.size();
    }
    while (at_ < text_.size()) {
      if (text_[at_] == '#') {
        SkipComment();
      } else if (!AtLineEnd()) {
        if (Status status = ReadRow(); !status.ok()) {
          return status;
        }
      }
      SkipLineEnd();
    }
    if (file_.rows.empty()) {
      return InvalidArgument(file_.name + ":1: the file is empty; expected comma-separated lines");
    }
    return std::move(file_);
  }

 private:
  bool AtLineEnd() const {
    return at_ >= text_.size() || text_[at_] == '\n' || StartsWith(text_.substr(at_), "\r\n");
  }
  void SkipLineEnd() {
    if (at_ >= text_.size()) {
      return;
    }
    at_ += text_[at_] == '\r' ? 2 : 1;
    ++line_;
  }
  void SkipComment() { at_ = std::min(text_.size(), text_.find('\n', at_)); }
  Status Bad(std::string_view what) const {
    return InvalidArgument(file_.name + ":" + std::to_string(line_) + ": " + std::string(what));
  }

  Status ReadRow() {
    CsvRow row;
    row.line = line_;
    for (;;) {
      std::string field;
      const bool quoted = at_ < text_.size() && text_[at_] == '"';
      if (Status status = quoted ? ReadQuoted(field) : ReadPlain(field); !status.ok()) {
        return status;
      }
      row.fields.push_back(std::move(field));
      if (AtLineEnd()) {
        break;
      }
      ++at_;  // the comma
    }
    file_.rows.push_back(std::move(row));
    return Status::Ok();
  }

  Status ReadPlain(std::string& field) {
    while (!AtLineEnd() && text_[at_] != ',') {
      if (text_[at_] == '"') {
        return Bad("a quote stands inside a field; put the whole field in quotes and double it");
      }
      if (Status status = Take(field); !status.ok()) {
        return status;
      }
    }
    return Status::Ok();
  }

  Status ReadQuoted(std::string& field) {
    const int opened = line_;
    ++at_;
    for (;;) {
      if (at_ >= text_.size()) {
        line_ = opened;
        return Bad("a quoted field is not closed; add the closing quote");
      }
      if (text_[at_] == '"' && !StartsWith(text_.substr(at_ + 1), "\"")) {
        break;
      }
      if (text_[at_] == '"') {
        ++at_;  // a doubled quote is one quote
      }
      if (text_[at_] == '\n' || StartsWith(text_.substr(at_), "\r\n")) {
        field += '\n';
        SkipLineEnd();
      } else if (Status status = Take(field); !status.ok()) {
        return status;
      }
    }
    ++at_;
    if (!AtLineEnd() && text_[at_] != ',') {
      return Bad("text follows a closing quote; end the field with a comma there");
    }
    return Status::Ok();
  }

  // One byte.
  Status Take(std::string& field) {
    const char c = text_[at_];
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F) {
      return Bad("a control character stands in the text; is this a CSV file?");
    }
    field += c;
    ++at_;
    return Status::Ok();
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  CsvFile file_;
};

}  // namespace

Result<CsvFile> ParseCsv(std::string_view text, std::string name) {
  if (text.size() > kMaxCsvBytes) {
    return InvalidArgument(name + ": the file has more than " + std::to_string(kMaxCsvBytes >> 20) +
                           " MiB; split it");
  }
  return Reader(text, std::move(name)).Read();
}

Result<CsvColumns> CsvColumns::Find(const CsvFile& file, const std::vector<std::string>& required,
                                    const std::vector<std::string>& optional) {
  CsvColumns columns;
  const CsvRow& header = file.rows.front();
  columns.file_ = file.name;
  columns.width_ = header.fields.size();
  columns.names_ = required;
  columns.names_.insert(columns.names_.end(), optional.begin(), optional.end());
  const std::string where = file.name + ":" + std::to_string(header.line) + ": ";
  for (std::size_t i = 0; i < columns.names_.size(); ++i) {
    const std::string& name = columns.names_[i];
    const auto count = std::count(header.fields.begin(), header.fields.end(), name);
    if (count > 1) {
      return InvalidArgument(where + "column \"" + name + "\" is there twice; remove one");
    }
    if (count == 0 && i < required.size()) {
      return InvalidArgument(where + "column \"" + name +
                             "\" is missing; the first line must name " + Join(required, ","));
    }
    const auto place = std::find(header.fields.begin(), header.fields.end(), name);
    columns.places_.push_back(count == 0 ? -1 : static_cast<int>(place - header.fields.begin()));
  }
  return columns;
}

Status CsvColumns::CheckWidth(const CsvRow& row) const {
  if (row.fields.size() == width_) {
    return Status::Ok();
  }
  return InvalidArgument(file_ + ":" + std::to_string(row.line) + ": the line has " +
                         std::to_string(row.fields.size()) + " fields and the header " +
                         std::to_string(width_) + "; give every line one field a column");
}

const std::string* CsvColumns::Text(const CsvRow& row, std::size_t column) const {
  const int place = places_[column];
  return place < 0 ? nullptr : &row.fields[static_cast<std::size_t>(place)];
}

Result<std::int64_t> CsvColumns::Count(const CsvRow& row, std::size_t column,
                                       std::int64_t most) const {
  return ParseCsvCount(*Text(row, column), Where(row, column), most);
}

std::string CsvColumns::Where(const CsvRow& row, std::size_t column) const {
  return file_ + ":" + std::to_string(row.line) + ": " + names_[column] + " ";
}

Result<std::int64_t> ParseCsvCount(std::string_view text, const std::string& where,
                                   std::int64_t most) {
  const auto number = ParseUnsigned(text);
  if (number && *number <= most) {
    return *number;
  }
  return InvalidArgument(where + "is \"" + Printable(text) + "\"; use a whole number from 0 to " +
                         std::to_string(most));
}

}  // namespace aliquot::simulate
