// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace aliquot::kubeclient {

// Cuts a stream of JSON objects, as a watch sends them, into single documents, wherever the network
// cut it. Newlines between documents are usual and not needed. Only brackets and strings are
// followed; whether a document is valid JSON is for its parser to say. Pure; one stream an object,
// one thread.
class JsonStream {
 public:
  // Told each document; false ends the push. The view holds during the call only.
  using Consumer = std::function<bool(std::string_view document)>;

  explicit JsonStream(std::size_t max_document_bytes) : max_document_bytes_(max_document_bytes) {}

  // Takes the next bytes. An error (a document over the limit, text that is not an object) is
  // final.
  Status Push(std::string_view bytes, const Consumer& consumer);
  // The stream so far ends inside a document.
  bool partial() const { return depth_ > 0; }

 private:
  // Where the document that is open at `from` ends in `bytes` (one past it), or npos.
  std::size_t FindEnd(std::string_view bytes, std::size_t from);

  const std::size_t max_document_bytes_;
  std::string buffer_;  // the start of a document that is not complete yet
  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
};

}  // namespace aliquot::kubeclient
