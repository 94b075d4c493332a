// SPDX-License-Identifier: Apache-2.0
#include "certificates/signing_keys.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <memory>

#include "signing/ed25519_key.h"

namespace aliquot::certificates {
namespace {

struct Deleter {
  void operator()(EVP_PKEY* each) const { EVP_PKEY_free(each); }
  void operator()(BIO* each) const { BIO_free_all(each); }
};
using Key = std::unique_ptr<EVP_PKEY, Deleter>;
using Bio = std::unique_ptr<BIO, Deleter>;

std::string TextOf(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return size > 0 ? std::string(data, static_cast<std::size_t>(size)) : std::string();
}

Result<std::string> MakeSigningKey() {
  const Key key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  const Bio bio(BIO_new(BIO_s_secmem()));
  if (!key || !bio ||
      PEM_write_bio_PKCS8PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) !=
          1) {
    ERR_clear_error();
    return Internal("a signing key could not be made");
  }
  return TextOf(bio.get());
}

Result<std::string> PublicHalf(const std::string& pem) {
  const Bio in(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  const auto refuse = [](char*, int, int, void*) { return -1; };
  const Key key(in ? PEM_read_bio_PrivateKey(in.get(), nullptr, refuse, nullptr) : nullptr);
  const Bio out(BIO_new(BIO_s_mem()));
  if (!key || !out || PEM_write_bio_PUBKEY(out.get(), key.get()) != 1) {
    ERR_clear_error();
    return Internal("the public half of a signing key could not be made");
  }
  return TextOf(out.get());
}

}  // namespace

Result<SigningKeys> NextSigningKeys(const SigningKeys& held,
                                    const std::map<std::string, std::string>& published,
                                    const std::string& rotate_request,
                                    std::chrono::milliseconds activation_delay, SystemTime now) {
  SigningKeys next = held;
  next.rotated_for = rotate_request;
  if (held.current.empty()) {
    auto made = MakeSigningKey();
    if (!made.ok()) return made.status();
    next.current = *std::move(made);
    next.next.clear();
    return next;
  }
  if (const auto key = signing::ParsePrivateKey(held.current); !key.ok()) {
    return InvalidArgument("signing.key cannot be used: " + key.status().message());
  }
  if (!held.next.empty()) {
    const auto key = signing::ParsePrivateKey(held.next);
    if (!key.ok()) {
      return InvalidArgument("next.key cannot be used: " + key.status().message());
    }
    // A request that comes meanwhile is served by the key that waits.
    if (published.find(key->id() + ".pem") == published.end()) {
      next.next_from = now + activation_delay;
    } else if (now >= held.next_from) {
      next.current = held.next;
      next.next.clear();
    }
    return next;
  }
  if (!rotate_request.empty() && rotate_request != held.rotated_for) {
    auto made = MakeSigningKey();
    if (!made.ok()) return made.status();
    next.next = *std::move(made);
    next.next_from = now + activation_delay;
  }
  return next;
}

Result<std::map<std::string, std::string>> PublicHalves(const SigningKeys& keys) {
  std::map<std::string, std::string> halves;
  for (const std::string* pem : {&keys.current, &keys.next}) {
    if (pem->empty()) continue;
    const auto key = signing::ParsePrivateKey(*pem);
    if (!key.ok()) return key.status();
    auto half = PublicHalf(*pem);
    if (!half.ok()) return half.status();
    halves[key->id() + ".pem"] = *std::move(half);
  }
  return halves;
}

}  // namespace aliquot::certificates
