// SPDX-License-Identifier: Apache-2.0
#include "signing/ed25519_key.h"

#include <gtest/gtest.h>

#include "tests/support/test_keys.h"

namespace aliquot::signing {
namespace {

// RFC 8032 section 7.1, tests 1, 2, 3 and SHA(abc): seed, public key, message, signature.
struct Vector {
  const char* seed;
  const char* public_key;
  const char* message;
  const char* signature;
};

constexpr Vector kVectors[] = {
    {"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
     "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b"
     "4"
     "6bd25bf5f0595bbe24655141438e7a100b"},
    {"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
     "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11"
     "d"
     "8c387b2eaeb4302aeeb00d291612bb0c00"},
    {"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
     "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc"
     "6"
     "594a7c15e9716ed28dc027beceea1ec40a"},
    {"833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
     "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
     "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3fee"
     "b"
     "bd454d4423643ce80e2a9ac94fa54ca49f",
     "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e"
     "0"
     "303dca179c138ac17ad9bef1177331a704"},
};

std::string AsText(const SignatureBytes& signature) {
  return std::string(signature.begin(), signature.end());
}

Ed25519Key PrivateOf(const test::KeyTexts& texts) {
  auto key = ParsePrivateKey(texts.private_key);
  EXPECT_TRUE(key.ok()) << key.status().message();
  return *std::move(key);
}

Ed25519Key PublicOf(const test::KeyTexts& texts) {
  auto keys = ParsePublicKeys(texts.public_key);
  EXPECT_TRUE(keys.ok()) << keys.status().message();
  return std::move(keys.value().front());
}

TEST(Ed25519KeyTest, SignsAndVerifiesTheVectorsOfRfc8032) {
  for (const Vector& vector : kVectors) {
    const test::KeyTexts texts = test::KeyOfSeed(vector.seed);
    const std::string message = test::BytesOf(vector.message);
    const auto signature = PrivateOf(texts).Sign(message);
    ASSERT_TRUE(signature.ok());
    EXPECT_EQ(test::HexOf(AsText(*signature)), vector.signature);
    const auto keys = ParsePublicKeys(test::PublicKeyOf(vector.public_key));
    ASSERT_TRUE(keys.ok()) << keys.status().message();
    EXPECT_TRUE(keys->front().Verify(message, *signature));
    EXPECT_FALSE(keys->front().Verify(message + "x", *signature));
    EXPECT_TRUE(keys->front().SamePublicKey(PrivateOf(texts)));
  }
}

TEST(Ed25519KeyTest, TheIdIsTheBeginningOfTheHashOfThePublicKeysBytes) {
  // echo d75a98...07511a | xxd -r -p | sha256sum, for the public key of test 1, begins so.
  const test::KeyTexts texts = test::KeyOfSeed(kVectors[0].seed);
  EXPECT_EQ(PrivateOf(texts).id(), "21fe31dfa154a261");
  EXPECT_EQ(PublicOf(texts).id(), "21fe31dfa154a261");
}

TEST(Ed25519KeyTest, RefusesASignatureWithALargerSOfTheSameResidue) {
  // RFC 8032 section 5.1.7: S must be below L, or one message has several signatures.
  // L = 2^252 + 27742317777372353535851937790883648493, little endian.
  const std::string l =
      test::BytesOf("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
  const test::KeyTexts texts = test::KeyOfSeed(kVectors[1].seed);
  const std::string message = test::BytesOf(kVectors[1].message);
  SignatureBytes signature = *PrivateOf(texts).Sign(message);
  int carry = 0;
  for (std::size_t i = 0; i < l.size(); ++i) {
    const int sum = signature[32 + i] + static_cast<unsigned char>(l[i]) + carry;
    signature[32 + i] = static_cast<std::uint8_t>(sum & 0xff);
    carry = sum >> 8;
  }
  EXPECT_FALSE(PublicOf(texts).Verify(message, signature));
}

TEST(Ed25519KeyTest, AnotherKeyDoesNotVerify) {
  const auto signature = PrivateOf(test::NewKey()).Sign("record");
  ASSERT_TRUE(signature.ok());
  EXPECT_FALSE(PublicOf(test::NewKey()).Verify("record", *signature));
}

TEST(Ed25519KeyTest, EachBitOfTheSignatureCounts) {
  const test::KeyTexts texts = test::NewKey();
  const SignatureBytes good = *PrivateOf(texts).Sign("record");
  const Ed25519Key key = PublicOf(texts);
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    SignatureBytes changed = good;
    changed[bit / 8] = static_cast<std::uint8_t>(changed[bit / 8] ^ (1u << (bit % 8)));
    EXPECT_FALSE(key.Verify("record", changed)) << "bit " << bit;
  }
}

std::string WhyNotPrivate(const std::string& pem) {
  const auto key = ParsePrivateKey(pem);
  return key.ok() ? "taken" : key.status().message();
}

std::string WhyNotPublic(const std::string& pem) {
  const auto keys = ParsePublicKeys(pem);
  return keys.ok() ? "taken" : keys.status().message();
}

// The text with one character of its base64 replaced by a blank sign.
std::string Damaged(std::string pem) {
  pem[pem.find('\n') + 5] = '*';
  return pem;
}

TEST(Ed25519KeyTest, SaysWhatIsWrongWithAPrivateKey) {
  const test::KeyTexts key = test::NewKey();
  EXPECT_EQ(WhyNotPrivate(key.private_key), "taken");
  EXPECT_EQ(WhyNotPrivate(""), "it does not hold a PRIVATE KEY in PEM");
  EXPECT_EQ(WhyNotPrivate(key.public_key), "it does not hold a PRIVATE KEY in PEM");
  EXPECT_EQ(WhyNotPrivate(Damaged(key.private_key)), "its PEM text is damaged");
  EXPECT_EQ(WhyNotPrivate("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"),
            "its private key is damaged");
  EXPECT_EQ(WhyNotPrivate(test::NewOtherKey().private_key), "its key is not an Ed25519 key");
  EXPECT_EQ(WhyNotPrivate(key.private_key + test::NewKey().private_key),
            "it holds more than one private key");
  EXPECT_EQ(WhyNotPrivate("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n"
                          "-----END ENCRYPTED PRIVATE KEY-----\n"),
            "its key is encrypted with a passphrase, which nobody could give here");
}

TEST(Ed25519KeyTest, SaysWhatIsWrongWithPublicKeys) {
  const test::KeyTexts key = test::NewKey();
  EXPECT_EQ(WhyNotPublic(key.public_key), "taken");
  EXPECT_EQ(WhyNotPublic(""), "it does not hold a PUBLIC KEY in PEM");
  EXPECT_EQ(WhyNotPublic("a fisherman's tale"), "it does not hold a PUBLIC KEY in PEM");
  EXPECT_EQ(WhyNotPublic("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
            "it holds something else than a PUBLIC KEY in PEM");
  EXPECT_EQ(WhyNotPublic("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"),
            "a public key in it is damaged");
  EXPECT_EQ(WhyNotPublic(key.private_key),
            "it holds a private key, which only the signer may have");
  EXPECT_EQ(WhyNotPublic(key.public_key + key.private_key),
            "it holds a private key, which only the signer may have");
  EXPECT_EQ(WhyNotPublic(test::NewOtherKey().public_key), "its key is not an Ed25519 key");
  EXPECT_EQ(WhyNotPublic(key.public_key + Damaged(test::NewKey().public_key)),
            "its PEM text is damaged");
}

TEST(Ed25519KeyTest, AFileMayHoldSeveralPublicKeys) {
  const test::KeyTexts first = test::NewKey();
  const test::KeyTexts second = test::NewKey();
  const auto keys = ParsePublicKeys(first.public_key + "a comment\n" + second.public_key);
  ASSERT_TRUE(keys.ok()) << keys.status().message();
  ASSERT_EQ(keys->size(), 2u);
  EXPECT_EQ((*keys)[0].id(), PrivateOf(first).id());
  EXPECT_EQ((*keys)[1].id(), PrivateOf(second).id());
}

}  // namespace
}  // namespace aliquot::signing
