// SPDX-License-Identifier: Apache-2.0
#include "http/chunked_decoder.h"

#include <algorithm>

namespace aliquot::http {
namespace {

// 15 hexadecimal digits fit a 64-bit size with room to add; extensions share the rest of the line.
constexpr std::size_t kMaxSizeDigits = 15;
constexpr std::size_t kMaxSizeLine = 256;
constexpr std::size_t kMaxTrailerLine = 8000;

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

ChunkedDecoder::State ChunkedDecoder::Consume(std::string_view& input, std::string& body) {
  while (state_ == State::kNeedsMore && !input.empty()) {
    switch (part_) {
      case Part::kSizeLine:
        if (TakeLine(input, kMaxSizeLine)) EndSizeLine(body.size());
        break;
      case Part::kData:
        TakeData(input, body);
        break;
      case Part::kDataEnd:
        if (!TakeLine(input, 0)) break;
        part_ = Part::kSizeLine;
        break;
      case Part::kTrailer:
        if (!TakeLine(input, kMaxTrailerLine)) break;
        if (line_.empty()) {
          state_ = State::kComplete;
        } else if (++trailers_ > max_trailers_) {
          state_ = State::kTooLarge;
        }
        break;
    }
  }
  return state_;
}

bool ChunkedDecoder::TakeLine(std::string_view& input, std::size_t limit) {
  if (line_done_) {
    line_.clear();
    line_done_ = false;
  }
  const std::size_t newline = input.find('\n');
  const bool ends = newline != std::string_view::npos;
  const std::string_view part = input.substr(0, ends ? newline + 1 : input.size());
  input.remove_prefix(part.size());
  if (line_.size() + part.size() > limit + 2) {
    state_ = State::kMalformed;
    return false;
  }
  line_.append(part);
  if (!ends) return false;
  // A bare LF ends a line for some readers and not for others: the seam that smuggling needs.
  if (line_.size() < 2 || line_[line_.size() - 2] != '\r') {
    state_ = State::kMalformed;
    return false;
  }
  line_.resize(line_.size() - 2);
  line_done_ = true;
  return true;
}

void ChunkedDecoder::EndSizeLine(std::size_t body_size) {
  std::uint64_t size = 0;
  std::size_t digits = 0;
  while (digits < line_.size() && HexDigit(line_[digits]) >= 0) {
    if (digits == kMaxSizeDigits) {
      state_ = State::kTooLarge;
      return;
    }
    size = size * 16 + static_cast<std::uint64_t>(HexDigit(line_[digits]));
    ++digits;
  }
  const bool extension = digits < line_.size() && line_[digits] == ';';
  if (digits == 0 || (digits < line_.size() && !extension) ||
      line_.find('\r') != std::string::npos) {
    state_ = State::kMalformed;
  } else if (size > max_body_bytes_ - body_size) {
    state_ = State::kTooLarge;
  } else {
    chunk_left_ = size;
    part_ = size == 0 ? Part::kTrailer : Part::kData;
  }
}

void ChunkedDecoder::TakeData(std::string_view& input, std::string& body) {
  const std::size_t count =
      static_cast<std::size_t>(std::min<std::uint64_t>(chunk_left_, input.size()));
  body.append(input.substr(0, count));
  input.remove_prefix(count);
  chunk_left_ -= count;
  if (chunk_left_ == 0) part_ = Part::kDataEnd;
}

}  // namespace aliquot::http
