// SPDX-License-Identifier: Apache-2.0
#include "http/reply_stream.h"

#include <algorithm>
#include <cstring>

namespace aliquot::http {
namespace {

constexpr std::size_t kRecordBytes = 16384;  // the most that one TLS record carries

}  // namespace

ReplyStream::ReplyStream(Connection& connection, std::string_view request_line)
    : connection_(connection), request_line_(request_line) {}

ssize_t ReplyStream::read(char* ptr, size_t size) {
  std::string_view& source = request_line_.empty() ? request_end_ : request_line_;
  const std::size_t count = std::min(size, source.size());
  std::memcpy(ptr, source.data(), count);
  source.remove_prefix(count);
  return static_cast<ssize_t>(count);
}

ssize_t ReplyStream::write(const char* ptr, size_t size) {
  std::string_view data(ptr, size);
  written_ += size;
  // Head and body come as two writes; one packet for both saves the client a wait.
  const std::size_t taken = std::min(data.size(), kRecordBytes - held_.size());
  held_.append(data.substr(0, taken));
  data.remove_prefix(taken);
  if (held_.size() == kRecordBytes) {
    Send(held_);
    held_.clear();
    if (!data.empty()) Send(data);
  }
  return static_cast<ssize_t>(size);
}

void ReplyStream::get_remote_ip_and_port(std::string& ip, int& port) const {
  ip = connection_.remote_address;
  port = 0;
}

void ReplyStream::get_local_ip_and_port(std::string& ip, int& port) const {
  ip.clear();
  port = 0;
}

Transport::Outcome ReplyStream::Flush() {
  if (!held_.empty()) Send(held_);
  held_.clear();
  return outcome_;
}

void ReplyStream::Send(std::string_view data) {
  if (first_write_ == SteadyTime{}) first_write_ = std::chrono::steady_clock::now();
  while (!data.empty() && outcome_ == Transport::Outcome::kDone) {
    std::size_t count = 0;
    outcome_ = connection_.transport.Write(data.data(), data.size(), &count);
    data.remove_prefix(count);
  }
  // After a failure there is nobody to send it to.
  const bool later =
      outcome_ == Transport::Outcome::kWantWrite || outcome_ == Transport::Outcome::kWantRead;
  if (later) connection_.unsent.append(data);
}

}  // namespace aliquot::http
