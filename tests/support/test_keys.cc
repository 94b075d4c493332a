// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test_keys.h"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace aliquot::test {
namespace {

struct Deleter {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using Key = std::unique_ptr<EVP_PKEY, Deleter>;
using Bio = std::unique_ptr<BIO, Deleter>;

void Require(bool good, const char* what) {
  if (!good) {
    static_cast<void>(std::fprintf(stderr, "test_keys: %s\n", what));
    std::abort();
  }
}

std::string TextOf(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<std::size_t>(size));
}

std::string PublicText(const Key& key) {
  Require(key != nullptr, "no key");
  const Bio open(BIO_new(BIO_s_mem()));
  Require(PEM_write_bio_PUBKEY(open.get(), key.get()) == 1, "cannot write a public key");
  return TextOf(open.get());
}

KeyTexts TextsOf(const Key& key) {
  Require(key != nullptr, "no key");
  const Bio secret(BIO_new(BIO_s_mem()));
  Require(PEM_write_bio_PKCS8PrivateKey(secret.get(), key.get(), nullptr, nullptr, 0, nullptr,
                                        nullptr) == 1,
          "cannot write a private key");
  return {TextOf(secret.get()), PublicText(key)};
}

}  // namespace

KeyTexts NewKey() { return TextsOf(Key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"))); }

KeyTexts KeyOfSeed(std::string_view seed_hex) {
  const std::string seed = BytesOf(seed_hex);
  return TextsOf(Key(EVP_PKEY_new_raw_private_key(
      EVP_PKEY_ED25519, nullptr, reinterpret_cast<const unsigned char*>(seed.data()),
      seed.size())));
}

std::string PublicKeyOf(std::string_view raw_hex) {
  const std::string raw = BytesOf(raw_hex);
  return PublicText(Key(EVP_PKEY_new_raw_public_key(
      EVP_PKEY_ED25519, nullptr, reinterpret_cast<const unsigned char*>(raw.data()), raw.size())));
}

KeyTexts NewOtherKey() { return TextsOf(Key(EVP_EC_gen("P-256"))); }

std::string BytesOf(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

std::string HexOf(std::string_view bytes) {
  std::string hex;
  for (const char c : bytes) {
    char two[3];
    static_cast<void>(std::snprintf(two, sizeof(two), "%02x", static_cast<unsigned char>(c)));
    hex += two;
  }
  return hex;
}

}  // namespace aliquot::test
