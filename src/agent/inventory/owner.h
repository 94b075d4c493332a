// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/inventory/node_view.h"

namespace aliquot::agent {

// Whether this node's cards are ours to hand out. One owner a card: two plugins that give out the
// same card know nothing of each other.
struct OwnerVerdict {
  enum class State {
    kOurs,      // all of them, or those of cards.include
    kForeign,   // another plugin hands them out: we advertise nothing
    kReleased,  // the driver is being replaced or MIG set up: we let go of it, advertise nothing
  };

  State state = State::kOurs;
  // For the inventory: the mode of the cards when kForeign ("foreign"), their health when kReleased
  // ("driver-upgrade", "mig-config"); "" when kOurs.
  std::string word;
  // Field, value and remedy; the same for the same state. "" when kOurs.
  std::string sentence;

  friend bool operator==(const OwnerVerdict& a, const OwnerVerdict& b) {
    return a.state == b.state && a.word == b.word && a.sentence == b.sentence;
  }
};

inline constexpr std::string_view kForeignMode = "foreign";

// `include` is the configuration's cards.include: a node whose administrator has said which cards
// are ours may have other plugins. `gpu_manager_socket` is the path at which gpu-manager listens,
// "" = it does not. Pure and thread-safe.
OwnerVerdict JudgeOwner(const NodeView& node, const std::vector<std::string>& include,
                        std::string_view gpu_manager_socket);

}  // namespace aliquot::agent
