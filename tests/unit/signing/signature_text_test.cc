// SPDX-License-Identifier: Apache-2.0
#include "signing/signature_text.h"

#include <gtest/gtest.h>

namespace aliquot::signing {
namespace {

// 64 bytes 0, 1, 2, ... 63; their base64 is RFC 4648's.
SignatureText Counting() {
  SignatureText text;
  text.key_id = "0123456789abcdef";
  for (std::size_t i = 0; i < text.signature.size(); ++i) {
    text.signature[i] = static_cast<std::uint8_t>(i);
  }
  return text;
}

constexpr const char* kCounting =
    "0123456789abcdef:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4O"
    "To7PD0+Pw==";

TEST(SignatureTextTest, IsKeyIdColonAndBase64) {
  EXPECT_EQ(FormatSignature(Counting()), kCounting);
  const auto parsed = ParseSignature(kCounting);
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->key_id, "0123456789abcdef");
  EXPECT_EQ(parsed->signature, Counting().signature);
}

std::string With(std::size_t at, char c) {
  std::string text = kCounting;
  text[at] = c;
  return text;
}

TEST(SignatureTextTest, EveryOtherFormIsRefused) {
  const std::string good = kCounting;
  EXPECT_FALSE(ParseSignature(""));
  EXPECT_FALSE(ParseSignature(good.substr(0, good.size() - 1)));
  EXPECT_FALSE(ParseSignature(good + "="));
  EXPECT_FALSE(ParseSignature(good + "\n"));
  EXPECT_FALSE(ParseSignature(" " + good.substr(1)));
  EXPECT_FALSE(ParseSignature(With(0, 'A')));   // ids are lower case
  EXPECT_FALSE(ParseSignature(With(0, 'g')));   // and hex
  EXPECT_FALSE(ParseSignature(With(16, ';')));  // no colon
  EXPECT_FALSE(ParseSignature(With(17, ' ')));  // a blank, which OpenSSL's decoder would skip
  EXPECT_FALSE(ParseSignature(With(40, '-')));  // the URL alphabet's sign
  EXPECT_FALSE(ParseSignature(With(40, '\0')));
  EXPECT_FALSE(ParseSignature(With(104, 'A')));             // 65 bytes
  EXPECT_FALSE(ParseSignature(With(102, '=')));             // 64 bytes need two signs, not three
  EXPECT_FALSE(ParseSignature(good.substr(17)));            // no id
  EXPECT_FALSE(ParseSignature(good.substr(0, 17)));         // no signature
  EXPECT_FALSE(ParseSignature(std::string(105, ':')));      // colons only
  EXPECT_FALSE(ParseSignature(std::string(1 << 20, 'a')));  // long
}

TEST(SignatureTextTest, LooseBitsBeforeThePaddingAreRefused) {
  // 64 bytes are 85 whole digits and one of which the last 4 bits mean nothing: "w" is 110000 in
  // binary, "x" 110001, both stand for the same two bits.
  ASSERT_EQ(kCounting[102], 'w');
  EXPECT_FALSE(ParseSignature(With(102, 'x')));
}

}  // namespace
}  // namespace aliquot::signing
