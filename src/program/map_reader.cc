// SPDX-License-Identifier: Apache-2.0
#include "program/map_reader.h"

#include <algorithm>
#include <array>

#include "base/strings.h"

namespace aliquot::program {
namespace {

struct DurationUnit {
  std::string_view name;
  std::int64_t milliseconds;
};
constexpr std::array<DurationUnit, 4> kUnits = {
    {{"h", 3600000}, {"m", 60000}, {"s", 1000}, {"ms", 1}}};

std::string Shown(const YamlValue& value) {
  switch (value.kind) {
    case YamlValue::Kind::kList:
      return "a list";
    case YamlValue::Kind::kMap:
      return "a map";
    case YamlValue::Kind::kNull:
      return "empty";
    case YamlValue::Kind::kScalar:
      break;
  }
  return "\"" + Printable(value.text) + "\"";
}

std::string Listed(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) {
    text += (text.empty() ? "" : ", ") + std::string(word);
  }
  return text;
}

}  // namespace

std::string YamlPath::ToString() const {
  if (parent_ == nullptr) {
    return {};
  }
  std::string text = parent_->ToString();
  if (index_ >= 0) {
    return text + "[" + std::to_string(index_) + "]";
  }
  return text + (text.empty() ? "" : ".") + std::string(key_);
}

std::optional<std::chrono::milliseconds> ParseDuration(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto count = ParseUnsigned(text.substr(0, digits));
  if (!count) {
    return std::nullopt;
  }
  for (const DurationUnit& unit : kUnits) {
    if (text.substr(digits) == unit.name && *count <= (std::int64_t{1} << 40) / unit.milliseconds) {
      return std::chrono::milliseconds(*count * unit.milliseconds);
    }
  }
  return std::nullopt;
}

std::string FormatDuration(std::chrono::milliseconds duration) {
  if (duration.count() == 0) {
    return "0s";
  }
  for (const DurationUnit& unit : kUnits) {
    if (duration.count() % unit.milliseconds == 0) {
      return std::to_string(duration.count() / unit.milliseconds) + std::string(unit.name);
    }
  }
  return {};  // not reached: one unit is the millisecond
}

std::optional<std::int64_t> YamlInteger(const YamlValue& value) {
  if (value.kind != YamlValue::Kind::kScalar || !value.plain) {
    return std::nullopt;
  }
  const bool negative = StartsWith(value.text, "-");
  const auto number = ParseUnsigned(std::string_view(value.text).substr(negative ? 1 : 0));
  return number && negative ? -*number : number;
}

MapReader::MapReader(YamlSource& source, const YamlValue& value, const YamlPath& path)
    : source_(source), value_(value), path_(path), known_(value.keys.size(), false) {
  if (value.kind != YamlValue::Kind::kMap) {
    std::string name = path.ToString();
    if (name.empty()) {
      name = "the document";
    }
    source_.problems.Add(
        source_.Where(value.line),
        name + " is " + Shown(value) + ", not a map; write keys with their values");
  }
}

const YamlValue* MapReader::Take(std::string_view key) {
  const auto at = std::find(value_.keys.begin(), value_.keys.end(), key);
  if (at == value_.keys.end()) {
    return nullptr;
  }
  const auto index = static_cast<std::size_t>(at - value_.keys.begin());
  known_[index] = true;
  if (value_.items[index].kind == YamlValue::Kind::kNull) {
    Complain(key, "has no value; give one, or leave the key out");
    return nullptr;
  }
  return &value_.items[index];
}

const YamlValue* MapReader::TakeKind(std::string_view key, YamlValue::Kind kind,
                                     std::string_view what) {
  const YamlValue* value = Take(key);
  if (value != nullptr && value->kind != kind) {
    Complain(key, "is " + Shown(*value) + "; give " + std::string(what));
    return nullptr;
  }
  return value;
}

int MapReader::LineOf(std::string_view key) const {
  const auto at = std::find(value_.keys.begin(), value_.keys.end(), key);
  return at == value_.keys.end()
             ? value_.line
             : value_.key_lines[static_cast<std::size_t>(at - value_.keys.begin())];
}

void MapReader::Complain(std::string_view key, std::string_view sentence) {
  source_.problems.Add(source_.Where(LineOf(key)),
                       YamlPath(path_, key).ToString() + " " + std::string(sentence));
}

void MapReader::MissingKey(std::string_view key) {
  // A map that is none has its problem already.
  if (value_.kind == YamlValue::Kind::kMap && !Has(key)) {
    Complain(key, "is missing; add it");
  }
}

std::string MapReader::Text(std::string_view key, std::string_view fallback) {
  const YamlValue* value = TakeKind(key, YamlValue::Kind::kScalar, "text");
  return value == nullptr ? std::string(fallback) : value->text;
}

