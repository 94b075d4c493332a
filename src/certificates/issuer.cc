// SPDX-License-Identifier: Apache-2.0
#include "certificates/issuer.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <memory>

namespace aliquot::certificates {
namespace {

struct Deleter {
  void operator()(X509* each) const { X509_free(each); }
  void operator()(EVP_PKEY* each) const { EVP_PKEY_free(each); }
  void operator()(BIO* each) const { BIO_free_all(each); }
  void operator()(BIGNUM* each) const { BN_free(each); }
};
template <typename T>
using Pointer = std::unique_ptr<T, Deleter>;

constexpr std::size_t kSerialBytes = 16;
constexpr char kAuthorityUsage[] = "critical,keyCertSign,cRLSign";

Status Failed(const std::string& what) {
  char text[256] = "unknown error";
  if (const unsigned long code = ERR_peek_error(); code != 0) {
    ERR_error_string_n(code, text, sizeof text);
  }
  ERR_clear_error();
  return Internal(what + " could not be made: " + text);
}

Pointer<BIO> Reader(const std::string& pem) {
  return Pointer<BIO>(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

// No passphrase is ever asked for on a terminal.
int NoPassphrase(char*, int, int, void*) { return -1; }

Pointer<X509> ParseCertificate(const std::string& pem) {
  const Pointer<BIO> bio = Reader(pem);
  Pointer<X509> parsed(bio ? PEM_read_bio_X509(bio.get(), nullptr, NoPassphrase, nullptr)
                           : nullptr);
  ERR_clear_error();
  return parsed;
}

Pointer<EVP_PKEY> ParseKey(const std::string& pem) {
  const Pointer<BIO> bio = Reader(pem);
  Pointer<EVP_PKEY> parsed(bio ? PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassphrase, nullptr)
                               : nullptr);
  ERR_clear_error();
  return parsed;
}

std::string TextOf(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return size > 0 ? std::string(data, static_cast<std::size_t>(size)) : std::string();
}

std::string Format(X509* certificate) {
  const Pointer<BIO> bio(BIO_new(BIO_s_mem()));
  return bio && PEM_write_bio_X509(bio.get(), certificate) == 1 ? TextOf(bio.get()) : std::string();
}

std::string Format(EVP_PKEY* key) {
  const Pointer<BIO> bio(BIO_new(BIO_s_secmem()));
  return bio && PEM_write_bio_PKCS8PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr,
                                              nullptr) == 1
             ? TextOf(bio.get())
             : std::string();
}

bool SetSerial(X509* certificate) {
  unsigned char bytes[kSerialBytes];
  if (RAND_bytes(bytes, sizeof bytes) != 1) return false;
  bytes[0] = (bytes[0] & 0x7f) | 0x40;  // positive, and never short (RFC 5280, 4.1.2.2)
  const Pointer<BIGNUM> number(BN_bin2bn(bytes, sizeof bytes, nullptr));
  return number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool AddExtension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  const bool added = extension != nullptr && X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return added;
}

bool SetTime(ASN1_TIME* field, SystemTime time) {
  return ASN1_TIME_adj(field, std::chrono::system_clock::to_time_t(time), 0, 0) != nullptr;
}

Result<SystemTime> TimeOf(const ASN1_TIME* field) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(field, &parts) != 1) return Internal("a certificate's time is unreadable");
  return std::chrono::system_clock::from_time_t(timegm(&parts));
}

bool SetName(X509_NAME* name, const std::string& common_name) {
  const auto* text = reinterpret_cast<const unsigned char*>(common_name.c_str());
  return X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, text, -1, -1, 0) == 1;
}

bool Begin(X509* certificate, const Validity& validity) {
  return X509_set_version(certificate, X509_VERSION_3) == 1 && SetSerial(certificate) &&
         SetTime(X509_getm_notBefore(certificate), validity.from) &&
         SetTime(X509_getm_notAfter(certificate), validity.until);
}

bool AddAuthorityExtensions(X509* certificate, X509* issuer) {
  return AddExtension(certificate, issuer, NID_basic_constraints, "critical,CA:TRUE") &&
         AddExtension(certificate, issuer, NID_key_usage, kAuthorityUsage) &&
         AddExtension(certificate, issuer, NID_subject_key_identifier, "hash");
}

std::string RandomName() {
  unsigned char bytes[4] = {};
  if (RAND_bytes(bytes, sizeof bytes) != 1) return "";
  static constexpr char kHex[] = "0123456789abcdef";
  std::string name = "aliquot-ca-";
  for (const unsigned char byte : bytes) {
    name += kHex[byte >> 4];
    name += kHex[byte & 15];
  }
  return name;
}

std::string AlternativeNames(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "DNS:" : ",DNS:") + name;
  }
  return text;
}

bool AddLeafExtensions(X509* leaf, X509* issuer, const LeafRequest& request) {
  const bool server = !request.dns_names.empty();
  return AddExtension(leaf, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
         AddExtension(leaf, issuer, NID_key_usage, "critical,digitalSignature") &&
         AddExtension(leaf, issuer, NID_ext_key_usage, server ? "serverAuth" : "clientAuth") &&
         AddExtension(leaf, issuer, NID_authority_key_identifier, "keyid") &&
         (!server ||
          AddExtension(leaf, issuer, NID_subject_alt_name, AlternativeNames(request.dns_names)));
}

}  // namespace

Result<std::string> MakeKey() {
  const Pointer<EVP_PKEY> key(EVP_EC_gen("P-256"));
  std::string text = key ? Format(key.get()) : "";
  if (text.empty()) return Failed("a private key");
  return text;
}

