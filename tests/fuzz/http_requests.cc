// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "http/body_budget.h"
#include "http/request_framer.h"
#include "tests/fuzz/fuzz_targets.h"

namespace aliquot::fuzz {
namespace {

using State = http::RequestFramer::State;

// Small, so that a fuzzer comes to them.
http::HeadLimits Limits() {
  http::HeadLimits limits;
  limits.max_head_bytes = 600;
  limits.max_headers = 6;
  limits.max_body_bytes = 300;
  return limits;
}
constexpr std::size_t kBudget = 1000;

void CheckOneLine(std::string_view text) {
  Require(text.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos);
}

// All that a handler would see of a complete request.
std::string Described(const http::RequestFramer& framer) {
  Require(framer.body().size() <= Limits().max_body_bytes);
  Require(framer.headers().size() <= Limits().max_headers);
  CheckOneLine(framer.request_line_text());
  std::string text(framer.request_line_text());
  for (const auto& [name, value] : framer.headers()) {
    CheckOneLine(name);
    CheckOneLine(value);
    text.append("\n").append(name).append(": ").append(value);
  }
  text.append(framer.keep_alive() ? "\nkeep\n" : "\nclose\n").append(framer.body());
  return text + '\n';
}

// The requests of one connection whose bytes arrive `step` at a time, and what ended them.
std::string Transcript(std::string_view input, std::size_t step) {
  http::BodyBudget budget(kBudget);
  std::string transcript;
  {
    http::RequestFramer framer(Limits(), budget);
    std::string_view part;
    while (!part.empty() || !input.empty()) {
      if (part.empty()) {
        part = input.substr(0, step);
        input.remove_prefix(part.size());
      }
      const State state = framer.Consume(part);
      framer.TakeExpectContinue();
      Require(state != State::kNeedsMore || part.empty());
      if (state == State::kComplete) {
        transcript += Described(framer);
        framer.Reset();
      } else if (state == State::kRefused) {
        Require(!framer.keep_alive() && !framer.refusal().sentence.empty());
        transcript += std::to_string(framer.refusal().status) + framer.refusal().sentence;
        break;
      }
    }
    if (framer.state() == State::kNeedsMore) {
      transcript += framer.started() ? "in the middle" : "between two";
    }
  }
  Require(budget.Reserve(kBudget));  // all of it was given back
  return transcript;
}

}  // namespace

void HttpRequests(std::string_view input) {
  const std::string whole = Transcript(input, std::max<std::size_t>(1, input.size()));
  for (const std::size_t step : {1, 2, 3, 7}) {
    Require(Transcript(input, step) == whole);
  }
}

}  // namespace aliquot::fuzz
