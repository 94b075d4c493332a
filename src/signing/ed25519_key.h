// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

struct evp_pkey_st;  // OpenSSL's EVP_PKEY

namespace aliquot::signing {

// Ed25519 (RFC 8032) by OpenSSL. A key lives in an OpenSSL object only: it is never printed, copied
// out or logged. Errors are half sentences ("it holds no ..."), for the reader of a file to begin.

inline constexpr std::size_t kSignatureBytes = 64;
inline constexpr std::size_t kKeyIdDigits = 16;

using SignatureBytes = std::array<std::uint8_t, kSignatureBytes>;

// One key, private or public. Immutable; any number of threads may use it.
class Ed25519Key {
 public:
  // The first 16 hex digits of the SHA-256 of the 32 bytes of the public key, lower case.
  const std::string& id() const { return id_; }
  bool SamePublicKey(const Ed25519Key& other) const;

  // Pre: a private key.
  Result<SignatureBytes> Sign(std::string_view bytes) const;
  bool Verify(std::string_view bytes, const SignatureBytes& signature) const;

 private:
  friend Result<Ed25519Key> ParsePrivateKey(std::string_view pem);
  friend Result<std::vector<Ed25519Key>> ParsePublicKeys(std::string_view pem);

  struct Deleter {
    void operator()(evp_pkey_st* key) const;
  };
  using Pointer = std::unique_ptr<evp_pkey_st, Deleter>;

  Ed25519Key(Pointer key, std::string id) : key_(std::move(key)), id_(std::move(id)) {}
  // Takes the key over; refuses other algorithms.
  static Result<Ed25519Key> Of(Pointer key);

  Pointer key_;
  std::string id_;
};

// One private key, PKCS#8 in PEM ("BEGIN PRIVATE KEY"), without passphrase. Pure.
Result<Ed25519Key> ParsePrivateKey(std::string_view pem);

// One public key or several, SubjectPublicKeyInfo in PEM ("BEGIN PUBLIC KEY"). A private key is
// refused: whoever only verifies must not have one. Pure.
Result<std::vector<Ed25519Key>> ParsePublicKeys(std::string_view pem);

}  // namespace aliquot::signing
