// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <variant>

// What the rooms log with. One event is one line; the message is a constant string and everything
// that varies is a field. No secret (token, key, certificate, request body) is ever a field.
// Implementations are thread-safe, never block on I/O and never throw; views are read during the
// call only.

namespace aliquot::observability {

enum class Level { kDebug, kInfo, kWarn, kError };

// One key with its value. A const char* counts as text, not as a flag.
struct Field {
  Field(std::string_view name, std::string_view text) : key(name), value(text) {}
  Field(std::string_view name, const char* text) : key(name), value(std::string_view(text)) {}
  Field(std::string_view name, bool flag) : key(name), value(flag) {}
  Field(std::string_view name, std::int64_t number) : key(name), value(number) {}
  Field(std::string_view name, int number) : key(name), value(static_cast<std::int64_t>(number)) {}

  std::string_view key;  // snake_case
  std::variant<std::string_view, bool, std::int64_t> value;
};

class Log {
 public:
  virtual ~Log() = default;

  // `component` is the room ("http", "kubeclient"); `message` is a literal: repeats are recognised
  // by it.
  virtual void Write(Level level, std::string_view component, std::string_view message,
                     std::initializer_list<Field> fields) = 0;

  void Debug(std::string_view component, std::string_view message,
             std::initializer_list<Field> fields = {}) {
    Write(Level::kDebug, component, message, fields);
  }
  void Info(std::string_view component, std::string_view message,
            std::initializer_list<Field> fields = {}) {
    Write(Level::kInfo, component, message, fields);
  }
  void Warn(std::string_view component, std::string_view message,
            std::initializer_list<Field> fields = {}) {
    Write(Level::kWarn, component, message, fields);
  }
  void Error(std::string_view component, std::string_view message,
             std::initializer_list<Field> fields = {}) {
    Write(Level::kError, component, message, fields);
  }
};

// For tests and tools that want no log.
class NullLog final : public Log {
 public:
  void Write(Level, std::string_view, std::string_view, std::initializer_list<Field>) override {}
};

}  // namespace aliquot::observability
