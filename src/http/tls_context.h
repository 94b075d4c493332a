// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/ssl.h>

#include <memory>

#include "base/status.h"
#include "http/tls_material.h"
#include "http/transport.h"

namespace aliquot::http {

// What every handshake of a listener shares: TLS 1.2 and up, HTTP/1.1 by ALPN, no resumption (a
// resumed session would skip a client CA that has changed), the newest material per handshake.
// Thread-safe.
class TlsContext {
 public:
  // `source` has material already and outlives the context.
  static Result<std::unique_ptr<TlsContext>> Create(const TlsMaterialSource& source);

  // Null when out of memory.
  SslPtr NewConnection() const { return SslPtr(SSL_new(context_.get())); }

 private:
  struct ContextDeleter {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };

  TlsContext() = default;

  std::unique_ptr<SSL_CTX, ContextDeleter> context_;
};

}  // namespace aliquot::http
