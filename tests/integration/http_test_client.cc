// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/http_test_client.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <algorithm>
#include <cctype>
#include <cerrno>

#include "base/strings.h"
#include "http/listen_address.h"

namespace aliquot::test {
namespace {

std::string TakeError() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "connection ended" : reason;
}

template <typename T, typename Read>
T* FromPem(const std::string& pem, Read read) {
  BIO* bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  T* object = read(bio, nullptr, nullptr, nullptr);
  BIO_free(bio);
  return object;
}

timeval ToTimeval(std::chrono::milliseconds limit) {
  return {static_cast<time_t>(limit.count() / 1000),
          static_cast<suseconds_t>(limit.count() % 1000 * 1000)};
}

}  // namespace

HttpTestClient::HttpTestClient(const std::string& host_port, const std::optional<ClientTls>& tls) {
  const Result<http::ListenAddress> address = http::ParseListenAddress(host_port);
  if (!address.ok()) {
    error_ = address.status().message();
    return;
  }
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (::getaddrinfo(address->host.c_str(), std::to_string(address->port).c_str(), &hints, &found)) {
    error_ = "cannot resolve " + host_port;
    return;
  }
  socket_ = http::FileDescriptor(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  SetReceiveLimit(kTimeLimit);
  const timeval limit = ToTimeval(kTimeLimit);
  ::setsockopt(fd(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  const int on = 1;
  ::setsockopt(fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(fd(), found->ai_addr, found->ai_addrlen) != 0) error_ = "cannot connect";
  ::freeaddrinfo(found);
  if (ok() && tls) StartTls(*tls);
}

void HttpTestClient::StartTls(const ClientTls& tls) {
  ERR_clear_error();
  context_.reset(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_mode(context_.get(), SSL_MODE_AUTO_RETRY);
  X509* ca = FromPem<X509>(tls.ca, PEM_read_bio_X509);
  X509_STORE_add_cert(SSL_CTX_get_cert_store(context_.get()), ca);
  X509_free(ca);
  SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
  if (tls.identity) {
    X509* certificate = FromPem<X509>(tls.identity->certificate, PEM_read_bio_X509);
    EVP_PKEY* key = FromPem<EVP_PKEY>(tls.identity->key, PEM_read_bio_PrivateKey);
    SSL_CTX_use_certificate(context_.get(), certificate);
    SSL_CTX_use_PrivateKey(context_.get(), key);
    X509_free(certificate);
    EVP_PKEY_free(key);
  }
  ssl_.reset(SSL_new(context_.get()));
  if (tls.max_version != 0) {
    SSL_set_min_proto_version(ssl_.get(), 0);
    SSL_set_max_proto_version(ssl_.get(), tls.max_version);
    // Old versions are below OpenSSL's default security level, which is not what is tested.
    SSL_set_security_level(ssl_.get(), 0);
  }
  // What Go's client offers.
  static constexpr unsigned char kProtocols[] = "\x02h2\x08http/1.1";
  SSL_set_alpn_protos(ssl_.get(), kProtocols, sizeof kProtocols - 1);
  X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_.get()), "127.0.0.1");
  SSL_set_fd(ssl_.get(), fd());
  if (SSL_connect(ssl_.get()) != 1) error_ = TakeError();
}

void HttpTestClient::SetReceiveLimit(std::chrono::milliseconds limit) {
  const timeval value = ToTimeval(limit);
  ::setsockopt(fd(), SOL_SOCKET, SO_RCVTIMEO, &value, sizeof value);
}

bool HttpTestClient::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t sent = 0;
    if (ssl_) {
      ERR_clear_error();
      sent = SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
    } else {
      sent = ::send(fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::size_t HttpTestClient::Receive(char* buffer, std::size_t size) {
  errno = 0;
  ssize_t got = 0;
  if (ssl_) {
    ERR_clear_error();
    got = SSL_read(ssl_.get(), buffer, static_cast<int>(size));
    if (got <= 0 && SSL_get_error(ssl_.get(), static_cast<int>(got)) == SSL_ERROR_SSL) {
      error_ = TakeError();
      return 0;
    }
  } else {
    got = ::recv(fd(), buffer, size, 0);
  }
  timed_out_ = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

bool HttpTestClient::Fill() {
  char buffer[65536];
  const std::size_t count = Receive(buffer, sizeof buffer);
  received_.append(buffer, count);
  return count > 0;
}

HttpReply HttpTestClient::Read() {
  std::size_t head_end = 0;
  while ((head_end = received_.find("\r\n\r\n")) == std::string::npos) {
    if (!Fill()) return HttpReply();
  }
  HttpReply reply;
  const std::string head = received_.substr(0, head_end);
  const std::vector<std::string_view> lines = Split(head, '\n');
  if (!StartsWith(lines[0], "HTTP/1.1 ")) return HttpReply();
  reply.status = std::stoi(std::string(lines[0].substr(9, 3)));
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::size_t colon = lines[i].find(':');
    std::string name(lines[i].substr(0, colon));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    reply.headers[name] = std::string(Trim(lines[i].substr(colon + 1)));
  }
  received_.erase(0, head_end + 4);
  const auto length = reply.headers.find("content-length");
  const std::size_t size = length == reply.headers.end() ? 0 : std::stoul(length->second);
  while (received_.size() < size) {
    if (!Fill()) return HttpReply();
  }
  reply.body = received_.substr(0, size);
  received_.erase(0, size);
  return reply;
}

HttpReply HttpTestClient::Post(std::string_view path, std::string_view body,
                               std::string_view more_headers) {
  if (!Send(PostText(path, body, more_headers))) return HttpReply();
  return Read();
}

HttpReply HttpTestClient::Get(std::string_view target) {
  if (!Send("GET " + std::string(target) + " HTTP/1.1\r\nHost: test\r\n\r\n")) return HttpReply();
  return Read();
}

bool HttpTestClient::ClosesWithin(std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  char buffer[4096];
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    SetReceiveLimit(left);
    if (Receive(buffer, sizeof buffer) == 0) return !timed_out_;
  }
}

void HttpTestClient::Close() {
  ssl_.reset();
  socket_.Close();
}

std::string PostText(std::string_view path, std::string_view body, std::string_view more_headers) {
  return "POST " + std::string(path) +
         " HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n" + std::string(more_headers) + "\r\n" +
         std::string(body);
}

}  // namespace aliquot::test
