// SPDX-License-Identifier: Apache-2.0
#include "agent/grant_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aliquot::agent {
namespace {

using ::testing::HasSubstr;

GrantMode ModeOf(const std::string& mode, const std::string& delivery) {
  Configuration configuration;
  configuration.grant.mode = mode;
  configuration.driver_delivery = delivery;
  return GrantModeOf(configuration);
}

TEST(GrantSettings, AutoIsDevdirUnlessTheDriverComesByCdi) {
  EXPECT_EQ(ModeOf("auto", "mirror"), GrantMode::kDevdir);
  EXPECT_EQ(ModeOf("auto", "none"), GrantMode::kDevdir);
  EXPECT_EQ(ModeOf("auto", "cdi"), GrantMode::kCdi);
}

TEST(GrantSettings, AModeThatIsNamedIsTaken) {
  EXPECT_EQ(ModeOf("devdir", "none"), GrantMode::kDevdir);
  EXPECT_EQ(ModeOf("cdi", "mirror"), GrantMode::kCdi);
}

TEST(GrantSettings, TheEditsFollowTheConfiguration) {
  Configuration configuration;
  configuration.grant.state_directory = "/s";
  configuration.driver_delivery = "none";
  EditOptions edits = EditOptionsOf(configuration);
  EXPECT_EQ(edits.state_directory, "/s");
  EXPECT_EQ(edits.driver, DriverDelivery::Way::kNone);
  EXPECT_FALSE(edits.library);
  configuration.library_path = "/l.so";
  configuration.driver_delivery = "mirror";
  edits = EditOptionsOf(configuration);
  EXPECT_TRUE(edits.library);
  EXPECT_EQ(edits.driver, DriverDelivery::Way::kMirror);
  configuration.driver_delivery = "cdi";
  EXPECT_EQ(EditOptionsOf(configuration).driver, DriverDelivery::Way::kCdi);
}

TEST(GrantSettings, ARuntimeKnownToTakeCdiIsNoProblem) {
  for (const char* runtime : {"containerd://2.0.0", "containerd://2.1.9", "containerd://10.0.0",
                              "containerd://2.0.0-rc.1", "cri-o://1.23.0", "cri-o://1.34.1"}) {
    EXPECT_EQ(CdiProblem(runtime), "") << runtime;
  }
}

TEST(GrantSettings, AnyOtherRuntimeIsNamedWithTheRemedy) {
  for (const char* runtime :
       {"containerd://1.7.22", "containerd://1.6.0", "cri-o://1.22.5", "docker://27.0.0",
        "containerd://", "containerd://x", "containerd", "2.0.0"}) {
    EXPECT_THAT(CdiProblem(runtime), HasSubstr(runtime));
    EXPECT_THAT(CdiProblem(runtime), HasSubstr("set grant.mode to devdir"));
  }
}

TEST(GrantSettings, ARuntimeThatIsNotToldIsNoProblem) { EXPECT_EQ(CdiProblem(""), ""); }

}  // namespace
}  // namespace aliquot::agent
