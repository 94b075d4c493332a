// SPDX-License-Identifier: Apache-2.0
#include "cli/top/metrics_text.h"

#include <cstdlib>
#include <optional>

#include "base/strings.h"

namespace aliquot::cli {
namespace {

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == ':';
}

// One line, from left to right.
class Line {
 public:
  explicit Line(std::string_view text) : text_(text) {}

  bool Read(MetricSample& sample) {
    sample.name = Name();
    if (sample.name.empty() || (Skip('{') && !Labels(sample))) {
      return false;
    }
    const auto value = Number();
    sample.value = value.value_or(0);
    return value && (AtEnd() || Number()) && AtEnd();
  }

 private:
  void SkipBlanks() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\t')) {
      text_.remove_prefix(1);
    }
  }
  bool Skip(char wanted) {
    SkipBlanks();
    const bool there = !text_.empty() && text_.front() == wanted;
    text_.remove_prefix(there ? 1 : 0);
    return there;
  }
  bool AtEnd() {
    SkipBlanks();
    return text_.empty();
  }

  std::string_view Name() {
    SkipBlanks();
    std::size_t end = 0;
    while (end < text_.size() && IsNameCharacter(text_[end])) {
      ++end;
    }
    const std::string_view name = text_.substr(0, end);
    text_.remove_prefix(end);
    return name;
  }

  bool Labels(MetricSample& sample) {
    while (!Skip('}')) {
      const std::string_view name = Name();
      std::string value;
      if (name.empty() || !Skip('=') || !Skip('"') || !Quoted(value)) {
        return false;
      }
      sample.labels.emplace_back(name, std::move(value));
      if (!Skip(',')) {
        return Skip('}');
      }
    }
    return true;
  }

  // Up to the closing quote; \\, \" and \n stand for one character.
  bool Quoted(std::string& value) {
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '"') {
        text_.remove_prefix(i + 1);
        return true;
      }
      if (c != '\\') {
        value += c;
        continue;
      }
      if (++i == text_.size() || (text_[i] != '\\' && text_[i] != '"' && text_[i] != 'n')) {
        return false;
      }
      value += text_[i] == 'n' ? '\n' : text_[i];
    }
    return false;
  }

  // As Go's ParseFloat: NaN and Inf, too.
  std::optional<double> Number() {
    SkipBlanks();
    const std::string word(text_.substr(0, text_.find_first_of(" \t")));
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    if (word.empty() || *end != '\0') {
      return std::nullopt;
    }
    text_.remove_prefix(word.size());
    return value;
  }

  std::string_view text_;
};

}  // namespace

const std::string& MetricSample::Label(std::string_view label) const {
  static const std::string kNone;
  for (const auto& each : labels) {
    if (each.first == label) {
      return each.second;
    }
  }
  return kNone;
}

Status ReadMetrics(std::string_view text, const std::function<void(const MetricSample&)>& take) {
  std::size_t number = 0;
  for (std::string_view line : Split(text, '\n')) {
    ++number;
    line = Trim(line);
    if (line.empty() || line.front() == '#') {
      continue;
    }
    MetricSample sample;
    if (!Line(line).Read(sample)) {
      return InvalidArgument("line " + std::to_string(number) + " is no metric: \"" +
                             Printable(line) + "\"");
    }
    take(sample);
  }
  return Status::Ok();
}

}  // namespace aliquot::cli
