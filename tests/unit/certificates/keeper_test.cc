// SPDX-License-Identifier: Apache-2.0
#include "certificates/keeper.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "tests/unit/certificates/keeper_fixture.h"

namespace aliquot::certificates {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST_F(KeeperTest, OneLookMakesEverything) {
  ExpectLook();
  ExpectWhole();
  EXPECT_EQ(Stored("aliquot-scheduler-client", "ca.crt"), Stored("aliquot-ca", "ca.crt"));
}

TEST_F(KeeperTest, AnotherLookWritesNothing) {
  ExpectLook();
  stored_.writes.clear();
  clock_.Advance(seconds(5));
  ExpectLook();
  EXPECT_THAT(stored_.writes, IsEmpty());
}

TEST_F(KeeperTest, WhatStartsAgainKeepsTheAuthorityAndMakesItsServerKeyAnew) {
  ExpectLook();
  const std::string authority = Stored("aliquot-ca", "ca.crt");
  const std::string server_key = File("server.key");
  stored_.writes.clear();
  StartAnew();
  ExpectLook();
  EXPECT_THAT(stored_.writes, IsEmpty());
  EXPECT_EQ(Stored("aliquot-ca", "ca.crt"), authority);
  EXPECT_NE(File("server.key"), server_key);
  ExpectWhole();
}

TEST_F(KeeperTest, OnlyItsOwnerReadsTheFiles) {
  ExpectLook();
  for (const char* name : {"server.key", "signing.key", "extender.crt", "client-ca.crt"}) {
    struct stat status = {};
    ASSERT_EQ(stat(directory_.PathOf(name).c_str(), &status), 0) << name;
    EXPECT_EQ(status.st_mode & 0777, 0600u) << name;
  }
}

TEST_F(KeeperTest, ServerCertificatesAreMadeAnewAfterTwoThirdsOfTheirLife) {
  ExpectLook();
  const std::string first = File("extender.crt");
  // 90 hours: at 60.
  clock_.Advance(hours(60) - seconds(1));
  ExpectLook();
  EXPECT_EQ(File("extender.crt"), first);
  clock_.Advance(seconds(1));
  ExpectLook();
  EXPECT_NE(File("extender.crt"), first);
  ExpectWhole();
}

TEST_F(KeeperTest, NobodyLosesTrustWhileTheAuthorityIsReplaced) {
  ExpectLook();
  const std::string before = Stored("aliquot-ca", "ca.crt");
  const std::string old_client = Stored("aliquot-scheduler-client", "tls.crt");
  clock_.Advance(hours(900));
  ExpectLook();
  const SystemTime now = clock_.SystemNow();
  EXPECT_NE(Stored("aliquot-ca", "ca.crt"), before);
  EXPECT_EQ(WhyNotTrusted(File("extender.crt"), before, Purpose::kServer, now), "")
      << "a kube-scheduler reads its CA at start only";
  EXPECT_EQ(
      WhyNotTrusted(File("extender.crt"), Stored("aliquot-ca", "ca.crt"), Purpose::kServer, now),
      "");
  EXPECT_EQ(WhyNotTrusted(old_client, File("client-ca.crt"), Purpose::kClient, now), "");
  EXPECT_EQ(stored_.Bundle(0), Stored("aliquot-ca", "ca.crt") + before);
}

// The listeners look at their files once a second.
TEST_F(KeeperTest, ANewClientCertificateIsHandedOutOnceListenersAcceptIt) {
  ExpectLook();
  const std::string old_client = Stored("aliquot-scheduler-client", "tls.crt");
  clock_.Advance(hours(900));
  ExpectLook();
  EXPECT_EQ(Stored("aliquot-scheduler-client", "tls.crt"), old_client);
  clock_.Advance(seconds(5));
  ExpectLook();
  EXPECT_NE(Stored("aliquot-scheduler-client", "tls.crt"), old_client);
  ExpectWhole();
}

TEST_F(KeeperTest, ThePreviousAuthorityIsForgottenAtItsEnd) {
  ExpectLook();
  clock_.Advance(hours(900));
  ExpectLook();
  ExpectLook();
  clock_.Advance(hours(100));
  ExpectLook();
  ExpectLook();
  EXPECT_EQ(Stored("aliquot-ca", "previous.crt"), "");
  EXPECT_EQ(Stored("aliquot-ca", "cross.crt"), "");
  EXPECT_EQ(stored_.Bundle(0), Stored("aliquot-ca", "ca.crt"));
  EXPECT_EQ(Stored("aliquot-scheduler-client", "ca.crt"), Stored("aliquot-ca", "ca.crt"));
  ExpectWhole();
}

TEST_F(KeeperTest, AnAnnotationAsksForANewAuthority) {
  ExpectLook();
  const std::string before = Stored("aliquot-ca", "ca.crt");
  stored_.Annotate("aliquot-ca", "2030-01-01");
  ExpectLook();
  const std::string after = Stored("aliquot-ca", "ca.crt");
  EXPECT_NE(after, before);
  ExpectLook();
  EXPECT_EQ(Stored("aliquot-ca", "ca.crt"), after) << "once";
  EXPECT_EQ(Stored("aliquot-ca", "previous.crt"), before);
}

TEST_F(KeeperTest, ABundleThatSomebodyChangedIsPutBackAndNothingElse) {
  ExpectLook();
  StoredObjects::Json& webhooks = stored_.object("webhooks/aliquot")["webhooks"];
  const StoredObjects::Json right = webhooks;
  webhooks[1]["clientConfig"]["caBundle"] = "cnViYmlzaA==";
  webhooks[0]["timeoutSeconds"] = 3;
  ExpectLook();
  StoredObjects::Json expected = right;
  expected[0]["timeoutSeconds"] = 3;
  EXPECT_EQ(stored_.object("webhooks/aliquot")["webhooks"], expected);
}

TEST_F(KeeperTest, WebhooksThatChangeBetweenReadAndWriteAreLeftForTheNextLook) {
  stored_.before_write = [this](const std::string&) {
    stored_.before_write = [this](const std::string& name) {
      ASSERT_EQ(name, "webhooks/aliquot");
      stored_.object(name)["webhooks"].erase(0);
    };
  };
  EXPECT_FALSE(keeper_->Look().ok());
  EXPECT_EQ(stored_.Bundle(0), "") << "of another webhook now";
  ExpectLook();
  EXPECT_EQ(stored_.Bundle(0), Stored("aliquot-ca", "ca.crt"));
}

TEST_F(KeeperTest, AnAuthorityThatCannotBeReadStopsWithOneSentence) {
  ExpectLook();
  stored_.SetValue("aliquot-ca", "ca.key", "rubbish");
  stored_.writes.clear();
  const std::string why = keeper_->Look().message();
  EXPECT_THAT(why, HasSubstr("Secret aliquot-ca cannot be used; put back what it held, or remove "
                             "its keys to have an authority made anew"));
  EXPECT_THAT(why, HasSubstr("ca.key holds no private key in PEM"));
  EXPECT_THAT(why, Not(HasSubstr("rubbish")));
  EXPECT_THAT(stored_.writes, IsEmpty());
}

TEST_F(KeeperTest, ASchedulerCertificateThatCannotBeUsedIsMadeAnew) {
  ExpectLook();
  stored_.SetValue("aliquot-scheduler-client", "tls.key", "rubbish");
  stored_.writes.clear();
  ExpectLook();
  EXPECT_THAT(stored_.writes, ElementsAre("aliquot-scheduler-client"));
  ExpectWhole();
}

TEST_F(KeeperTest, AnObjectThatIsMissingIsNamedAndTheRestGoesOn) {
  stored_.Remove("aliquot-scheduler-client");
  EXPECT_EQ(keeper_->Look().message(),
            "Secret aliquot-scheduler-client does not exist in the cluster; the chart makes it");
  EXPECT_NE(File("extender.crt"), "");
  EXPECT_NE(File("signing.key"), "");
}

TEST_F(KeeperTest, WithoutTheApiServerItSaysSoAndGoesOnLater) {
  stored_.silent = true;
  EXPECT_EQ(keeper_->Look().message(), "Secret aliquot-ca: the connection was refused");
  stored_.silent = false;
  ExpectLook();
  ExpectWhole();
}

TEST_F(KeeperTest, TwoThatStartAtOnceEndWithOneAuthorityAndOneKey) {
  test::TemporaryDirectory other_directory;
  KeeperOptions other_options = options_;
  other_options.directory = other_directory.path();
  Keeper other(other_options, objects_, clock_, log_);
  stored_.before_write = [&other](const std::string& name) {
    ASSERT_EQ(name, "aliquot-ca");
    const Status looked = other.Look();
    EXPECT_TRUE(looked.ok()) << looked.message();
  };
  ExpectLook();
  ExpectWhole();
  stored_.writes.clear();
  EXPECT_TRUE(other.Look().ok());
  ExpectLook();
  EXPECT_THAT(stored_.writes, IsEmpty()) << "they agree";
}

TEST_F(KeeperTest, ANewSigningKeyIsPublishedFirstAndUsedLater) {
  ExpectLook();
  const std::string old_key = File("signing.key");
  stored_.Annotate("aliquot-signing", "please");
  ExpectLook();
  EXPECT_EQ(File("signing.key"), old_key);
  EXPECT_EQ(stored_.object("aliquot-signing-keys")["data"].size(), 2u);
  clock_.Advance(minutes(5) + seconds(1));
  ExpectLook();
  EXPECT_NE(File("signing.key"), old_key);
  EXPECT_EQ(stored_.object("aliquot-signing-keys")["data"].size(), 2u)
      << "records that the old one signed are still on pods";
  ExpectWhole();
}

TEST_F(KeeperTest, APublicKeyThatSomebodyRemovedIsPublishedAgain) {
  ExpectLook();
  stored_.object("aliquot-signing-keys").erase("data");
  ExpectLook();
  ExpectWhole();
}

TEST_F(KeeperTest, DataThatSomebodyRemovedIsMadeAnewAndCalledThat) {
  ExpectLook();
  const std::string authority = Stored("aliquot-ca", "ca.crt");
  const std::string signing_key = File("signing.key");
  EXPECT_THAT(log_.text, Not(HasSubstr("taken out of its Secret")));
  stored_.object("aliquot-ca").erase("data");
  stored_.object("aliquot-signing").erase("data");
  ExpectLook();
  ExpectLook();
  EXPECT_NE(Stored("aliquot-ca", "ca.crt"), authority);
  EXPECT_NE(File("signing.key"), signing_key);
  EXPECT_NE(WhyNotTrusted(File("extender.crt"), authority, Purpose::kServer, clock_.SystemNow()),
            "")
      << "nobody who has the lost one's key is believed, nor vouched for";
  EXPECT_THAT(log_.text, HasSubstr("the certificate authority was taken out of its Secret"));
  EXPECT_THAT(log_.text, HasSubstr("the key that signs records was taken out of its Secret"));
  ExpectWhole();
}

TEST_F(KeeperTest, WhatIsMadeAnewIsCountedOnceAndWhatIsFoundIsNot) {
  using testing::UnorderedElementsAre;
  const auto one = [](Made made) { return std::pair<const Made, int>(made, 1); };
  ExpectLook();
  EXPECT_THAT(made_, UnorderedElementsAre(one(Made::kAuthority), one(Made::kServer),
                                          one(Made::kScheduler), one(Made::kSigningKey)));
  made_.clear();
  ExpectLook();
  EXPECT_THAT(made_, IsEmpty());
  StartAnew();
  ExpectLook();
  EXPECT_THAT(made_, UnorderedElementsAre(one(Made::kServer))) << "its key is the process's own";
  made_.clear();
  stored_.Annotate("aliquot-signing", "please");
  ExpectLook();
  clock_.Advance(minutes(5) + seconds(1));
  ExpectLook();
  EXPECT_THAT(made_, UnorderedElementsAre(one(Made::kSigningKey))) << "made, not taken in use";
  made_.clear();
  stored_.Annotate("aliquot-ca", "please");
  ExpectLook();
  ExpectLook();
  EXPECT_THAT(made_, UnorderedElementsAre(one(Made::kAuthority), one(Made::kServer),
                                          one(Made::kScheduler)));
  EXPECT_THAT(failed_, IsEmpty());
}

TEST_F(KeeperTest, WhatIsDueAndFailsIsCountedAsThat) {
  stored_.silent = true;
  EXPECT_FALSE(keeper_->Look().ok());
  EXPECT_THAT(failed_, IsEmpty()) << "whether something is due is not known";
  stored_.silent = false;
  ExpectLook();
  stored_.SetValue("aliquot-ca", "ca.key", "rubbish");
  stored_.SetValue("aliquot-signing", "signing.key", "rubbish");
  EXPECT_FALSE(keeper_->Look().ok());
  EXPECT_EQ(failed_[Made::kAuthority], 1);
  EXPECT_EQ(failed_[Made::kSigningKey], 1);
}

TEST_F(KeeperTest, NoKeyIsEverLogged) {
  ExpectLook();
  stored_.SetValue("aliquot-signing", "signing.key", File("server.key"));
  EXPECT_THAT(keeper_->Look().message(), Not(HasSubstr("PRIVATE")));
  EXPECT_THAT(log_.text, HasSubstr("a certificate authority was made"));
  EXPECT_THAT(log_.text, Not(HasSubstr("PRIVATE")));
}

TEST_F(KeeperTest, TellsWhenEachEnds) {
  ExpectLook();
  const SystemTime now = clock_.SystemNow();
  EXPECT_EQ(keeper_->expiries().authority, now + hours(1000));
  EXPECT_EQ(keeper_->expiries().scheduler, now + hours(1000));
  EXPECT_EQ(keeper_->expiries().server, now + hours(90));
}

}  // namespace
}  // namespace aliquot::certificates
