// SPDX-License-Identifier: Apache-2.0
#include "signing/signature_text.h"

#include <openssl/err.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>

namespace aliquot::signing {
namespace {

constexpr int kPaddedBytes = 66;  // what 88 digits hold, padding included

bool IsKeyId(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace

std::string FormatSignature(const SignatureText& text) {
  constexpr std::size_t kDigits = kSignatureTextBytes - kKeyIdDigits - 1;
  std::array<unsigned char, kDigits + 1> digits{};  // OpenSSL adds a zero byte
  EVP_EncodeBlock(digits.data(), text.signature.data(), static_cast<int>(text.signature.size()));
  return text.key_id + ":" + std::string(reinterpret_cast<const char*>(digits.data()), kDigits);
}

std::optional<SignatureText> ParseSignature(std::string_view text) {
  if (text.size() != kSignatureTextBytes || text[kKeyIdDigits] != ':' ||
      !IsKeyId(text.substr(0, kKeyIdDigits))) {
    return std::nullopt;
  }
  const std::string_view digits = text.substr(kKeyIdDigits + 1);
  std::array<unsigned char, kPaddedBytes> bytes{};
  const int size =
      EVP_DecodeBlock(bytes.data(), reinterpret_cast<const unsigned char*>(digits.data()),
                      static_cast<int>(digits.size()));
  ERR_clear_error();
  if (size != kPaddedBytes) {
    return std::nullopt;
  }
  SignatureText parsed;
  parsed.key_id = std::string(text.substr(0, kKeyIdDigits));
  std::copy_n(bytes.begin(), parsed.signature.size(), parsed.signature.begin());
  // OpenSSL forgives blanks at the ends and bits that no byte uses.
  if (FormatSignature(parsed) != text) {
    return std::nullopt;
  }
  return parsed;
}

}  // namespace aliquot::signing
