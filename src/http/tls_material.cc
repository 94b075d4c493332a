// SPDX-License-Identifier: Apache-2.0
#include "http/tls_material.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "http/openssl_error.h"
#include "http/self_signed.h"

namespace aliquot::http {
namespace {

struct BioDeleter {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using BioPtr = std::unique_ptr<BIO, BioDeleter>;

BioPtr ReadOnlyBio(const std::string& bytes) {
  return BioPtr(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size())));
}

Status BadFile(std::string_view what, const std::string& path, const std::string& reason) {
  return InvalidArgument(std::string(what) + " file '" + path + "' cannot be used: " + reason);
}

Result<std::string> ReadFile(std::string_view what, const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  if (!file || !(bytes << file.rdbuf())) {
    const std::string reason =
        errno != 0 ? std::generic_category().message(errno) : "it is empty or unreadable";
    return BadFile(what, path, reason);
  }
  return std::move(bytes).str();
}

// Without a passphrase callback OpenSSL would ask for one on the terminal.
int NoPassphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*context*/) { return -1; }

// Every certificate of a PEM file, in order.
std::vector<OpensslPtr<X509>> ParseCertificates(const std::string& pem) {
  ERR_clear_error();
  std::vector<OpensslPtr<X509>> certificates;
  const BioPtr bio = ReadOnlyBio(pem);
  while (X509* certificate = PEM_read_bio_X509(bio.get(), nullptr, NoPassphrase, nullptr)) {
    certificates.emplace_back(certificate);
  }
  return certificates;
}

// A PEM file ends with "no start line"; anything else is a damaged certificate in the middle.
bool EndedWell() {
  const unsigned long error = ERR_peek_last_error();
  const bool end =
      ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
  if (end) ERR_clear_error();
  return end;
}

Status LoadCertificate(const TlsFiles& files, const TlsOptions& options, TlsMaterial* material) {
  std::vector<OpensslPtr<X509>> certificates = ParseCertificates(files.certificate);
  const bool ended_well = EndedWell();
  if (certificates.empty() || !ended_well) {
    return BadFile("certificate", options.certificate_file,
                   ended_well ? "it holds no PEM certificate" : TakeOpensslError());
  }
  material->certificate = std::move(certificates.front());
  material->chain.reset(sk_X509_new_null());
  for (std::size_t i = 1; i < certificates.size(); ++i) {
    sk_X509_push(material->chain.get(), certificates[i].release());
  }
  return Status::Ok();
}

Status LoadKey(const TlsFiles& files, const TlsOptions& options, TlsMaterial* material) {
  ERR_clear_error();
  const BioPtr bio = ReadOnlyBio(files.key);
  material->key.reset(PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassphrase, nullptr));
  if (!material->key) return BadFile("key", options.key_file, TakeOpensslError());
  if (X509_check_private_key(material->certificate.get(), material->key.get()) != 1) {
    ERR_clear_error();
    return BadFile("key", options.key_file,
                   "it does not belong to the certificate in '" + options.certificate_file + "'");
  }
  return Status::Ok();
}

Status LoadClientCa(const TlsFiles& files, const TlsOptions& options, TlsMaterial* material) {
  if (options.client_ca_file.empty()) return Status::Ok();
  const std::vector<OpensslPtr<X509>> certificates = ParseCertificates(files.client_ca);
  const bool ended_well = EndedWell();
  if (certificates.empty() || !ended_well) {
    return BadFile("client CA", options.client_ca_file,
                   ended_well ? "it holds no PEM certificate" : TakeOpensslError());
  }
  material->client_ca.reset(X509_STORE_new());
  material->client_ca_names.reset(sk_X509_NAME_new_null());
  for (const OpensslPtr<X509>& certificate : certificates) {
    X509_STORE_add_cert(material->client_ca.get(), certificate.get());
    sk_X509_NAME_push(material->client_ca_names.get(),
                      X509_NAME_dup(X509_get_subject_name(certificate.get())));
  }
  return Status::Ok();
}

// Lets a change be noticed without keeping a second copy of the key.
std::string Digest(const TlsFiles& files) {
  std::string digest;
  for (const std::string* bytes : {&files.certificate, &files.key, &files.client_ca}) {
    unsigned char hash[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    EVP_Digest(bytes->data(), bytes->size(), hash, &size, EVP_sha256(), nullptr);
    for (unsigned int i = 0; i < size; ++i) digest.push_back(static_cast<char>(hash[i]));
  }
  return digest;
}

}  // namespace

Result<TlsFiles> ReadTlsFiles(const TlsOptions& options) {
  TlsFiles files;
  Result<std::string> certificate = ReadFile("certificate", options.certificate_file);
  if (!certificate.ok()) return certificate.status();
  files.certificate = *std::move(certificate);
  Result<std::string> key = ReadFile("key", options.key_file);
  if (!key.ok()) return key.status();
  files.key = *std::move(key);
  if (!options.client_ca_file.empty()) {
    Result<std::string> client_ca = ReadFile("client CA", options.client_ca_file);
    if (!client_ca.ok()) return client_ca.status();
    files.client_ca = *std::move(client_ca);
  }
  return files;
}

Result<std::shared_ptr<const TlsMaterial>> ParseTlsMaterial(const TlsFiles& files,
                                                            const TlsOptions& options) {
  auto material = std::make_shared<TlsMaterial>();
  for (auto* load : {LoadCertificate, LoadKey, LoadClientCa}) {
    if (Status status = load(files, options, material.get()); !status.ok()) return status;
  }
  return std::shared_ptr<const TlsMaterial>(std::move(material));
}

Result<TlsMaterialSource::Change> TlsMaterialSource::Refresh() {
  MutexLock refresh_lock(refresh_mutex_);
  if (!options_.self_signed_name.empty()) return MakeOnce();
  Result<TlsFiles> files = ReadTlsFiles(options_);
  // The reason stands for the content, so that a file that stays unreadable is reported once.
  const std::string digest = files.ok() ? Digest(*files) : files.status().message();
  if (digest == seen_digest_) return Change::kNone;
  seen_digest_ = digest;
  if (!files.ok()) return files.status();
  Result<std::shared_ptr<const TlsMaterial>> material = ParseTlsMaterial(*files, options_);
  OPENSSL_cleanse(files.value().key.data(), files.value().key.size());
  if (!material.ok()) return material.status();
  MutexLock lock(mutex_);
  current_ = *std::move(material);
  return Change::kTaken;
}

Result<TlsMaterialSource::Change> TlsMaterialSource::MakeOnce() {
  if (Current() != nullptr) return Change::kNone;
  Result<std::shared_ptr<const TlsMaterial>> material = MakeSelfSigned(options_.self_signed_name);
  if (!material.ok()) return material.status();
  MutexLock lock(mutex_);
  current_ = *std::move(material);
  return Change::kTaken;
}

std::shared_ptr<const TlsMaterial> TlsMaterialSource::Current() const {
  MutexLock lock(mutex_);
  return current_;
}

}  // namespace aliquot::http
