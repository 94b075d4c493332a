// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <string>

#include "http/chunked_decoder.h"
#include "tests/fuzz/fuzz_targets.h"

namespace aliquot::fuzz {
namespace {

using State = http::ChunkedDecoder::State;

// Small, so that a fuzzer comes to them.
constexpr std::size_t kMaxBody = 300;
constexpr std::size_t kMaxTrailers = 3;

struct Decoded {
  State state = State::kNeedsMore;
  std::string body;
  std::size_t taken = 0;
};

// `step` bytes at a time.
Decoded Decode(std::string_view input, std::size_t step) {
  http::ChunkedDecoder decoder(kMaxBody, kMaxTrailers);
  Decoded decoded;
  while (decoded.taken < input.size() && decoded.state == State::kNeedsMore) {
    std::string_view part = input.substr(decoded.taken, step);
    const std::size_t given = part.size();
    decoded.state = decoder.Consume(part, decoded.body);
    Require(decoded.state != State::kNeedsMore || part.empty());
    decoded.taken += given - part.size();
  }
  return decoded;
}

std::string AsOneChunk(const std::string& body) {
  char size[16];
  std::snprintf(size, sizeof size, "%zx\r\n", body.size());
  return body.empty() ? "0\r\n\r\n" : size + body + "\r\n0\r\n\r\n";
}

}  // namespace

void ChunkedBody(std::string_view input) {
  const Decoded whole = Decode(input, std::max<std::size_t>(1, input.size()));
  Require(whole.body.size() <= kMaxBody);
  for (const std::size_t step : {1, 2, 3, 7}) {
    const Decoded parts = Decode(input, step);
    Require(parts.state == whole.state && parts.body == whole.body);
    Require(whole.state != State::kComplete || parts.taken == whole.taken);
  }
  const std::string again = AsOneChunk(whole.body);
  const Decoded simple = Decode(again, again.size());
  Require(simple.state == State::kComplete && simple.body == whole.body &&
          simple.taken == again.size());
}

}  // namespace aliquot::fuzz
