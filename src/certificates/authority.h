// SPDX-License-Identifier: Apache-2.0
#pragma once

// Our certificate authority through its life. While it is being replaced two are trusted: the new
// one signs, and a cross certificate lets those who know only the old one believe it, such as a
// kube-scheduler, which reads its CA at start only (docs/adr/0015-certificates.md). Pure; values.

#include <chrono>
#include <string>

#include "certificates/issuer.h"

namespace aliquot::certificates {

struct AuthorityRules {
  std::chrono::milliseconds lifetime{std::chrono::hours(10 * 365 * 24)};
  std::chrono::milliseconds renew_before{std::chrono::hours(365 * 24)};
  // Clocks differ: what is made now is valid from then on.
  std::chrono::milliseconds backdate{std::chrono::hours(24)};
};

// What Secret aliquot-ca holds. `current` is empty before the first start.
struct Authority {
  KeyedCertificate current;
  std::string previous;     // its certificate, while it is still trusted; its key is gone
  std::string cross;        // `current`, certified by `previous`
  std::string rotated_for;  // the request for a rotation that was last served

  bool empty() const { return current.certificate.empty() && current.key.empty(); }
};

// What the Secret ought to hold: made for the first time, replaced when its end is near or somebody
// asks with a text that was not served yet, without `previous` once that has ended. Equal to `now`
// when nothing is to be done. The error names the key that cannot be used; nothing is replaced
// then, because what it certified is in use.
Result<Authority> NextAuthority(const Authority& held, const std::string& rotate_request,
                                const AuthorityRules& rules, SystemTime now);
bool operator==(const Authority& a, const Authority& b);

// All that is trusted: the current one first.
std::string TrustBundle(const Authority& authority);
// What a server shows besides its leaf.
std::string ChainBehind(const Authority& authority);

}  // namespace aliquot::certificates
