// SPDX-License-Identifier: Apache-2.0
#include "http/request_framer.h"

#include <algorithm>
#include <utility>

namespace aliquot::http {
namespace {

constexpr std::size_t kKeptBytes = 64u << 10;  // a buffer no larger is kept for the next request

void ClearBuffer(std::string& buffer) {
  if (buffer.capacity() > kKeptBytes) {
    std::string().swap(buffer);
  } else {
    buffer.clear();
  }
}

}  // namespace

RequestFramer::State RequestFramer::Consume(std::string_view& input) {
  while (state_ == State::kNeedsMore && !input.empty()) {
    switch (part_) {
      case Part::kHead:
        ConsumeHead(input);
        break;
      case Part::kSizedBody:
        ConsumeSizedBody(input);
        break;
      case Part::kChunkedBody:
        ConsumeChunkedBody(input);
        break;
    }
  }
  return state_;
}

void RequestFramer::Reset() {
  budget_.Release(std::exchange(reserved_, 0));
  state_ = State::kNeedsMore;
  part_ = Part::kHead;
  ClearBuffer(head_);
  line_start_ = 0;
  line_ends_.clear();
  line_ = RequestLine();
  headers_.clear();
  framing_ = Framing();
  ClearBuffer(body_);
  chunked_.reset();
  refusal_ = Refusal();
}

bool RequestFramer::TakeExpectContinue() {
  return state_ == State::kNeedsMore && part_ != Part::kHead &&
         std::exchange(framing_.expects_continue, false);
}

std::string_view RequestFramer::request_line_text() const {
  return std::string_view(head_).substr(0, line_ends_.front() - 2);
}

void RequestFramer::ConsumeHead(std::string_view& input) {
  const std::size_t newline = input.find('\n');
  const bool ends = newline != std::string_view::npos;
  const std::string_view part = input.substr(0, ends ? newline + 1 : input.size());
  const std::size_t line_bytes = head_.size() - line_start_ + part.size();
  if (line_bytes > kMaxLineBytes + 2) {
    if (line_ends_.empty()) {
      Refuse(414, "the request line is too long; send 8000 bytes at most");
    } else {
      Refuse(431, "a header line is too long; send 8000 bytes at most");
    }
    return;
  }
  if (head_.size() + part.size() > limits_.max_head_bytes) {
    Refuse(431, "the headers are too large; send " + std::to_string(limits_.max_head_bytes) +
                    " bytes at most");
    return;
  }
  head_.append(part);
  input.remove_prefix(part.size());
  if (ends) EndLine();
}

void RequestFramer::EndLine() {
  const std::string_view line(head_.data() + line_start_, head_.size() - line_start_);
  if (line.size() < 2 || line[line.size() - 2] != '\r') {
    Refuse(400, "a line ends without a carriage return; end lines with CRLF");
    return;
  }
  if (line.size() == 2) {
    if (line_ends_.empty()) {
      Refuse(400, "the request line is empty; send METHOD target HTTP/1.1");
    } else {
      EndHead();
    }
    return;
  }
  line_ends_.push_back(head_.size());
  line_start_ = head_.size();
  if (line_ends_.size() > limits_.max_headers + 1) {
    Refuse(431, "too many headers; send " + std::to_string(limits_.max_headers) + " at most");
  }
}

void RequestFramer::EndHead() {
  // head_ no longer grows, so views into it stay good until Reset.
  std::optional<Refusal> refusal = ParseRequestLine(request_line_text(), &line_);
  for (std::size_t i = 1; !refusal && i < line_ends_.size(); ++i) {
    const std::size_t begin = line_ends_[i - 1];
    const std::string_view text(head_.data() + begin, line_ends_[i] - 2 - begin);
    refusal = ParseHeaderLine(text, &headers_.emplace_back());
  }
  if (!refusal) refusal = CheckFraming(line_, headers_, limits_, &framing_);
  if (refusal) {
    Refuse(refusal->status, std::move(refusal->sentence));
    return;
  }
  if (framing_.chunked) {
    part_ = Part::kChunkedBody;
    chunked_.emplace(limits_.max_body_bytes, limits_.max_headers);
  } else if (framing_.content_length == 0) {
    state_ = State::kComplete;
  } else if (ReserveBody(framing_.content_length)) {
    part_ = Part::kSizedBody;
  }
}

void RequestFramer::ConsumeSizedBody(std::string_view& input) {
  // The announced size becomes memory only once something of it has arrived.
  if (body_.empty()) body_.reserve(framing_.content_length);
  const std::size_t count = std::min(framing_.content_length - body_.size(), input.size());
  body_.append(input.substr(0, count));
  input.remove_prefix(count);
  if (body_.size() == framing_.content_length) state_ = State::kComplete;
}

void RequestFramer::ConsumeChunkedBody(std::string_view& input) {
  const ChunkedDecoder::State decoded = chunked_->Consume(input, body_);
  switch (decoded) {
    case ChunkedDecoder::State::kMalformed:
      Refuse(400, "the chunked body is malformed; see RFC 9112 section 7.1");
      return;
    case ChunkedDecoder::State::kTooLarge:
      Refuse(413, "the chunked body is over the limit; send " +
                      std::to_string(limits_.max_body_bytes) + " bytes at most");
      return;
    case ChunkedDecoder::State::kComplete:
    case ChunkedDecoder::State::kNeedsMore:
      break;
  }
  if (body_.size() > reserved_ && !ReserveBody(body_.size() - reserved_)) return;
  if (decoded == ChunkedDecoder::State::kComplete) state_ = State::kComplete;
}

bool RequestFramer::ReserveBody(std::size_t bytes) {
  if (!budget_.Reserve(bytes)) {
    Refuse(503, "too many requests are being received; try again later");
    return false;
  }
  reserved_ += bytes;
  return true;
}

void RequestFramer::Refuse(int status, std::string sentence) {
  state_ = State::kRefused;
  refusal_ = Refusal{status, std::move(sentence)};
}

}  // namespace aliquot::http
