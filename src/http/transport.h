// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "http/file_descriptor.h"

namespace aliquot::http {

struct SslDeleter {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};
using SslPtr = std::unique_ptr<SSL, SslDeleter>;

// One accepted connection: a non-blocking socket, with or without TLS. No call ever waits. Owns
// both. Used by one thread at a time, the one that has claimed the connection.
class Transport {
 public:
  enum class Outcome {
    kDone,       // some progress: bytes moved, or the handshake is complete
    kWantRead,   // nothing more until the socket is readable
    kWantWrite,  // nothing more until the socket is writable
    kClosed,     // the peer ended the connection in order
    kFailed,     // it is broken; error() says how
  };

  // Plain without `ssl`; `ssl` is not yet bound to the socket.
  Transport(FileDescriptor socket, SslPtr ssl);

  int fd() const { return socket_.get(); }
  bool uses_tls() const { return ssl_ != nullptr; }

  // kDone at once on a plain connection.
  Outcome Handshake();
  Outcome Read(char* buffer, std::size_t size, std::size_t* count);
  // May write less than `size`; after kWantWrite the same bytes must come first again.
  Outcome Write(const char* data, std::size_t size, std::size_t* count);
  // Tells the peer that nothing more comes, so that it reads our reply to its end.
  void FinishSending();
  // Reads and drops what the peer still sends after FinishSending: closing over unread bytes would
  // make the kernel reset the connection and could take our reply with it. At most `limit` bytes a
  // call.
  Outcome Discard(std::size_t limit);

  // The subject's common name of the client's verified certificate; empty without one.
  std::string PeerCommonName() const;
  // Of the last kFailed, printable.
  const std::string& error() const { return error_; }

 private:
  Outcome TlsOutcome(int result, std::string_view action);
  void AnswerPlainHttp();
  Outcome SocketOutcome(std::string_view action);

  FileDescriptor socket_;
  SslPtr ssl_;  // freed before the socket is closed
  std::string error_;
};

}  // namespace aliquot::http
