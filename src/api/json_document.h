// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

namespace aliquot::api {

// Nesting allowed in what strangers send us. A whole ExtenderArgs of a real cluster is about 20
// deep.
inline constexpr std::size_t kMaxRequestDepth = 64;
// Nesting allowed in what the API server sends: what its own decoder lets a tenant store (10,000
// levels, Go's encoding/json), and the levels that a list adds.
inline constexpr std::size_t kMaxApiServerDepth = 10100;

// One parsed JSON text: a private copy of it and simdjson's flat tape over the copy (no tree of
// nodes, no recursion). The whole text is checked: structure, UTF-8, depth. Elements and the
// strings taken from them live as long as the document. Not thread-safe; buffers are recycled, so
// that a request of usual size allocates nothing here.
class JsonDocument {
 public:
  JsonDocument();
  ~JsonDocument();
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  // Buffers for longer texts than this are given back when their document goes: simdjson reserves
  // some 14 bytes for each byte. 1 MiB unless set, for the whole process.
  static void KeepBuffersUpTo(std::size_t text_bytes);

  // Pre: not called before. The error is a sentence without a subject ("is not JSON: ..."); the
  // caller knows what was read.
  Result<simdjson::dom::element> Parse(std::string_view json, std::size_t max_depth);

  // The copy, followed by SIMDJSON_PADDING readable bytes.
  std::string_view text() const;

 private:
  struct Buffers;
  class Recycler;
  std::unique_ptr<Buffers> buffers_;
};

}  // namespace aliquot::api
