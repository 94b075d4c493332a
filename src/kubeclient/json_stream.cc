// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/json_stream.h"

#include "base/strings.h"

namespace aliquot::kubeclient {

namespace {

bool IsBlank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

std::size_t JsonStream::FindEnd(std::string_view bytes, std::size_t from) {
  for (std::size_t i = from; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (in_string_) {
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        in_string_ = false;
      }
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if ((c == '}' || c == ']') && --depth_ == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

Status JsonStream::Push(std::string_view bytes, const Consumer& consumer) {
  const auto too_large = [this] {
    return Internal("the watch sent a document of over " + std::to_string(max_document_bytes_) +
                    " bytes; the connection is given up");
  };
  std::size_t at = 0;
  while (at < bytes.size()) {
    if (depth_ == 0) {
      if (IsBlank(bytes[at])) {
        ++at;
        continue;
      }
      if (bytes[at] != '{') {
        return Internal("the watch sent '" + Printable(bytes.substr(at, 20)) +
                        "' where a JSON object must begin; the connection is given up");
      }
    }
    const std::size_t end = FindEnd(bytes, at);
    const std::string_view piece = bytes.substr(at, end == std::string_view::npos ? end : end - at);
    if (buffer_.size() + piece.size() > max_document_bytes_) return too_large();
    if (end == std::string_view::npos) {
      buffer_.append(piece);
      return Status::Ok();
    }
    at = end;
    bool more = true;
    if (buffer_.empty()) {
      more = consumer(piece);  // the usual case: a whole document in one piece, not copied
    } else {
      buffer_.append(piece);
      more = consumer(buffer_);
      buffer_.clear();
    }
    if (!more) return Status::Ok();
  }
  return Status::Ok();
}

}  // namespace aliquot::kubeclient
