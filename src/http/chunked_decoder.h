// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace aliquot::http {

// Decodes a chunked body (RFC 9112 section 7.1) as it arrives. Every line is bounded and the
// decoded size is checked before a byte is kept, so that no input makes it use more memory than its
// limits say. Chunk extensions and trailer fields are read and dropped. Not thread-safe; a value
// per body.
class ChunkedDecoder {
 public:
  enum class State { kNeedsMore, kComplete, kMalformed, kTooLarge };

  ChunkedDecoder(std::size_t max_body_bytes, std::size_t max_trailers)
      : max_body_bytes_(max_body_bytes), max_trailers_(max_trailers) {}

  // Takes bytes from the front of `input` until the body ends or `input` does, and appends what it
  // decodes to `body`. What follows the body stays in `input`. Once complete or failed it takes
  // nothing more.
  State Consume(std::string_view& input, std::string& body);

 private:
  enum class Part { kSizeLine, kData, kDataEnd, kTrailer };

  // Moves one line, without its CRLF, to line_. False: there is none yet, or state_ has become
  // kMalformed.
  bool TakeLine(std::string_view& input, std::size_t limit);
  void EndSizeLine(std::size_t body_size);
  void TakeData(std::string_view& input, std::string& body);

  const std::size_t max_body_bytes_;
  const std::size_t max_trailers_;
  State state_ = State::kNeedsMore;
  Part part_ = Part::kSizeLine;
  std::string line_;
  bool line_done_ = false;
  std::uint64_t chunk_left_ = 0;
  std::size_t trailers_ = 0;
};

}  // namespace aliquot::http
