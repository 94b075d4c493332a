// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test_certificates.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace aliquot::test {
namespace {

constexpr long kLifetimeSeconds = 24L * 3600;
constexpr long kVersion3 = 2;

void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "test certificates: %s failed\n", what);
  std::abort();
}

struct Freer {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509_NAME* name) const { X509_NAME_free(name); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using BioPtr = std::unique_ptr<BIO, Freer>;
using NamePtr = std::unique_ptr<X509_NAME, Freer>;

EVP_PKEY* NewKey() {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  Require(key != nullptr, "EVP_EC_gen");
  return key;
}

void AddNamePart(X509_NAME* name, const char* field, const std::string& value) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(value.c_str());
  Require(X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, bytes, -1, -1, 0) == 1,
          "X509_NAME_add_entry_by_txt");
}

// A certificate with a random serial number and a day of life, not yet signed.
X509* NewCertificate(EVP_PKEY* key, X509_NAME* subject, X509_NAME* issuer) {
  X509* certificate = X509_new();
  Require(certificate != nullptr, "X509_new");
  X509_set_version(certificate, kVersion3);
  std::uint64_t serial = 0;
  Require(RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) == 1, "RAND_bytes");
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1);
  // A minute of grace for clocks that differ.
  X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
  X509_gmtime_adj(X509_getm_notAfter(certificate), kLifetimeSeconds);
  X509_set_subject_name(certificate, subject);
  X509_set_issuer_name(certificate, issuer);
  X509_set_pubkey(certificate, key);
  return certificate;
}

void AddExtension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  Require(extension != nullptr, "X509V3_EXT_conf_nid");
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

std::string TextOf(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<std::size_t>(size));
}

std::string PemOf(X509* certificate) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  Require(PEM_write_bio_X509(bio.get(), certificate) == 1, "PEM_write_bio_X509");
  return TextOf(bio.get());
}

std::string PemOf(EVP_PKEY* key) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  Require(PEM_write_bio_PKCS8PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1,
          "PEM_write_bio_PKCS8PrivateKey");
  return TextOf(bio.get());
}

bool IsIpAddress(const std::string& host) {
  ASN1_OCTET_STRING* address = a2i_IPADDRESS(host.c_str());
  ASN1_OCTET_STRING_free(address);
  return address != nullptr;
}

}  // namespace

CertificateAuthority::CertificateAuthority(const std::string& common_name) : key_(NewKey()) {
  const NamePtr name(X509_NAME_new());
  AddNamePart(name.get(), "CN", common_name);
  certificate_.reset(NewCertificate(key_.get(), name.get(), name.get()));
  AddExtension(certificate_.get(), certificate_.get(), NID_basic_constraints, "critical,CA:TRUE");
  AddExtension(certificate_.get(), certificate_.get(), NID_key_usage,
               "critical,keyCertSign,cRLSign");
  AddExtension(certificate_.get(), certificate_.get(), NID_subject_key_identifier, "hash");
  Require(X509_sign(certificate_.get(), key_.get(), EVP_sha256()) > 0, "X509_sign");
  certificate_pem_ = PemOf(certificate_.get());
}

KeyPair CertificateAuthority::IssueServer(const std::vector<std::string>& hosts) const {
  const NamePtr subject(X509_NAME_new());
  AddNamePart(subject.get(), "CN", hosts.front());
  std::string alternative_names;
  for (const std::string& host : hosts) {
    if (!alternative_names.empty()) alternative_names += ',';
    alternative_names += (IsIpAddress(host) ? "IP:" : "DNS:") + host;
  }
  return Issue(subject.get(), "serverAuth", alternative_names);
}

KeyPair CertificateAuthority::IssueClient(const std::string& common_name,
                                          const std::vector<std::string>& organizations) const {
  const NamePtr subject(X509_NAME_new());
  for (const std::string& organization : organizations) {
    AddNamePart(subject.get(), "O", organization);
  }
  AddNamePart(subject.get(), "CN", common_name);
  return Issue(subject.get(), "clientAuth", "");
}

KeyPair CertificateAuthority::Issue(X509_NAME* subject, const char* usage,
                                    const std::string& alternative_names) const {
  const std::unique_ptr<EVP_PKEY, Freer> key(NewKey());
  X509* issuer = certificate_.get();
  const std::unique_ptr<X509, Freer> certificate(
      NewCertificate(key.get(), subject, X509_get_subject_name(issuer)));
  AddExtension(certificate.get(), issuer, NID_basic_constraints, "critical,CA:FALSE");
  AddExtension(certificate.get(), issuer, NID_key_usage, "critical,digitalSignature");
  AddExtension(certificate.get(), issuer, NID_ext_key_usage, usage);
  AddExtension(certificate.get(), issuer, NID_authority_key_identifier, "keyid");
  if (!alternative_names.empty()) {
    AddExtension(certificate.get(), issuer, NID_subject_alt_name, alternative_names);
  }
  Require(X509_sign(certificate.get(), key_.get(), EVP_sha256()) > 0, "X509_sign");
  return {PemOf(certificate.get()), PemOf(key.get())};
}

TemporaryDirectory::TemporaryDirectory() {
  path_ = (std::filesystem::temp_directory_path() / "aliquot-test-XXXXXX").string();
  Require(::mkdtemp(path_.data()) != nullptr, "mkdtemp");
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryDirectory::Write(const std::string& name, const std::string& content) const {
  const std::string path = PathOf(name);
  const std::string aside = path + ".new";
  std::ofstream(aside, std::ios::binary) << content;
  std::filesystem::rename(aside, path);
  return path;
}

}  // namespace aliquot::test
