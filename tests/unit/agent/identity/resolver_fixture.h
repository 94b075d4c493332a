// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agent/grant/grant_name.h"
#include "agent/identity/resolver.h"
#include "tests/unit/agent/identity/identity_fakes.h"

namespace aliquot::agent {

class ResolverTest : public ::testing::Test {
 protected:
  ResolverTest() { Restart(); }

  // A new agent: what the old one had in memory is lost.
  void Restart() {
    resolver_ =
        std::make_unique<Resolver>(Options(), checkpoint_, view_, pod_resources_, grants_, clock_);
  }
  static ResolverOptions Options() {
    ResolverOptions options;
    options.node = "n1";
    return options;
  }
  void Entry(const std::string& uid, const std::string& container, std::vector<std::string> ids) {
    checkpoint_.content.entries.push_back({uid, container, std::move(ids)});
  }

  // "pod/container" or "reason: sentence"; in between the grant is filled, as the agent does. The
  // IDs come in another order than the checkpoint has them.
  std::string Resolve(std::vector<std::string> ids) {
    std::reverse(ids.begin(), ids.end());
    const SteadyTime before = clock_.SteadyNow();
    const Granted<ContainerIdentity> found = resolver_->Resolve(ids);
    took_ = std::chrono::duration_cast<std::chrono::milliseconds>(clock_.SteadyNow() - before);
    if (!found.ok()) {
      sentence_ = found.refusal().sentence;
      return std::string(RefusalName(found.refusal().reason));
    }
    last_ = *found;
    grants_.filled[GrantName(ids)] = *found;
    return found->key.name + "/" + found->container;
  }

  FakeClock clock_;
  FakePodView view_{clock_};
  FakeCheckpoint checkpoint_;
  FakePodResources pod_resources_{clock_};
  FakeGrants grants_;
  std::unique_ptr<Resolver> resolver_;
  ContainerIdentity last_;
  std::string sentence_;
  std::chrono::milliseconds took_{0};
};

}  // namespace aliquot::agent
