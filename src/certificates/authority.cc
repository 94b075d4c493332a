// SPDX-License-Identifier: Apache-2.0
#include "certificates/authority.h"

#include <tuple>

namespace aliquot::certificates {
namespace {

Validity From(SystemTime now, const AuthorityRules& rules) {
  return {now - rules.backdate, now + rules.lifetime};
}

}  // namespace

bool operator==(const Authority& a, const Authority& b) {
  const auto parts = [](const Authority& each) {
    return std::tie(each.current.certificate, each.current.key, each.previous, each.cross,
                    each.rotated_for);
  };
  return parts(a) == parts(b);
}

Result<Authority> NextAuthority(const Authority& held, const std::string& rotate_request,
                                const AuthorityRules& rules, SystemTime now) {
  Authority next = held;
  next.rotated_for = rotate_request;
  if (held.empty()) {
    auto made = MakeAuthority(From(now, rules));
    if (!made.ok()) return made.status();
    next.current = *std::move(made);
    next.previous.clear();
    next.cross.clear();
    return next;
  }
  if (const Status usable = CheckAuthority(held.current); !usable.ok()) return usable;
  const auto validity = ReadValidity(held.current.certificate);
  if (!validity.ok()) return validity.status();
  const bool asked = !rotate_request.empty() && rotate_request != held.rotated_for;
  if (asked || now + rules.renew_before >= validity->until) {
    auto made = MakeAuthority(From(now, rules));
    if (!made.ok()) return made.status();
    auto cross = CrossCertify(made->certificate, held.current, now - rules.backdate);
    if (!cross.ok()) return cross.status();
    next.current = *std::move(made);
    next.previous = held.current.certificate;
    next.cross = *std::move(cross);
    return next;
  }
  if (!held.previous.empty()) {
    const auto previous = ReadValidity(held.previous);
    if (!previous.ok() || previous->until <= now) next.previous.clear();
  }
  if (next.previous.empty()) next.cross.clear();
  return next;
}

std::string TrustBundle(const Authority& authority) {
  return authority.current.certificate + authority.previous;
}

std::string ChainBehind(const Authority& authority) { return authority.cross; }

}  // namespace aliquot::certificates
