// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aliquot::program {

// What is done with each field of a program's configuration. A program has one table, a function
// that visits every field in the order of the documentation; reader and printer
// (configuration_document.h) and the tests that compare the table with the documentation are
// visitors, so that no key can be read and not printed. Sections do not nest. Not thread-safe.
class FieldVisitor {
 public:
  using Milliseconds = std::chrono::milliseconds;

  virtual ~FieldVisitor() = default;
  // Fields visited until the matching End belong to this map.
  virtual void BeginSection(std::string_view name) = 0;
  virtual void EndSection() = 0;
  virtual void Text(std::string_view key, std::string& value) = 0;
  virtual void Choice(std::string_view key, std::string& value,
                      const std::vector<std::string_view>& choices) = 0;
  virtual void Boolean(std::string_view key, bool& value) = 0;
  virtual void Integer(std::string_view key, std::int64_t& value, std::int64_t least,
                       std::int64_t most) = 0;
  virtual void Duration(std::string_view key, Milliseconds& value, Milliseconds least,
                        Milliseconds most) = 0;
  // Lists; given ones replace the default as a whole.
  virtual void Texts(std::string_view key, std::vector<std::string>& values) = 0;
  virtual void Integers(std::string_view key, std::vector<int>& values, int least, int most) = 0;
};

}  // namespace aliquot::program
