// SPDX-License-Identifier: Apache-2.0
#include "api/quantity_reader.h"

#include <charconv>

namespace aliquot::api {

void ReadQuantity(JsonReader& reader, const JsonElement& value, const JsonPath& path,
                  std::string& text) {
  std::int64_t integer = 0;
  double number = 0;
  if (value.get_int64().get(integer) == simdjson::SUCCESS) {
    text = std::to_string(integer);
    return;
  }
  if (value.get_double().get(number) == simdjson::SUCCESS) {
    char digits[32];
    const auto written = std::to_chars(digits, digits + sizeof(digits), number);
    text.assign(digits, written.ptr);
    return;
  }
  reader.Text(value, path, text);
}

HostFigures HostFigures::Or(const HostFigures& other) const {
  HostFigures figures = *this;
  if (!figures.cpu_milli) {
    figures.cpu_milli = other.cpu_milli;
  }
  if (!figures.memory_mib) {
    figures.memory_mib = other.memory_mib;
  }
  return figures;
}

HostFigures ReadHostFigures(JsonReader& reader, const JsonField& quantities, const JsonPath& path,
                            model::Rounding rounding) {
  const auto [cpu, memory] = reader.Object<2>(quantities, path, {"cpu", "memory"});
  HostFigures figures;
  std::string text;
  if (cpu) {
    ReadQuantity(reader, *cpu, path.Field("cpu"), text);
    figures.cpu_milli = model::CpuMilli(text, rounding);
  }
  if (memory) {
    text.clear();
    ReadQuantity(reader, *memory, path.Field("memory"), text);
    figures.memory_mib = model::MemoryMib(text, rounding);
  }
  return figures;
}

}  // namespace aliquot::api
