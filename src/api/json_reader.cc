// SPDX-License-Identifier: Apache-2.0
#include "api/json_reader.h"

#include <strings.h>

#include "base/strings.h"

namespace aliquot::api {
namespace {

std::string_view TypeName(const JsonElement& value) {
  switch (value.type()) {
    case simdjson::dom::element_type::ARRAY:
      return "a list";
    case simdjson::dom::element_type::OBJECT:
      return "an object";
    case simdjson::dom::element_type::STRING:
      return "a string";
    case simdjson::dom::element_type::BOOL:
      return "a boolean";
    case simdjson::dom::element_type::NULL_VALUE:
      return "null";
    default:
      return "a number";
  }
}

}  // namespace

std::string JsonPath::ToString() const {
  std::string text = parent == nullptr ? std::string() : parent->ToString();
  if (!name.empty()) {
    if (!text.empty()) {
      text += '.';
    }
    text += Printable(name);
  } else if (index >= 0) {
    text += "[" + std::to_string(index) + "]";
  }
  return text;
}

void JsonReader::Refuse(const JsonPath& path, std::string_view what) {
  if (!ok()) {
    return;
  }
  std::string sentence(subject_);
  const std::string place = path.ToString();
  if (!place.empty()) {
    sentence += ": " + place;
  }
  sentence += ' ';
  sentence += what;
  status_ = InvalidArgument(std::move(sentence));
}

void JsonReader::WrongType(const JsonElement& value, const JsonPath& path,
                           std::string_view wanted) {
  Refuse(path, "is " + std::string(TypeName(value)) + "; it must be " + std::string(wanted));
}

bool JsonReader::SameKey(std::string_view a, std::string_view b, Case letter_case) {
  if (a.size() != b.size()) {
    return false;
  }
  return letter_case == Case::kExact ? a == b : strncasecmp(a.data(), b.data(), a.size()) == 0;
}

void JsonReader::View(const JsonField& field, const JsonPath& path, std::string_view& value) {
  if (!field) {
    return;
  }
  if (field->get_string().get(value)) {
    WrongType(*field, path, "a string");
  }
}

void JsonReader::Text(const JsonField& field, const JsonPath& path, std::string& value) {
  std::string_view view;
  if (field) {
    View(field, path, view);
    value = view;
  }
}

void JsonReader::Bool(const JsonField& field, const JsonPath& path, bool& value) {
  if (field && field->get_bool().get(value)) {
    WrongType(*field, path, "true or false");
  }
}

void JsonReader::Integer(const JsonField& field, const JsonPath& path, std::int64_t min,
                         std::int64_t max, std::int64_t& value) {
  if (!field) {
    return;
  }
  std::int64_t number = 0;
  if (field->get_int64().get(number)) {
    WrongType(*field, path, "a whole number of 64 bits");
    return;
  }
  if (number < min || number > max) {
    Refuse(path, "is " + std::to_string(number) + "; use " + std::to_string(min) + " to " +
                     std::to_string(max));
    return;
  }
  value = number;
}

}  // namespace aliquot::api
