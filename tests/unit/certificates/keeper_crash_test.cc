// SPDX-License-Identifier: Apache-2.0
// The program killed after each of its writes: the next start goes on from there.
#include "tests/unit/certificates/keeper_fixture.h"

namespace aliquot::certificates {
namespace {

class KeeperCrashTest : public KeeperTest {
 protected:
  // Looks until that write, which is done and never answered. False when there are not so many.
  bool KilledAtWrite(int write) {
    stored_.writes.clear();
    stored_.kill_at_write = write;
    bool killed = false;
    try {
      // The second hands the scheduler what the first made ready.
      for (int i = 0; i < 2; ++i) ExpectLook();
    } catch (const Killed&) {
      killed = true;
    }
    stored_.kill_at_write = -1;
    return killed;
  }
};

TEST_F(KeeperCrashTest, AFirstStartGoesOnAfterEachWrite) {
  int cuts = 0;
  for (bool killed = true; killed; ++cuts) {
    SCOPED_TRACE(cuts);
    stored_ = StoredObjects();
    StartAnew();
    killed = KilledAtWrite(cuts);
    const std::string authority = Stored("aliquot-ca", "ca.crt");
    StartAnew();
    ExpectLook();
    EXPECT_EQ(Stored("aliquot-ca", "ca.crt"), authority) << "what is published stays";
    ExpectWhole();
  }
  // Authority, webhooks, scheduler's certificate, signing key, public keys; and once without a cut.
  EXPECT_EQ(cuts, 6);
}

TEST_F(KeeperCrashTest, AReplacementOfTheAuthorityGoesOnAfterEachWrite) {
  int cuts = 0;
  for (bool killed = true; killed; ++cuts) {
    SCOPED_TRACE(cuts);
    stored_ = StoredObjects();
    StartAnew();
    ExpectLook();
    const std::string before = Stored("aliquot-ca", "ca.crt");
    stored_.Annotate("aliquot-ca", "please");
    killed = KilledAtWrite(cuts);
    const std::string after = Stored("aliquot-ca", "ca.crt");
    EXPECT_NE(after, before);
    StartAnew();
    ExpectLook();
    EXPECT_EQ(Stored("aliquot-ca", "ca.crt"), after) << "one replacement, not two";
    EXPECT_EQ(Stored("aliquot-ca", "previous.crt"), before);
    EXPECT_EQ(WhyNotTrusted(File("extender.crt"), before, Purpose::kServer, clock_.SystemNow()),
              "");
    ExpectWhole();
  }
  // Authority, webhooks, scheduler's certificate; and once without a cut.
  EXPECT_EQ(cuts, 4);
}

TEST_F(KeeperCrashTest, AReplacementOfTheSigningKeyGoesOnAfterEachWrite) {
  int cuts = 0;
  for (bool killed = true; killed; ++cuts) {
    SCOPED_TRACE(cuts);
    stored_ = StoredObjects();
    StartAnew();
    ExpectLook();
    const std::string before = Stored("aliquot-signing", "signing.key");
    stored_.Annotate("aliquot-signing", "please");
    killed = KilledAtWrite(cuts);
    const std::string next = Stored("aliquot-signing", "next.key");
    EXPECT_NE(next, "");
    // The pod comes back an hour later: agents that have not seen the key still refuse nothing.
    clock_.Advance(std::chrono::hours(1));
    const bool was_published = stored_.object("aliquot-signing-keys")["data"].size() == 2;
    StartAnew();
    ExpectLook();
    EXPECT_EQ(File("signing.key"), was_published ? next : before);
    ExpectWhole();
    clock_.Advance(std::chrono::minutes(6));
    ExpectLook();
    EXPECT_EQ(File("signing.key"), next);
    ExpectWhole();
  }
  // Key, public keys; and once without a cut.
  EXPECT_EQ(cuts, 3);
}

}  // namespace
}  // namespace aliquot::certificates
