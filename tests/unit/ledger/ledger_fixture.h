// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "ledger/ledger.h"
#include "model/names.h"
#include "scoring/first_fit.h"

namespace aliquot::ledger {

// Nodes and pods in a word, and a ledger over them. First fit keeps the expected card obvious.
class LedgerFixture : public ::testing::Test {
 protected:
  static model::Node NodeOf(const std::string& name, int cards, std::int64_t mib = 16384);
  // One app container "main" asking for `core` percent and `memory` units of 256 MiB.
  static model::Pod PodOf(const std::string& name, int core, int memory);
  static model::Pod Bound(model::Pod pod, const std::string& node);
  static CommitRequest RequestFor(const model::Pod& pod, const std::string& node);
  // The pod as the API server shows it after our bind.
  static model::Pod BoundWith(model::Pod pod, const CommitResult& result);

  CommitResult Commit(const model::Pod& pod, const std::string& node) {
    return ledger_.Commit(RequestFor(pod, node));
  }
  scoring::CardState CardAt(const std::string& node, int card) const;
  bool Closed(const std::string& node) const;

  FakeClock clock_;
  scoring::FirstFit policy_;
  scoring::Placer placer_{scoring::PlacerOptions(), policy_};
  topology::Catalog catalog_;
  Ledger ledger_{placer_, catalog_, model::ResourceNames(), clock_};
};

}  // namespace aliquot::ledger
