// SPDX-License-Identifier: Apache-2.0
#include "agent/backend_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/program/problems_of.h"

namespace aliquot::agent {
namespace {

using ::testing::HasSubstr;

class BackendChoiceTest : public testing::Test {
 protected:
  std::unique_ptr<BackendSupervisor> Choose() {
    return ChooseBackend(configuration_, clock_, log_, problems_);
  }

  FakeClock clock_;
  observability::NullLog log_;
  Configuration configuration_;
  program::Problems problems_;
};

TEST_F(BackendChoiceTest, NoneNeverHasADriver) {
  configuration_.gpu.backend = "none";
  EXPECT_EQ(Choose()->Look().status().code(), StatusCode::kUnavailable);
}

TEST_F(BackendChoiceTest, ASimulatedMachineIsThatOfItsProfile) {
  configuration_.gpu.backend = "simulated";
  configuration_.gpu.profile = ALIQUOT_SOURCE_DIR "/profiles/t4x4.yaml";
  const auto machine = Choose()->Look();
  ASSERT_TRUE(machine.ok()) << machine.status().message();
  EXPECT_EQ(machine->cards.size(), 4u);
}

TEST_F(BackendChoiceTest, AProfileThatCannotBeReadIsAProblem) {
  configuration_.gpu.backend = "simulated";
  configuration_.gpu.profile = "/nowhere/p.yaml";
  EXPECT_EQ(Choose(), nullptr);
  EXPECT_THAT(program::Text(problems_), HasSubstr("gpu.profile: "));
  EXPECT_THAT(program::Text(problems_), HasSubstr("/nowhere/p.yaml"));
}

TEST_F(BackendChoiceTest, WithoutNvmlAutoIsNoProblemAtTheStart) {
  configuration_.gpu.library = "/nowhere/libnvidia-ml.so.1";
  const auto backend = Choose();
  ASSERT_NE(backend, nullptr);
  EXPECT_EQ(program::Text(problems_), "");
  EXPECT_THAT(std::string(backend->Look().status().message()), HasSubstr("/nowhere"));
}

}  // namespace
}  // namespace aliquot::agent