Result<KeyedCertificate> MakeAuthority(const Validity& validity) {
  const Pointer<EVP_PKEY> key(EVP_EC_gen("P-256"));
  const Pointer<X509> made(X509_new());
  const std::string name = RandomName();
  if (!key || !made || name.empty() || !Begin(made.get(), validity) ||
      !SetName(X509_get_subject_name(made.get()), name) ||
      X509_set_issuer_name(made.get(), X509_get_subject_name(made.get())) != 1 ||
      X509_set_pubkey(made.get(), key.get()) != 1 ||
      !AddAuthorityExtensions(made.get(), made.get()) ||
      X509_sign(made.get(), key.get(), EVP_sha256()) <= 0) {
    return Failed("a certificate authority");
  }
  KeyedCertificate authority{Format(made.get()), Format(key.get())};
  if (authority.certificate.empty() || authority.key.empty()) {
    return Failed("a certificate authority");
  }
  return authority;
}

Result<std::string> CrossCertify(const std::string& subject, const KeyedCertificate& issuer,
                                 SystemTime from) {
  const Pointer<X509> named = ParseCertificate(subject);
  const Pointer<X509> issuer_certificate = ParseCertificate(issuer.certificate);
  const Pointer<EVP_PKEY> issuer_key = ParseKey(issuer.key);
  const Pointer<X509> made(X509_new());
  const auto issuer_validity = ReadValidity(issuer.certificate);
  if (!named || !issuer_certificate || !issuer_key || !made || !issuer_validity.ok()) {
    return Failed("a cross certificate");
  }
  const Validity validity{std::max(from, issuer_validity->from), issuer_validity->until};
  if (!Begin(made.get(), validity) ||
      X509_set_subject_name(made.get(), X509_get_subject_name(named.get())) != 1 ||
      X509_set_issuer_name(made.get(), X509_get_subject_name(issuer_certificate.get())) != 1 ||
      X509_set_pubkey(made.get(), X509_get0_pubkey(named.get())) != 1 ||
      !AddAuthorityExtensions(made.get(), issuer_certificate.get()) ||
      !AddExtension(made.get(), issuer_certificate.get(), NID_authority_key_identifier, "keyid") ||
      X509_sign(made.get(), issuer_key.get(), EVP_sha256()) <= 0) {
    return Failed("a cross certificate");
  }
  return Format(made.get());
}

Result<std::string> IssueLeaf(const LeafRequest& request, const std::string& key,
                              const KeyedCertificate& authority) {
  const std::string what = "a certificate for " + request.common_name;
  const Pointer<EVP_PKEY> own_key = ParseKey(key);
  const Pointer<X509> issuer = ParseCertificate(authority.certificate);
  const Pointer<EVP_PKEY> issuer_key = ParseKey(authority.key);
  const Pointer<X509> made(X509_new());
  const auto limit = ReadValidity(authority.certificate);
  if (!own_key || !issuer || !issuer_key || !made || !limit.ok()) return Failed(what);
  const Validity validity{std::max(request.validity.from, limit->from),
                          std::min(request.validity.until, limit->until)};
  if (!Begin(made.get(), validity) ||
      !SetName(X509_get_subject_name(made.get()), request.common_name) ||
      X509_set_issuer_name(made.get(), X509_get_subject_name(issuer.get())) != 1 ||
      X509_set_pubkey(made.get(), own_key.get()) != 1 ||
      !AddLeafExtensions(made.get(), issuer.get(), request) ||
      X509_sign(made.get(), issuer_key.get(), EVP_sha256()) <= 0) {
    return Failed(what);
  }
  return Format(made.get());
}

Result<Validity> ReadValidity(const std::string& certificate) {
  const Pointer<X509> parsed = ParseCertificate(certificate);
  if (!parsed) return InvalidArgument("it holds no certificate in PEM");
  const auto from = TimeOf(X509_get0_notBefore(parsed.get()));
  const auto until = TimeOf(X509_get0_notAfter(parsed.get()));
  if (!from.ok()) return from.status();
  if (!until.ok()) return until.status();
  return Validity{*from, *until};
}

Status CheckAuthority(const KeyedCertificate& authority) {
  const Pointer<X509> certificate = ParseCertificate(authority.certificate);
  if (!certificate) return InvalidArgument("ca.crt holds no certificate in PEM");
  const Pointer<EVP_PKEY> key = ParseKey(authority.key);
  if (!key) return InvalidArgument("ca.key holds no private key in PEM without passphrase");
  if (X509_check_ca(certificate.get()) != 1) {
    return InvalidArgument("ca.crt is not the certificate of an authority");
  }
  const bool belongs = X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  return belongs ? Status::Ok() : InvalidArgument("ca.key is not the key of ca.crt");
}

bool IsIssuedBy(const KeyedCertificate& leaf, const std::string& authority) {
  const Pointer<X509> certificate = ParseCertificate(leaf.certificate);
  const Pointer<EVP_PKEY> key = ParseKey(leaf.key);
  const Pointer<X509> issuer = ParseCertificate(authority);
  const bool issued = certificate && key && issuer &&
                      X509_check_private_key(certificate.get(), key.get()) == 1 &&
                      X509_check_issued(issuer.get(), certificate.get()) == X509_V_OK &&
                      X509_verify(certificate.get(), X509_get0_pubkey(issuer.get())) == 1;
  ERR_clear_error();
  return issued;
}

}  // namespace aliquot::certificates
