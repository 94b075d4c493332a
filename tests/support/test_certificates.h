// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <vector>

// Certificates for tests, made in memory: one second of work for hundreds (P-256), nothing on disk
// unless asked. Any failure of OpenSSL aborts the test program. Not thread-safe.

namespace aliquot::test {

// PEM texts.
struct KeyPair {
  std::string certificate;
  std::string key;
};

class CertificateAuthority {
 public:
  explicit CertificateAuthority(const std::string& common_name = "aliquot test CA");

  const std::string& certificate() const { return certificate_pem_; }  // PEM

  // For server authentication; each host becomes a DNS or an IP subject alternative name.
  KeyPair IssueServer(const std::vector<std::string>& hosts = {"localhost", "127.0.0.1",
                                                               "::1"}) const;
  // For client authentication. Kubernetes reads the common name as user and organizations as
  // groups.
  KeyPair IssueClient(const std::string& common_name,
                      const std::vector<std::string>& organizations = {}) const;

 private:
  struct Deleter {
    void operator()(X509* certificate) const { X509_free(certificate); }
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  };

  KeyPair Issue(X509_NAME* subject, const char* usage, const std::string& alternative_names) const;

  std::unique_ptr<EVP_PKEY, Deleter> key_;
  std::unique_ptr<X509, Deleter> certificate_;
  std::string certificate_pem_;
};

// A directory under the system's temporary one, removed with all its content at the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string PathOf(const std::string& name) const { return path_ + "/" + name; }
  // Replaces the file in one step, by a rename. Returns its path.
  std::string Write(const std::string& name, const std::string& content) const;

 private:
  std::string path_;
};

}  // namespace aliquot::test
