// SPDX-License-Identifier: Apache-2.0
#include "signing/verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/support/test_certificates.h"
#include "tests/support/test_keys.h"

namespace aliquot::signing {
namespace {

using testing::HasSubstr;

constexpr std::string_view kRecord = R"({"v":1,"uid":"u1","node":"n1","containers":{}})";

class VerifierTest : public testing::Test {
 protected:
  VerifierTest() {
    std::filesystem::create_directory(keys_);
    Put("first.pem", first_.public_key);
  }

  void Put(const std::string& name, const std::string& text) {
    directory_.Write("keys/" + name, text);
  }
  void Remove(const std::string& name) { std::filesystem::remove(keys_ + "/" + name); }

  // What the owner of this key writes beside a record.
  std::string SignedBy(const test::KeyTexts& key, std::string_view bytes = kRecord) {
    Signer signer(directory_.Write("private.pem", key.private_key));
    EXPECT_TRUE(signer.Refresh().ok());
    return *signer.Sign(bytes);
  }

  static std::string Refusal(const Verifier& verifier, std::string_view bytes,
                             const std::string& signature) {
    const Status status = verifier.Verify(bytes, signature);
    return status.ok() ? "valid" : status.message();
  }
  std::string WhyNot(std::vector<std::string> paths) {
    Verifier verifier(std::move(paths));
    const auto change = verifier.Refresh();
    return change.ok() ? "taken" : change.status().message();
  }

