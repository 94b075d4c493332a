// SPDX-License-Identifier: Apache-2.0
#pragma once

// Quantities inside JSON objects. Stateless, thread-safe.

#include <cstdint>
#include <optional>
#include <string>

#include "api/json_reader.h"
#include "model/host.h"
#include "model/quantity.h"

namespace aliquot::api {

// The text of a quantity: a string wherever the API server writes it; its grammar allows bare
// numbers too.
void ReadQuantity(JsonReader& reader, const JsonElement& value, const JsonPath& path,
                  std::string& text);

// `cpu` and `memory` of a map of quantities. They guide a choice and decide nothing, so what is no
// quantity counts as left out: no object is refused for it.
struct HostFigures {
  std::optional<std::int64_t> cpu_milli;
  std::optional<std::int64_t> memory_mib;

  // Where one is left out, the other map's counts.
  HostFigures Or(const HostFigures& other) const;
  model::HostAmount OrNothing() const { return {cpu_milli.value_or(0), memory_mib.value_or(0)}; }
};
HostFigures ReadHostFigures(JsonReader& reader, const JsonField& quantities, const JsonPath& path,
                            model::Rounding rounding);

}  // namespace aliquot::api
