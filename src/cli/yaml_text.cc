// SPDX-License-Identifier: Apache-2.0
#include "cli/yaml_text.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace aliquot::cli {
namespace {

using Json = nlohmann::ordered_json;
using program::YamlValue;

// Words that YAML 1.1 or 1.2 reads as something else than text, in lower case.
bool IsWord(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const char* word : {"true", "false", "yes", "no", "on", "off", "y", "n", "null"}) {
    if (text == word) {
      return true;
    }
  }
  return false;
}

// Whether the text without quotes is read as that text by every YAML reader. Narrow on purpose.
bool IsSafePlain(const std::string& text) {
  if (text.empty() || (std::isalpha(static_cast<unsigned char>(text[0])) == 0 && text[0] != '/') ||
      IsWord(text) || text.back() == ':') {
    return false;
  }
  return std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("-_./:@+").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

std::string Quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Whether a literal block gives the text back: no line that could be taken for indentation, at most
// one line end at the end, no control characters.
bool FitsBlock(const std::string& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string::npos || text[0] == ' ' || text[0] == '\t' || text[0] == '\n') {
    return false;
  }
  if (text.size() >= 2 && text.substr(text.size() - 2) == "\n\n") {
    return false;
  }
  return std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return (c >= 0x20 && c != 0x7f) || c == '\n' || c == '\t';
  });
}

class Writer {
 public:
  std::string Write(const YamlValue& value) {
    if (IsNested(value)) {
      WriteNested(value, 0, /*on_line=*/true);
    } else {
      WriteScalar(value, 0);
    }
    return std::move(text_);
  }

 private:
  static bool IsNested(const YamlValue& value) {
    return (value.kind == YamlValue::Kind::kMap || value.kind == YamlValue::Kind::kList) &&
           !value.items.empty();
  }

  void Indent(std::size_t indent) { text_.append(indent, ' '); }

  // `on_line`: the first line's indentation is written already.
  void WriteNested(const YamlValue& value, std::size_t indent, bool on_line) {
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      if (!on_line || i > 0) {
        Indent(indent);
      }
      if (value.kind == YamlValue::Kind::kList) {
        WriteItem(value.items[i], indent);
      } else {
        WriteMember(value.keys[i], value.items[i], indent);
      }
    }
  }

  void WriteItem(const YamlValue& item, std::size_t indent) {
    text_ += "- ";
    if (IsNested(item)) {
      WriteNested(item, indent + 2, /*on_line=*/true);
    } else {
      WriteScalar(item, indent);
    }
  }

  void WriteMember(const std::string& key, const YamlValue& value, std::size_t indent) {
    text_ += (IsSafePlain(key) ? key : Quoted(key)) + ":";
    if (!IsNested(value)) {
      text_ += ' ';
      WriteScalar(value, indent);
      return;
    }
    text_ += '\n';
    // kubectl writes a list's dashes below the key.
    WriteNested(value, value.kind == YamlValue::Kind::kList ? indent : indent + 2,
                /*on_line=*/false);
  }

  void WriteScalar(const YamlValue& value, std::size_t indent) {
    switch (value.kind) {
      case YamlValue::Kind::kMap:
        text_ += "{}\n";
        return;
      case YamlValue::Kind::kList:
        text_ += "[]\n";
        return;
      case YamlValue::Kind::kNull:
        text_ += "null\n";
        return;
      case YamlValue::Kind::kScalar:
        break;
    }
    const bool one_line = value.text.find('\n') == std::string::npos;
    if (value.plain && one_line) {
      text_ += value.text + "\n";
    } else if (FitsBlock(value.text)) {
      WriteBlock(value.text, indent + 2);
    } else {
      text_ += Quoted(value.text) + "\n";
    }
  }

  void WriteBlock(const std::string& text, std::size_t indent) {
    const bool ends = text.back() == '\n';
    text_ += ends ? "|\n" : "|-\n";
    std::size_t from = 0;
    while (from < text.size()) {
      const std::size_t to = std::min(text.find('\n', from), text.size());
      if (to > from) {
        Indent(indent);
      }
      text_.append(text, from, to - from);
      text_ += '\n';
      from = to + 1;
    }
  }

  std::string text_;
};

}  // namespace

std::string YamlText(const YamlValue& value) { return Writer().Write(value); }

YamlValue YamlOf(const Json& document) {
  YamlValue value;
  if (document.is_object()) {
    value.kind = YamlValue::Kind::kMap;
    for (const auto& [key, member] : document.items()) {
      value.keys.push_back(key);
      value.key_lines.push_back(0);
      value.items.push_back(YamlOf(member));
    }
  } else if (document.is_array()) {
    value.kind = YamlValue::Kind::kList;
    for (const Json& item : document) {
      value.items.push_back(YamlOf(item));
    }
  } else if (!document.is_null()) {
    value.kind = YamlValue::Kind::kScalar;
    value.text = document.is_string() ? document.get<std::string>() : document.dump();
    value.plain = !document.is_string() || IsSafePlain(value.text);
  }
  return value;
}

}  // namespace aliquot::cli
