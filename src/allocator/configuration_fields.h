// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/configuration.h"

namespace aliquot::allocator {

// What is done with each field of the configuration. Reader, printer and the test that compares the
// table with the documentation are visitors, so that no key can be read and not printed.
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
};

// Every field in the order of the documentation. apiVersion and kind are not among them.
void VisitFields(Configuration& configuration, FieldVisitor& visitor);

}  // namespace aliquot::allocator
