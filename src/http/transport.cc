// SPDX-License-Identifier: Apache-2.0
#include "http/transport.h"

#include <openssl/err.h>
#include <openssl/x509.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/strings.h"
#include "http/openssl_error.h"

namespace aliquot::http {

Transport::Transport(FileDescriptor socket, SslPtr ssl)
    : socket_(std::move(socket)), ssl_(std::move(ssl)) {
  if (ssl_) {
    SSL_set_fd(ssl_.get(), socket_.get());
    SSL_set_accept_state(ssl_.get());
  }
}

Transport::Outcome Transport::Handshake() {
  if (!ssl_) return Outcome::kDone;
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_.get());
  return result == 1 ? Outcome::kDone : TlsOutcome(result, "tls handshake");
}

Transport::Outcome Transport::Read(char* buffer, std::size_t size, std::size_t* count) {
  *count = 0;
  if (ssl_) {
    ERR_clear_error();
    const int result = SSL_read_ex(ssl_.get(), buffer, size, count);
    return result == 1 ? Outcome::kDone : TlsOutcome(result, "read");
  }
  const ssize_t got = ::recv(fd(), buffer, size, 0);
  if (got < 0) return SocketOutcome("read");
  if (got == 0) return Outcome::kClosed;
  *count = static_cast<std::size_t>(got);
  return Outcome::kDone;
}

Transport::Outcome Transport::Write(const char* data, std::size_t size, std::size_t* count) {
  *count = 0;
  if (ssl_) {
    ERR_clear_error();
    const int result = SSL_write_ex(ssl_.get(), data, size, count);
    return result == 1 ? Outcome::kDone : TlsOutcome(result, "write");
  }
  const ssize_t sent = ::send(fd(), data, size, MSG_NOSIGNAL);
  if (sent < 0) {
    const Outcome outcome = SocketOutcome("write");
    return outcome == Outcome::kWantRead ? Outcome::kWantWrite : outcome;
  }
  *count = static_cast<std::size_t>(sent);
  return Outcome::kDone;
}

void Transport::FinishSending() {
  if (ssl_ && SSL_is_init_finished(ssl_.get())) {
    ERR_clear_error();
    SSL_shutdown(ssl_.get());
  }
  ::shutdown(fd(), SHUT_WR);
}

Transport::Outcome Transport::Discard(std::size_t limit) {
  char buffer[16384];
  std::size_t total = 0;
  while (total < limit) {
    const ssize_t got = ::recv(fd(), buffer, sizeof buffer, 0);
    if (got < 0) return SocketOutcome("read");
    if (got == 0) return Outcome::kClosed;
    total += static_cast<std::size_t>(got);
  }
  return Outcome::kDone;
}

std::string Transport::PeerCommonName() const {
  X509* certificate = ssl_ ? SSL_get0_peer_certificate(ssl_.get()) : nullptr;
  if (certificate == nullptr || SSL_get_verify_result(ssl_.get()) != X509_V_OK) return "";
  X509_NAME* subject = X509_get_subject_name(certificate);
  const int index = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (index < 0) return "";
  unsigned char* text = nullptr;
  const int length =
      ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, index)));
  if (length < 0) return "";
  std::string name;
  std::transform(text, text + length, std::back_inserter(name),
                 [](unsigned char byte) { return static_cast<char>(byte); });
  OPENSSL_free(text);
  // A NUL inside would read as a shorter name to whoever compares C strings.
  return name.find('\0') == std::string::npos ? name : "";
}

Transport::Outcome Transport::TlsOutcome(int result, std::string_view action) {
  const int saved_errno = errno;
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return Outcome::kWantRead;
    case SSL_ERROR_WANT_WRITE:
      return Outcome::kWantWrite;
    case SSL_ERROR_ZERO_RETURN:
      return Outcome::kClosed;
    case SSL_ERROR_SYSCALL:
      if (saved_errno == 0) return Outcome::kClosed;
      error_ = std::string(action) + ": " + std::generic_category().message(saved_errno);
      return Outcome::kFailed;
    default:
      break;
  }
  // Clients that go away without a close_notify are everyday life, not an error.
  if (ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
    error_ = std::string(action) + ": the client closed the connection";
    ERR_clear_error();
    return SSL_is_init_finished(ssl_.get()) ? Outcome::kClosed : Outcome::kFailed;
  }
  if (ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST) AnswerPlainHttp();
  error_ = std::string(action) + ": " + TakeOpensslError();
  return Outcome::kFailed;
}

void Transport::AnswerPlainHttp() {
  constexpr std::string_view kReply =
      "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n"
      "Content-Length: 48\r\n\r\nthis port speaks HTTPS; use an https:// address\n";
  // Nothing depends on it: a person who mistyped the scheme gets a sentence instead of a reset.
  [[maybe_unused]] const ssize_t sent = ::send(fd(), kReply.data(), kReply.size(), MSG_NOSIGNAL);
}

Transport::Outcome Transport::SocketOutcome(std::string_view action) {
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return Outcome::kWantRead;
  error_ = std::string(action) + ": " + std::generic_category().message(errno);
  return Outcome::kFailed;
}

}  // namespace aliquot::http
