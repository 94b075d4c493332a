// SPDX-License-Identifier: Apache-2.0
#include "api/json_buffer.h"

#include <charconv>

#include "api/json_writer.h"

namespace aliquot::api {

void JsonBuffer::String(std::string_view text) {
  if (!IsPlainJsonText(text)) {
    std::string escaped;
    AppendJsonString(escaped, text);
    Raw(escaped);
    return;
  }
  MakeRoom(text.size() + 2);
  char* at = out_.data() + used_;
  *at = '"';
  std::memcpy(at + 1, text.data(), text.size());
  at[text.size() + 1] = '"';
  used_ += text.size() + 2;
}

void JsonBuffer::Integer(int value) {
  char digits[16];
  const auto written = std::to_chars(digits, digits + sizeof(digits), value);
  Raw({digits, static_cast<std::size_t>(written.ptr - digits)});
}

}  // namespace aliquot::api
