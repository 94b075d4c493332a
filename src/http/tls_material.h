// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "http/server.h"

namespace aliquot::http {

struct OpensslDeleter {
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509_STORE* store) const { X509_STORE_free(store); }
  void operator()(STACK_OF(X509) * chain) const { sk_X509_pop_free(chain, X509_free); }
  void operator()(STACK_OF(X509_NAME) * names) const {
    sk_X509_NAME_pop_free(names, X509_NAME_free);
  }
};
template <typename T>
using OpensslPtr = std::unique_ptr<T, OpensslDeleter>;

// A server's certificate, key and client CAs, checked to fit together. Immutable: handshakes share
// one and a reload replaces the whole.
struct TlsMaterial {
  OpensslPtr<X509> certificate;
  OpensslPtr<STACK_OF(X509)> chain;  // intermediates
  OpensslPtr<EVP_PKEY> key;
  // Null unless clients must show a certificate.
  OpensslPtr<X509_STORE> client_ca;
  OpensslPtr<STACK_OF(X509_NAME)> client_ca_names;
};

// The bytes of the three files as read; `client_ca` stays empty without a configured file.
struct TlsFiles {
  std::string certificate;
  std::string key;
  std::string client_ca;
};

Result<TlsFiles> ReadTlsFiles(const TlsOptions& options);
// Parses PEM and checks that key and certificate belong together. Errors name the file, never its
// content.
Result<std::shared_ptr<const TlsMaterial>> ParseTlsMaterial(const TlsFiles& files,
                                                            const TlsOptions& options);

// Keeps the newest usable material. Thread-safe.
class TlsMaterialSource {
 public:
  explicit TlsMaterialSource(TlsOptions options) : options_(std::move(options)) {}

  enum class Change { kNone, kTaken };
  // Reads the files; when their content differs from what was last looked at, parses and takes it.
  // An error leaves the old material in use and is returned once per content.
  Result<Change> Refresh();
  // Null before the first successful Refresh.
  std::shared_ptr<const TlsMaterial> Current() const;

  const TlsOptions& options() const { return options_; }

 private:
  Result<Change> MakeOnce() REQUIRES(refresh_mutex_);

  const TlsOptions options_;
  // Held while files are read, so that a slow refresh never puts older content over newer.
  Mutex refresh_mutex_;
  std::string seen_digest_ GUARDED_BY(refresh_mutex_);
  // Taken inside refresh_mutex_ or alone.
  mutable Mutex mutex_;
  std::shared_ptr<const TlsMaterial> current_ GUARDED_BY(mutex_);
};

}  // namespace aliquot::http
