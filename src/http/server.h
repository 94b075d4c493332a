// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "http/message.h"
#include "http/observer.h"
#include "http/router.h"

// One HTTPS (or plain HTTP) listener with its own threads: HTTP/1.1 by cpp-httplib, TLS by OpenSSL.
//
// No thread ever waits for a client: sockets are non-blocking and connections that have nothing to
// read or no room to write are parked in one epoll instance. A worker is used from the moment a
// request is complete until its handler returns. So idle connections cost nothing, and a slow or
// silent client holds no worker.
//
// Every method may be called from any thread; Start and Drain once each. The observer must outlive
// the server.

namespace aliquot::http {

// Files in PEM. They are re-read when they change (also through a symbolic link that is swapped, as
// Kubernetes does with Secrets); a new set that cannot be used is reported and the old one stays.
struct TlsOptions {
  std::string certificate_file;  // the server's chain, leaf first
  std::string key_file;
  // Non-empty: a client must show a certificate that one of these CAs signed for client use.
  std::string client_ca_file;
  // Instead of files: a certificate of this name that nobody signed, made at start and kept in
  // memory only. It keeps strangers from listening, and proves nothing about the server.
  std::string self_signed_name;
  std::chrono::milliseconds reload_interval{1000};
};

struct ServerOptions {
  // "host:port", "[::1]:8443", ":8443" (all addresses, both families); port 0 takes a free one.
  std::string listen_address;
  std::optional<TlsOptions> tls;  // nothing: plain HTTP
  int worker_threads = 32;        // handlers that may run, or wait, at the same time

  std::size_t max_connections = 4096;
  std::size_t max_body_bytes = 16u << 20;  // decoded; more is answered with 413
  // Of all bodies being received at one moment; past it new ones are answered with 503.
  std::size_t max_buffered_bytes = 256u << 20;
  // Of request line and headers; a single line may have 8,000 bytes.
  std::size_t max_head_bytes = 32u << 10;
  std::size_t max_headers = 64;

  // From TCP accept to the end of the TLS handshake.
  std::chrono::milliseconds handshake_timeout{5000};
  // From the first to the last byte of a request, all together.
  std::chrono::milliseconds receive_timeout{10000};
  // From the first to the last byte of a reply.
  std::chrono::milliseconds send_timeout{10000};
  // Over the 90 s after which Go's client drops an idle connection, so that none races our close.
  std::chrono::milliseconds idle_timeout{120000};

  // Adds `Server-Timing: app;dur=<ms>`: from the last request byte to the reply's first line.
  bool server_timing = false;
};

class Server {
 public:
  Server(ServerOptions options, Router router, ServerObserver& observer);
  // Ends at once: open connections are cut; waits only for handlers that are running.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Loads the TLS material, binds, starts the threads. Returns "host:port" as really bound. An
  // error names the option or the file at fault.
  Result<std::string> Start();

  // Accepts no more, closes idle connections, finishes requests in flight (their replies say
  // `Connection: close`). DEADLINE_EXCEEDED when some were open after `timeout`; they are cut.
  Status Drain(std::chrono::milliseconds timeout);

  // Re-reads the TLS files now, not at the next interval. If they changed, the observer hears of
  // it.
  Status ReloadTls();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace aliquot::http