  test::TemporaryDirectory directory_;
  const std::string keys_ = directory_.PathOf("keys");
  const test::KeyTexts first_ = test::NewKey();
  const test::KeyTexts second_ = test::NewKey();
};

TEST_F(VerifierTest, TakesWhatTheKeyOfTheSetSigned) {
  Verifier verifier({keys_});
  ASSERT_EQ(*verifier.Refresh(), KeyChange::kTaken);
  EXPECT_TRUE(verifier.Verify(kRecord, SignedBy(first_)).ok());
}

TEST_F(VerifierTest, EachByteOfTheRecordCounts) {
  Verifier verifier({keys_});
  ASSERT_TRUE(verifier.Refresh().ok());
  const std::string signature = SignedBy(first_);
  for (std::size_t i = 0; i < kRecord.size(); ++i) {
    std::string changed(kRecord);
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_THAT(Refusal(verifier, changed, signature), HasSubstr("is not of this")) << i;
  }
  EXPECT_THAT(Refusal(verifier, std::string(kRecord) + " ", signature),
              HasSubstr("is not of this"));
  EXPECT_THAT(Refusal(verifier, "", signature), HasSubstr("is not of this"));
}

TEST_F(VerifierTest, WithoutAnyKeyItSaysThatOneIsOnItsWay) {
  Remove("first.pem");
  Verifier verifier({keys_});
  EXPECT_EQ(verifier.Refresh().status().code(), StatusCode::kNotFound);
  EXPECT_THAT(Refusal(verifier, kRecord, SignedBy(first_)), HasSubstr("starts by itself"));
  Put("first.pem", first_.public_key);
  ASSERT_EQ(*verifier.Refresh(), KeyChange::kTaken);
  EXPECT_TRUE(verifier.Verify(kRecord, SignedBy(first_)).ok());
}

TEST_F(VerifierTest, AKeyOutsideTheSetIsUnknown) {
  Verifier verifier({keys_});
  ASSERT_TRUE(verifier.Refresh().ok());
  const std::string signature = SignedBy(second_);
  EXPECT_EQ(Refusal(verifier, kRecord, signature),
            "annotation aliquot.io/allocation-signature is by key " + signature.substr(0, 16) +
                ", which this node does not know; give the node the public half of the "
                "allocator's key");
}

TEST_F(VerifierTest, AKnownKeysIdBeforeAnothersSignatureIsWrong) {
  Verifier verifier({keys_});
  ASSERT_TRUE(verifier.Refresh().ok());
  const std::string stolen = verifier.key_ids().front() + SignedBy(second_).substr(16);
  EXPECT_THAT(Refusal(verifier, kRecord, stolen), HasSubstr("is not of this"));
}

TEST_F(VerifierTest, AMissingALongAndAMalformedSignatureAreToldApart) {
  Verifier verifier({keys_});
  ASSERT_TRUE(verifier.Refresh().ok());
  EXPECT_THAT(Refusal(verifier, kRecord, ""), HasSubstr("is missing"));
  EXPECT_THAT(Refusal(verifier, kRecord, std::string(256, 'A')), HasSubstr("is malformed"));
  EXPECT_THAT(Refusal(verifier, kRecord, std::string(257, 'A')),
              HasSubstr("is longer than 256 bytes"));
  EXPECT_THAT(Refusal(verifier, kRecord, SignedBy(first_) + "\n"), HasSubstr("is malformed"));
  // What a tenant wrote is not repeated into events and logs.
  EXPECT_EQ(Refusal(verifier, kRecord, "look here").find("look here"), std::string::npos);
}

TEST_F(VerifierTest, BeforeTheFirstLookNothingIsValid) {
  Verifier verifier({keys_});
  EXPECT_TRUE(verifier.key_ids().empty());
  EXPECT_THAT(Refusal(verifier, kRecord, SignedBy(first_)), HasSubstr("no public key yet"));
}

TEST_F(VerifierTest, RotationNeverRefusesAnHonestRecord) {
  Verifier verifier({keys_});
  ASSERT_TRUE(verifier.Refresh().ok());
  const std::string by_first = SignedBy(first_);
  const std::string by_second = SignedBy(second_);
  Put("second.pem", second_.public_key);  // 1. nodes learn the new key
  ASSERT_EQ(*verifier.Refresh(), KeyChange::kTaken);
  EXPECT_TRUE(verifier.Verify(kRecord, by_first).ok());
  EXPECT_TRUE(verifier.Verify(kRecord, by_second).ok());  // 2. the allocator changes over
  Remove("first.pem");                                    // 3. nodes forget the old key
  ASSERT_EQ(*verifier.Refresh(), KeyChange::kTaken);
  EXPECT_TRUE(verifier.Verify(kRecord, by_second).ok());
  EXPECT_THAT(Refusal(verifier, kRecord, by_first), HasSubstr("does not know"));
}

TEST_F(VerifierTest, AUselessSetIsReportedOnceAndTheOldKeysStay) {
  Verifier verifier({keys_});
  ASSERT_TRUE(verifier.Refresh().ok());
  EXPECT_EQ(*verifier.Refresh(), KeyChange::kNone);
  Put("second.pem", "half a file");
  const auto refused = verifier.Refresh();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(
      refused.status().message(),
      "public keys of '" + keys_ +
          "/second.pem' cannot be used: it does not hold a PUBLIC KEY in PEM; give Ed25519 keys in "
          "SubjectPublicKeyInfo PEM (openssl pkey -pubout)");
  EXPECT_EQ(*verifier.Refresh(), KeyChange::kNone);
  EXPECT_TRUE(verifier.Verify(kRecord, SignedBy(first_)).ok());
}

TEST_F(VerifierTest, AMountedSecretsBookkeepingIsNotReadTwice) {
  // Kubernetes mounts "first.pem" as a link into "..data", itself a link to a dated directory.
  const std::string mount = directory_.PathOf("mount");
  std::filesystem::create_directories(mount + "/..2026_11_29");
  directory_.Write("mount/..2026_11_29/first.pem", first_.public_key);
  directory_.Write("mount/.hidden.pem", "not a key");
  directory_.Write("mount/README", "not a key");
  std::filesystem::create_directory_symlink("..2026_11_29", mount + "/..data");
  std::filesystem::create_symlink("..data/first.pem", mount + "/first.pem");
  Verifier verifier({mount});
  ASSERT_TRUE(verifier.Refresh().ok());
  EXPECT_EQ(verifier.key_ids().size(), 1u);
  EXPECT_TRUE(verifier.Verify(kRecord, SignedBy(first_)).ok());
}

TEST_F(VerifierTest, FilesAndDirectoriesMayBeNamedTogetherAndAKeyTwice) {
  const std::string file = directory_.Write("second.pem", second_.public_key + first_.public_key);
  Verifier verifier({keys_, file});
  ASSERT_TRUE(verifier.Refresh().ok());
  EXPECT_EQ(verifier.key_ids().size(), 2u);
  const std::vector<std::string> ids = verifier.key_ids();
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
}

TEST_F(VerifierTest, SaysWhyASetCannotBeUsed) {
  EXPECT_THAT(WhyNot({directory_.PathOf("missing")}), HasSubstr("No such file or directory"));
  Put("private.pem", second_.private_key);
  EXPECT_THAT(WhyNot({keys_}), HasSubstr("private.pem' cannot be used: it holds a private key"));
  Remove("private.pem");
  Remove("first.pem");
  EXPECT_THAT(WhyNot({keys_}), HasSubstr("no file in it has a name that ends in .pem"));
}

TEST_F(VerifierTest, WithoutAKeyNothingIsBelievedUntilOneComes) {
  const std::string record = SignedBy(first_);
  Remove("first.pem");
  Verifier verifier({keys_});
  EXPECT_EQ(verifier.Refresh().status().code(), StatusCode::kNotFound);
  EXPECT_FALSE(verifier.Verify(kRecord, record).ok());
  Put("first.pem", first_.public_key);
  ASSERT_TRUE(verifier.Refresh().ok());
  EXPECT_TRUE(verifier.Verify(kRecord, record).ok());
}

TEST_F(VerifierTest, TheNumberOfKeysIsBounded) {
  // The directory's first.pem and 64 more.
  std::string many;
  for (std::size_t i = 0; i < Verifier::kMaxKeys; ++i) {
    many += test::NewKey().public_key;
  }
  EXPECT_THAT(WhyNot({keys_, directory_.Write("many.pem", many)}),
              HasSubstr("there are more than 64 keys"));
  EXPECT_EQ(WhyNot({directory_.Write("many.pem", many)}), "taken");
}

}  // namespace
}  // namespace aliquot::signing
