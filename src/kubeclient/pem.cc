// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/pem.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>

namespace aliquot::kubeclient {

namespace {

template <auto kFree>
struct Deleter {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Bio = std::unique_ptr<BIO, Deleter<BIO_free_all>>;
using Certificate = std::unique_ptr<X509, Deleter<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;

Bio Open(const std::string& pem) {
  return Bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

// OpenSSL would ask on the terminal otherwise.
int NoPassphrase(char*, int, int, void*) { return 0; }

Certificate FirstCertificate(const std::string& pem) {
  const Bio bio = Open(pem);
  Certificate certificate(PEM_read_bio_X509(bio.get(), nullptr, NoPassphrase, nullptr));
  ERR_clear_error();
  return certificate;
}

}  // namespace

Status CheckCertificates(const std::string& pem) {
  if (FirstCertificate(pem)) return Status::Ok();
  return InvalidArgument("holds no readable certificate in PEM form");
}

Status CheckKeyPair(const std::string& certificate_pem, const std::string& key_pem) {
  const Certificate certificate = FirstCertificate(certificate_pem);
  if (!certificate) return InvalidArgument("the certificate is not readable PEM");
  const Bio bio = Open(key_pem);
  const Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassphrase, nullptr));
  const bool match = key && X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  if (!key) return InvalidArgument("the key is not readable PEM without a passphrase");
  if (!match) return InvalidArgument("the key does not belong to the certificate");
  return Status::Ok();
}

}  // namespace aliquot::kubeclient
