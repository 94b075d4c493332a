// SPDX-License-Identifier: Apache-2.0
#include "signing/signer.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>
#include <vector>

#include "signing/verifier.h"
#include "tests/support/test_certificates.h"
#include "tests/support/test_keys.h"

namespace aliquot::signing {
namespace {

class SignerTest : public testing::Test {
 protected:
  SignerTest() { directory_.Write("key.pem", first_.private_key); }

  std::string WhyNot(const std::string& path) {
    Signer signer(path);
    const auto change = signer.Refresh();
    return change.ok() ? "taken" : change.status().message();
  }

  test::TemporaryDirectory directory_;
  const test::KeyTexts first_ = test::NewKey();
  const test::KeyTexts second_ = test::NewKey();
  const std::string path_ = directory_.PathOf("key.pem");
};

TEST_F(SignerTest, SignsNothingBeforeItHasAKey) {
  Signer signer(path_);
  EXPECT_EQ(signer.key_id(), "");
  EXPECT_FALSE(signer.Sign("record").ok());
}

TEST_F(SignerTest, ASignatureNamesItsKeyAndIsTheSameEachTime) {
  Signer signer(path_);
  ASSERT_EQ(*signer.Refresh(), KeyChange::kTaken);
  const auto signature = signer.Sign("record");
  ASSERT_TRUE(signature.ok());
  EXPECT_EQ(signature->size(), 105u);  // 16 hex digits, a colon, 88 of base64
  EXPECT_EQ(signature->substr(0, 17), signer.key_id() + ":");
  EXPECT_EQ(*signer.Sign("record"), *signature);
  EXPECT_NE(*signer.Sign("other"), *signature);
}

TEST_F(SignerTest, AReplacedKeyIsTakenAtTheNextLook) {
  Signer signer(path_);
  ASSERT_TRUE(signer.Refresh().ok());
  const std::string id = signer.key_id();
  EXPECT_EQ(*signer.Refresh(), KeyChange::kNone);
  directory_.Write("key.pem", second_.private_key);
  EXPECT_EQ(signer.key_id(), id);
  EXPECT_EQ(*signer.Refresh(), KeyChange::kTaken);
  EXPECT_NE(signer.key_id(), id);
}

TEST_F(SignerTest, AUselessFileIsReportedOnceAndTheOldKeyStays) {
  Signer signer(path_);
  ASSERT_TRUE(signer.Refresh().ok());
  const std::string id = signer.key_id();
  directory_.Write("key.pem", "half a file");
  EXPECT_FALSE(signer.Refresh().ok());
  EXPECT_EQ(*signer.Refresh(), KeyChange::kNone);
  EXPECT_EQ(signer.key_id(), id);
  EXPECT_TRUE(signer.Sign("record").ok());
  directory_.Write("key.pem", first_.private_key);
  EXPECT_EQ(*signer.Refresh(), KeyChange::kTaken);
}

TEST_F(SignerTest, AnErrorNamesTheFileTheReasonAndTheRemedy) {
  const std::string missing = directory_.PathOf("missing.pem");
  EXPECT_EQ(WhyNot(missing),
            "private key file '" + missing +
                "' cannot be used: No such file or directory; give one Ed25519 key in PKCS#8 PEM "
                "(openssl genpkey -algorithm ed25519)");
}

TEST_F(SignerTest, OnlyASmallRegularFileIsRead) {
  EXPECT_NE(WhyNot(directory_.path()).find("it is not a regular file"), std::string::npos);
  const std::string fifo = directory_.PathOf("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_NE(WhyNot(fifo).find("it is not a regular file"), std::string::npos);
  const std::string large =
      directory_.Write("large.pem", first_.private_key + std::string(64 << 10, '\n'));
  EXPECT_NE(WhyNot(large).find("it is longer than 65536 bytes"), std::string::npos);
}

TEST_F(SignerTest, NoErrorQuotesTheFile) {
  std::string damaged = first_.private_key;
  damaged[damaged.find('\n') + 5] = '*';
  const std::string base64 = damaged.substr(damaged.find('\n') + 1, 4);
  EXPECT_EQ(WhyNot(directory_.Write("damaged.pem", damaged)).find(base64), std::string::npos);
}

TEST_F(SignerTest, ThreadsSignWhileTheKeyIsReplaced) {
  Signer signer(path_);
  ASSERT_TRUE(signer.Refresh().ok());
  Verifier verifier({directory_.Write("first.pem", first_.public_key),
                     directory_.Write("second.pem", second_.public_key)});
  ASSERT_TRUE(verifier.Refresh().ok());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&signer, &verifier] {
      for (int i = 0; i < 200; ++i) {
        const auto signature = signer.Sign("record");
        EXPECT_TRUE(signature.ok() && verifier.Verify("record", *signature).ok());
      }
    });
  }
  for (int i = 0; i < 50; ++i) {
    directory_.Write("key.pem", i % 2 == 0 ? second_.private_key : first_.private_key);
    EXPECT_TRUE(signer.Refresh().ok());
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace
}  // namespace aliquot::signing
