// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/body_budget.h"
#include "http/chunked_decoder.h"
#include "http/request_head.h"

namespace aliquot::http {

// Cuts one request out of a stream of bytes: head, then body, with every limit applied as the bytes
// arrive. It never waits, so a connection can be parked in the middle of a request. Not
// thread-safe; one per connection, Reset between requests.
class RequestFramer {
 public:
  enum class State { kNeedsMore, kComplete, kRefused };

  // `budget` outlives the framer.
  RequestFramer(HeadLimits limits, BodyBudget& budget) : limits_(limits), budget_(budget) {}
  ~RequestFramer() { budget_.Release(reserved_); }
  RequestFramer(const RequestFramer&) = delete;
  RequestFramer& operator=(const RequestFramer&) = delete;

  // Takes bytes from the front of `input` until the request ends or `input` does. What follows the
  // request stays in `input`. Once complete or refused it takes nothing more.
  State Consume(std::string_view& input);
  // Ready for the next request.
  void Reset();

  State state() const { return state_; }
  // Whether a byte of a request has been taken.
  bool started() const { return !head_.empty(); }
  // True once per request: the client waits for "100 Continue" before it sends the body.
  bool TakeExpectContinue();

  // Of a complete request; views until Reset.
  const RequestLine& line() const { return line_; }
  std::string_view request_line_text() const;
  const std::vector<HeaderView>& headers() const { return headers_; }
  std::string_view body() const { return body_; }
  bool keep_alive() const { return state_ == State::kComplete && framing_.keep_alive; }
  // Of a refused one. The rest of its bytes has not been read: the connection must end.
  const Refusal& refusal() const { return refusal_; }

 private:
  enum class Part { kHead, kSizedBody, kChunkedBody };

  void ConsumeHead(std::string_view& input);
  void EndLine();
  void EndHead();
  void ConsumeSizedBody(std::string_view& input);
  void ConsumeChunkedBody(std::string_view& input);
  bool ReserveBody(std::size_t bytes);
  void Refuse(int status, std::string sentence);

  const HeadLimits limits_;
  BodyBudget& budget_;
  State state_ = State::kNeedsMore;
  Part part_ = Part::kHead;
  std::string head_;                    // as received
  std::size_t line_start_ = 0;          // of the line being received, in head_
  std::vector<std::size_t> line_ends_;  // one past each line's LF, in head_
  RequestLine line_;
  std::vector<HeaderView> headers_;
  Framing framing_;
  std::string body_;
  std::optional<ChunkedDecoder> chunked_;
  std::size_t reserved_ = 0;
  Refusal refusal_;
};

}  // namespace aliquot::http
