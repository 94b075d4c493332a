// SPDX-License-Identifier: Apache-2.0
#pragma once

// The key that signs records through its life. Node agents must know a public key before anything
// is signed with it, so a new one is published first and used after a delay; the public halves of
// old ones stay published, because records that they signed are still on pods
// (docs/adr/0011-signing.md). Pure but for randomness; values.

#include <chrono>
#include <map>
#include <string>

#include "base/clock.h"
#include "base/status.h"

namespace aliquot::certificates {

// What Secret aliquot-signing holds. Keys are PEM.
struct SigningKeys {
  std::string current;
  std::string next;  // published, not used yet
  SystemTime next_from;
  std::string rotated_for;

  bool operator==(const SigningKeys& other) const {
    return current == other.current && next == other.next && rotated_for == other.rotated_for &&
           (next.empty() || next_from == other.next_from);
  }
};

// What the Secret ought to hold, where `published` are the public halves that agents can read. A
// new key is not used until it has been among them for the delay, however often the program ended
// between. The error says which key cannot be used; nothing is replaced then.
Result<SigningKeys> NextSigningKeys(const SigningKeys& held,
                                    const std::map<std::string, std::string>& published,
                                    const std::string& rotate_request,
                                    std::chrono::milliseconds activation_delay, SystemTime now);

// "<key id>.pem" and the public half of each key.
Result<std::map<std::string, std::string>> PublicHalves(const SigningKeys& keys);

}  // namespace aliquot::certificates
