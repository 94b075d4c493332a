// SPDX-License-Identifier: Apache-2.0
#include "http/self_signed.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <utility>

#include "http/openssl_error.h"

namespace aliquot::http {
namespace {

constexpr long kHour = 3600;
constexpr long kTenYears = 10L * 365 * 24 * kHour;
constexpr std::size_t kSerialBytes = 16;

bool SetSerial(X509* certificate) {
  unsigned char bytes[kSerialBytes];
  if (RAND_bytes(bytes, sizeof bytes) != 1) return false;
  bytes[0] = (bytes[0] & 0x7f) | 0x40;  // positive, and never short (RFC 5280, 4.1.2.2)
  BIGNUM* number = BN_bin2bn(bytes, sizeof bytes, nullptr);
  const bool set = number != nullptr &&
                   BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nullptr;
  BN_free(number);
  return set;
}

bool AddExtension(X509* certificate, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  const bool added = extension != nullptr && X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return added;
}

bool Fill(X509* certificate, EVP_PKEY* key, const std::string& name) {
  X509_NAME* subject = X509_get_subject_name(certificate);
  const auto* text = reinterpret_cast<const unsigned char*>("aliquot");
  return X509_set_version(certificate, X509_VERSION_3) == 1 && SetSerial(certificate) &&
         X509_gmtime_adj(X509_getm_notBefore(certificate), -kHour) != nullptr &&
         X509_gmtime_adj(X509_getm_notAfter(certificate), kTenYears) != nullptr &&
         X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, text, -1, -1, 0) == 1 &&
         X509_set_issuer_name(certificate, subject) == 1 &&
         X509_set_pubkey(certificate, key) == 1 &&
         AddExtension(certificate, NID_subject_alt_name, "DNS:" + name) &&
         AddExtension(certificate, NID_ext_key_usage, "serverAuth") &&
         AddExtension(certificate, NID_basic_constraints, "critical,CA:FALSE") &&
         X509_sign(certificate, key, EVP_sha256()) > 0;
}

}  // namespace

Result<std::shared_ptr<const TlsMaterial>> MakeSelfSigned(const std::string& name) {
  ERR_clear_error();
  auto material = std::make_shared<TlsMaterial>();
  material->key.reset(EVP_EC_gen("P-256"));
  material->certificate.reset(X509_new());
  material->chain.reset(sk_X509_new_null());
  if (!material->key || !material->certificate || !material->chain ||
      !Fill(material->certificate.get(), material->key.get(), name)) {
    return Internal("a certificate for " + name + " could not be made: " + TakeOpensslError());
  }
  return std::shared_ptr<const TlsMaterial>(std::move(material));
}

}  // namespace aliquot::http
