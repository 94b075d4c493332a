// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// Keys for tests of signatures, made in memory. Any failure of OpenSSL aborts the test program.

namespace aliquot::test {

// The two PEM texts of a key, as the openssl command writes them.
struct KeyTexts {
  std::string private_key;  // PKCS#8
  std::string public_key;   // SubjectPublicKeyInfo
};

// A new Ed25519 key.
KeyTexts NewKey();
// The Ed25519 key of a 32-byte seed, in hex digits.
KeyTexts KeyOfSeed(std::string_view seed_hex);
// SubjectPublicKeyInfo of the Ed25519 public key of these 32 bytes, in hex digits.
std::string PublicKeyOf(std::string_view raw_hex);
// A new key of another algorithm (P-256).
KeyTexts NewOtherKey();

std::string BytesOf(std::string_view hex);
std::string HexOf(std::string_view bytes);

}  // namespace aliquot::test
