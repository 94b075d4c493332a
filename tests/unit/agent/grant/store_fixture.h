// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "agent/grant/grant_store.h"
#include "base/clock.h"
#include "tests/unit/agent/grant/grant_fixture.h"

namespace aliquot::agent {

inline constexpr char kBootId[] = "11111111-2222-3333-4444-555555555555";

// A store over a temporary directory. Device nodes are plain files that say what they stand for.
class StoreTest : public testing::Test {
 protected:
  StoreOptions Options(bool cdi) {
    StoreOptions options;
    options.edits.state_directory = directory_ / "state";
    options.edits.driver = DriverDelivery::Way::kNone;
    options.cdi_directory = cdi ? directory_ / "cdi" : "";
    return options;
  }
  // What a start of the agent makes of the same directory.
  Recovered Start(bool cdi = false, const std::string& boot_id = kBootId) {
    store_ = std::make_unique<GrantStore>(Options(cdi), files(), clock_);
    auto recovered = store_->Recover(boot_id);
    EXPECT_TRUE(recovered.ok()) << recovered.status().ToString();
    return recovered.ok() ? *recovered : Recovered();
  }
  virtual const FileSystem& files() { return plain_; }

  // Of `core` percent and 1024 MiB of a card.
  GrantPlan Plan(const std::vector<std::string>& ids, const std::string& uid,
                 const std::string& uuid = "GPU-3") {
    const auto plan =
        DecideGrant(ids, Share(uid, uuid, static_cast<int>(ids.size()), 1024), facts_());
    EXPECT_TRUE(plan.ok()) << (plan.ok() ? "" : plan.refusal().sentence);
    return *plan;
  }
  // Writes it and says where it lies.
  std::string Written(const GrantPlan& plan) {
    const auto refusal = store_->Write(plan);
    EXPECT_FALSE(refusal) << refusal->sentence;
    return layout_.Grant(plan.record.name);
  }

  TemporaryDirectory directory_;
  StateLayout layout_{directory_ / "state"};
  PlainFiles plain_;
  FakeClock clock_;
  FactsOf facts_;
  std::unique_ptr<GrantStore> store_;
};

}  // namespace aliquot::agent
