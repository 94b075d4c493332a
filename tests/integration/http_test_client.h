// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/ssl.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/file_descriptor.h"
#include "tests/support/test_certificates.h"

namespace aliquot::test {

struct HttpReply {
  int status = 0;  // 0: there was no reply
  bool received() const { return status != 0; }
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

struct ClientTls {
  std::string ca;  // PEM; the server is verified against it
  std::optional<KeyPair> identity;
  int max_version = 0;  // as for SSL_set_max_proto_version; 0: the newest
};

// A client that sends exactly the bytes it is told to, well-formed or not, and never waits longer
// than its time limit. One connection; not thread-safe.
class HttpTestClient {
 public:
  // Of one wait. Long, since slow machines run these tests under sanitizers; only a hang meets it.
  static constexpr std::chrono::seconds kTimeLimit{60};

  // Connects, and shakes hands if `tls` is given; ok() and error() tell how it went.
  explicit HttpTestClient(const std::string& host_port, const std::optional<ClientTls>& tls = {});

  bool ok() const { return error_.empty(); }
  const std::string& error() const { return error_; }
  int fd() const { return socket_.get(); }
  const SSL* ssl() const { return ssl_.get(); }

  // False when the server no longer takes bytes.
  bool Send(std::string_view bytes);
  // The next reply with its whole body; status 0 when the connection ends or the time is over.
  HttpReply Read();
  HttpReply Post(std::string_view path, std::string_view body, std::string_view more_headers = "");
  HttpReply Get(std::string_view target);
  // Whether the server ends the connection within `limit`; what it still sends is dropped.
  bool ClosesWithin(std::chrono::milliseconds limit);
  void Close();

 private:
  struct SslFreer {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };

  void StartTls(const ClientTls& tls);
  void SetReceiveLimit(std::chrono::milliseconds limit);
  // Bytes, or 0 at the end or after the time limit (then timed_out_).
  std::size_t Receive(char* buffer, std::size_t size);
  bool Fill();

  http::FileDescriptor socket_;
  std::unique_ptr<SSL_CTX, SslFreer> context_;
  std::unique_ptr<SSL, SslFreer> ssl_;
  std::string error_;
  std::string received_;
  bool timed_out_ = false;
};

std::string PostText(std::string_view path, std::string_view body,
                     std::string_view more_headers = "");

}  // namespace aliquot::test
