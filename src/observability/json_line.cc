// SPDX-License-Identifier: Apache-2.0
#include "observability/json_line.h"

#include <algorithm>
#include <utility>

namespace aliquot::observability {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Length of the well-formed UTF-8 sequence at the front of `text`, or 0. Overlong forms, surrogates
// and code points over U+10FFFF are not well-formed (Unicode 15, table 3-7).
std::size_t SequenceLength(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  std::size_t length = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3;
    if (first == 0xE0) low = 0xA0;
    if (first == 0xED) high = 0x9F;
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;
  }
  if (length == 0 || text.size() < length || byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return length;
}

void AppendControl(std::string& out, unsigned char control) {
  switch (control) {
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  constexpr std::string_view kHex = "0123456789abcdef";
  out += "\\u00";
  out += kHex[control >> 4];
  out += kHex[control & 0xF];
}

void AppendEscaped(std::string& out, std::string_view value) {
  while (!value.empty()) {
    const auto first = static_cast<unsigned char>(value[0]);
    if (first == '"' || first == '\\') {
      out += '\\';
      out += value[0];
      value.remove_prefix(1);
    } else if (first < 0x20 || first == 0x7F) {
      AppendControl(out, first);
      value.remove_prefix(1);
    } else if (const std::size_t length = SequenceLength(value); length > 0) {
      out += value.substr(0, length);
      value.remove_prefix(length);
    } else {
      out += kReplacement;
      value.remove_prefix(1);
    }
  }
}

}  // namespace

void JsonLine::AddKey(std::string_view key) {
  if (text_.size() > 1) text_ += ',';
  text_ += '"';
  text_ += key;
  text_ += "\":";
}

void JsonLine::AddText(std::string_view key, std::string_view value) {
  AddKey(key);
  text_ += '"';
  AppendEscaped(text_, value);
  text_ += '"';
}

void JsonLine::AddInteger(std::string_view key, std::int64_t value) {
  AddKey(key);
  text_ += std::to_string(value);
}

void JsonLine::AddFlag(std::string_view key, bool value) {
  AddKey(key);
  text_ += value ? "true" : "false";
}

void JsonLine::AddMilliseconds(std::string_view key, std::chrono::nanoseconds value) {
  AddKey(key);
  const std::int64_t microseconds = std::max<std::int64_t>(
      0, std::chrono::duration_cast<std::chrono::microseconds>(value).count());
  const std::string decimals = std::to_string(microseconds % 1000);
  text_ +=
      std::to_string(microseconds / 1000) + "." + std::string(3 - decimals.size(), '0') + decimals;
}

std::string JsonLine::Finish() && {
  text_ += '}';
  return std::move(text_);
}

}  // namespace aliquot::observability