std::string MapReader::RequiredText(std::string_view key) {
  MissingKey(key);
  std::string text = Text(key, "");
  const YamlValue* value = value_.Find(key);
  if (value != nullptr && value->kind == YamlValue::Kind::kScalar && text.empty()) {
    Complain(key, "is empty; give a value");
  }
  return text;
}

std::string MapReader::Choice(std::string_view key, std::string fallback,
                              const std::vector<std::string_view>& choices) {
  const YamlValue* value = TakeKind(key, YamlValue::Kind::kScalar, "one of " + Listed(choices));
  if (value == nullptr) {
    return fallback;
  }
  if (std::find(choices.begin(), choices.end(), value->text) == choices.end()) {
    Complain(key, "is " + Shown(*value) + "; choose among " + Listed(choices));
    return fallback;
  }
  return value->text;
}

bool MapReader::Boolean(std::string_view key, bool fallback) {
  const YamlValue* value = TakeKind(key, YamlValue::Kind::kScalar, "true or false");
  if (value == nullptr) {
    return fallback;
  }
  if (value->plain && (value->text == "true" || value->text == "false")) {
    return value->text == "true";
  }
  Complain(key, "is " + Shown(*value) + "; write true or false");
  return fallback;
}

std::optional<std::int64_t> MapReader::Number(std::string_view key, std::int64_t least,
                                              std::int64_t most) {
  const YamlValue* value = Take(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  const auto number = YamlInteger(*value);
  if (!number || *number < least || *number > most) {
    Complain(key, "is " + Shown(*value) + "; write a whole number from " + std::to_string(least) +
                      " to " + std::to_string(most));
    return std::nullopt;
  }
  return number;
}

std::int64_t MapReader::Integer(std::string_view key, std::int64_t fallback, std::int64_t least,
                                std::int64_t most) {
  return Number(key, least, most).value_or(fallback);
}

std::optional<std::int64_t> MapReader::RequiredInteger(std::string_view key, std::int64_t least,
                                                       std::int64_t most) {
  MissingKey(key);
  return Number(key, least, most);
}

std::chrono::milliseconds MapReader::Duration(std::string_view key,
                                              std::chrono::milliseconds fallback,
                                              std::chrono::milliseconds least,
                                              std::chrono::milliseconds most) {
  const YamlValue* value = Take(key);
  if (value == nullptr) {
    return fallback;
  }
  const auto duration =
      value->kind == YamlValue::Kind::kScalar ? ParseDuration(value->text) : std::nullopt;
  if (!duration || *duration < least || *duration > most) {
    Complain(key, "is " + Shown(*value) + "; write a duration from " + FormatDuration(least) +
                      " to " + FormatDuration(most) + ", such as " + FormatDuration(fallback));
    return fallback;
  }
  return *duration;
}

std::optional<std::vector<int>> MapReader::Integers(std::string_view key, int least, int most) {
  const YamlValue* list = List(key);
  if (list == nullptr) {
    return std::nullopt;
  }
  std::vector<int> numbers;
  for (const YamlValue& item : list->items) {
    const auto number = YamlInteger(item);
    if (!number || *number < least || *number > most) {
      Complain(key, "holds " + Shown(item) + "; write whole numbers from " + std::to_string(least) +
                        " to " + std::to_string(most));
      return std::nullopt;
    }
    numbers.push_back(static_cast<int>(*number));
  }
  return numbers;
}

std::optional<std::vector<std::string>> MapReader::Texts(std::string_view key) {
  const YamlValue* list = List(key);
  if (list == nullptr) {
    return std::nullopt;
  }
  std::vector<std::string> texts;
  for (const YamlValue& item : list->items) {
    if (item.kind != YamlValue::Kind::kScalar || item.text.empty()) {
      Complain(key, "holds " + Shown(item) + "; write texts that are not empty");
      return std::nullopt;
    }
    texts.push_back(item.text);
  }
  return texts;
}

const YamlValue* MapReader::List(std::string_view key) {
  return TakeKind(key, YamlValue::Kind::kList, "a list");
}

const YamlValue* MapReader::Map(std::string_view key) {
  return TakeKind(key, YamlValue::Kind::kMap, "a map");
}

void MapReader::RefuseUnknownKeys() {
  for (std::size_t i = 0; i < known_.size(); ++i) {
    if (!known_[i]) {
      const std::string name = Printable(YamlPath(path_, value_.keys[i]).ToString());
      source_.problems.Add(source_.Where(value_.key_lines[i]),
                           name + " is not a known key; correct its spelling or remove it");
    }
  }
}

}  // namespace aliquot::program
