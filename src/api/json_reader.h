// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace aliquot::api {

using JsonElement = simdjson::dom::element;
// A field that may be missing; null counts as missing.
using JsonField = std::optional<JsonElement>;

// Where a value stands in its document. A chain on the stack that becomes text only for an error.
struct JsonPath {
  const JsonPath* parent = nullptr;
  std::string_view name;
  std::ptrdiff_t index = -1;  // used when the name is empty

  JsonPath Field(std::string_view field) const { return {this, field, -1}; }
  JsonPath Item(std::size_t item) const { return {this, {}, static_cast<std::ptrdiff_t>(item)}; }
  // "spec.containers[2].name"; empty for the root.
  std::string ToString() const;
};

// Reads the known fields of a JSON value and remembers the first that has the wrong type. Reads
// after an error change nothing that matters, so that a codec checks status() once, at its end. A
// missing field leaves its target as it was.
class JsonReader {
 public:
  // `subject` begins every sentence: "the pod".
  explicit JsonReader(std::string_view subject) : subject_(subject) {}

  const Status& status() const { return status_; }
  bool ok() const { return status_.ok(); }
  // Records a refusal unless there is one already. `what` follows the path: "is -1; use 0 or more".
  void Refuse(const JsonPath& path, std::string_view what);

  void Text(const JsonField& field, const JsonPath& path, std::string& value);
  void View(const JsonField& field, const JsonPath& path, std::string_view& value);
  void Bool(const JsonField& field, const JsonPath& path, bool& value);
  // Refuses what is outside [min, max].
  void Integer(const JsonField& field, const JsonPath& path, std::int64_t min, std::int64_t max,
               std::int64_t& value);

  // The last value of each key. Keys compare exactly, or without letter case for `kAnyCase`.
  enum class Case { kExact, kAnyCase };
  template <std::size_t N>
  std::array<JsonField, N> Object(const JsonField& field, const JsonPath& path,
                                  const std::array<std::string_view, N>& keys,
                                  Case letter_case = Case::kExact);

  // Calls f(key, value, path) for each member that is not null, in order.
  template <typename F>
  void ForEachMember(const JsonField& field, const JsonPath& path, F&& f);
  // Calls f(value, path) for each item, in order.
  template <typename F>
  void ForEachItem(const JsonField& field, const JsonPath& path, F&& f);

 private:
  void WrongType(const JsonElement& value, const JsonPath& path, std::string_view wanted);
  static bool SameKey(std::string_view a, std::string_view b, Case letter_case);

  std::string_view subject_;
  Status status_;
};

template <std::size_t N>
std::array<JsonField, N> JsonReader::Object(const JsonField& field, const JsonPath& path,
                                            const std::array<std::string_view, N>& keys,
                                            Case letter_case) {
  std::array<JsonField, N> found;
  if (!field) {
    return found;
  }
  simdjson::dom::object object;
  if (field->get_object().get(object)) {
    WrongType(*field, path, "an object");
    return found;
  }
  for (const simdjson::dom::key_value_pair& member : object) {
    for (std::size_t i = 0; i < N; ++i) {
      if (SameKey(member.key, keys[i], letter_case)) {
        found[i] = member.value.is_null() ? JsonField() : JsonField(member.value);
        break;
      }
    }
  }
  return found;
}

template <typename F>
void JsonReader::ForEachMember(const JsonField& field, const JsonPath& path, F&& f) {
  if (!field) {
    return;
  }
  simdjson::dom::object object;
  if (field->get_object().get(object)) {
    WrongType(*field, path, "an object");
    return;
  }
  for (const simdjson::dom::key_value_pair& member : object) {
    if (!ok()) {
      return;
    }
    if (!member.value.is_null()) {
      f(member.key, member.value, path.Field(member.key));
    }
  }
}

template <typename F>
void JsonReader::ForEachItem(const JsonField& field, const JsonPath& path, F&& f) {
  if (!field) {
    return;
  }
  simdjson::dom::array array;
  if (field->get_array().get(array)) {
    WrongType(*field, path, "a list");
    return;
  }
  std::size_t index = 0;
  for (const JsonElement& item : array) {
    if (!ok()) {
      return;
    }
    f(item, path.Item(index++));
  }
}

}  // namespace aliquot::api
