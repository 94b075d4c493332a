// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <httplib.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "http/connection.h"

namespace aliquot::http {

// What cpp-httplib takes for the connection: it reads a request line and an empty header block from
// it, and its writes go to the socket at once, the reply's head together with the start of the
// body. What the socket has no room for is copied to connection.unsent. Never waits.
class ReplyStream final : public httplib::Stream {
 public:
  // `request_line` without its CRLF; both outlive the stream.
  ReplyStream(Connection& connection, std::string_view request_line);

  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  ssize_t read(char* ptr, size_t size) override;
  ssize_t write(const char* ptr, size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return connection_.transport.fd(); }

  // Sends what has been held back to fill a packet.
  Transport::Outcome Flush();
  // When the first byte was handed to the socket.
  SteadyTime first_write() const { return first_write_; }
  std::size_t written() const { return written_; }

 private:
  void Send(std::string_view data);

  Connection& connection_;
  std::string_view request_line_;
  std::string_view request_end_ = "\r\n\r\n";
  std::string held_;
  Transport::Outcome outcome_ = Transport::Outcome::kDone;
  SteadyTime first_write_{};
  std::size_t written_ = 0;
};

}  // namespace aliquot::http
