// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/certificates/trust.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <memory>
#include <vector>

namespace aliquot::certificates {
namespace {

struct Deleter {
  void operator()(X509* each) const { X509_free(each); }
  void operator()(BIO* each) const { BIO_free(each); }
  void operator()(X509_STORE* each) const { X509_STORE_free(each); }
  void operator()(X509_STORE_CTX* each) const { X509_STORE_CTX_free(each); }
  void operator()(STACK_OF(X509) * each) const { sk_X509_free(each); }
};
template <typename T>
using Pointer = std::unique_ptr<T, Deleter>;

std::vector<Pointer<X509>> Parse(const std::string& pem) {
  std::vector<Pointer<X509>> all;
  const Pointer<BIO> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  while (X509* each = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
    all.emplace_back(each);
  }
  ERR_clear_error();
  return all;
}

}  // namespace

std::string WhyNotTrusted(const std::string& shown, const std::string& roots, Purpose purpose,
                          SystemTime now, const std::string& host) {
  const auto sent = Parse(shown);
  const auto trusted = Parse(roots);
  if (sent.empty()) return "nothing is shown";
  const Pointer<X509_STORE> store(X509_STORE_new());
  for (const auto& each : trusted) X509_STORE_add_cert(store.get(), each.get());
  const Pointer<STACK_OF(X509)> others(sk_X509_new_null());
  for (std::size_t i = 1; i < sent.size(); ++i) sk_X509_push(others.get(), sent[i].get());
  const Pointer<X509_STORE_CTX> context(X509_STORE_CTX_new());
  X509_STORE_CTX_init(context.get(), store.get(), sent[0].get(), others.get());
  X509_VERIFY_PARAM* wanted = X509_STORE_CTX_get0_param(context.get());
  X509_VERIFY_PARAM_set_purpose(
      wanted, purpose == Purpose::kServer ? X509_PURPOSE_SSL_SERVER : X509_PURPOSE_SSL_CLIENT);
  X509_VERIFY_PARAM_set_time(wanted, std::chrono::system_clock::to_time_t(now));
  X509_VERIFY_PARAM_set_flags(wanted, X509_V_FLAG_X509_STRICT);
  if (!host.empty()) X509_VERIFY_PARAM_set1_host(wanted, host.c_str(), host.size());
  if (X509_verify_cert(context.get()) == 1) return "";
  return X509_verify_cert_error_string(X509_STORE_CTX_get_error(context.get()));
}

}  // namespace aliquot::certificates
