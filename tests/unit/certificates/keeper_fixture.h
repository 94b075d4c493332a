// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "certificates/keeper.h"
#include "http/tls_material.h"
#include "signing/ed25519_key.h"
#include "tests/support/test_certificates.h"
#include "tests/unit/certificates/stored_objects.h"
#include "tests/unit/certificates/trust.h"

namespace aliquot::certificates {

// Everything that is logged, as text.
class TextLog final : public observability::Log {
 public:
  void Write(observability::Level, std::string_view, std::string_view message,
             std::initializer_list<observability::Field> fields) override {
    std::ostringstream line;
    line << message;
    for (const observability::Field& field : fields) {
      line << ' ' << field.key << '=';
      std::visit([&line](const auto& value) { line << value; }, field.value);
    }
    text += line.str() + "\n";
  }

  std::string text;
};

// A keeper of everything, on objects and files of its own, with lives of some hours: authority
// 1000, replaced 100 before its end, leaf 90.
class KeeperTest : public testing::Test {
 protected:
  KeeperTest() {
    options_.namespace_name = "ns";
    options_.directory = directory_.path();
    options_.certificates = true;
    options_.signing = true;
    options_.certificate_options.authority = {std::chrono::hours(1000), std::chrono::hours(100),
                                              std::chrono::hours(24)};
    options_.certificate_options.leaf_lifetime = std::chrono::hours(90);
    StartAnew();
  }

  // As after the end of the process.
  void StartAnew() {
    keeper_ =
        std::make_unique<Keeper>(options_, objects_, clock_, log_,
                                 [this](Made made, bool ok) { ++(ok ? made_ : failed_)[made]; });
  }
  void ExpectLook() {
    const Status looked = keeper_->Look();
    EXPECT_TRUE(looked.ok()) << looked.message();
  }

  std::string File(const std::string& name) const {
    std::ifstream file(directory_.PathOf(name), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  std::string Stored(const std::string& object, const std::string& key) const {
    return stored_.Value(object, key);
  }

  // Everything that is published fits together, and the server can take the files.
  void ExpectWhole() const {
    const SystemTime now = clock_.SystemNow();
    const std::string bundle =
        Stored("aliquot-ca", "ca.crt") + Stored("aliquot-ca", "previous.crt");
    EXPECT_TRUE(
        CheckAuthority({Stored("aliquot-ca", "ca.crt"), Stored("aliquot-ca", "ca.key")}).ok());
    EXPECT_EQ(stored_.Bundle(0), bundle);
    EXPECT_EQ(stored_.Bundle(1), bundle);
    EXPECT_EQ(File("client-ca.crt"), bundle);
    EXPECT_EQ(
        WhyNotTrusted(Stored("aliquot-scheduler-client", "tls.crt"), bundle, Purpose::kClient, now),
        "");
    for (const auto& [file, host] : {std::pair("extender.crt", "aliquot-extender.ns.svc"),
                                     std::pair("admission.crt", "aliquot-admission.ns.svc")}) {
      EXPECT_EQ(WhyNotTrusted(File(file), bundle, Purpose::kServer, now, host), "") << file;
      http::TlsOptions tls;
      tls.certificate_file = directory_.PathOf(file);
      tls.key_file = directory_.PathOf("server.key");
      tls.client_ca_file = directory_.PathOf("client-ca.crt");
      http::TlsMaterialSource source(tls);
      const auto taken = source.Refresh();
      EXPECT_TRUE(taken.ok()) << taken.status().message();
    }
    const auto key = signing::ParsePrivateKey(File("signing.key"));
    ASSERT_TRUE(key.ok()) << key.status().message();
    EXPECT_NE(Stored("aliquot-signing-keys", key->id() + ".pem"), "")
        << "agents know what is signed with";
  }

  test::TemporaryDirectory directory_;
  StoredObjects stored_;
  FakeClock clock_;
  TextLog log_;
  ClusterObjects objects_{"ns", stored_, clock_};
  KeeperOptions options_;
  std::unique_ptr<Keeper> keeper_;
  std::map<Made, int> made_;  // what was counted
  std::map<Made, int> failed_;
};

}  // namespace aliquot::certificates
