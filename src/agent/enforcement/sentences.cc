// SPDX-License-Identifier: Apache-2.0
#include "agent/enforcement/sentences.h"

#include "base/strings.h"

namespace aliquot::agent {
namespace {

std::string What(Verdict verdict) {
  switch (verdict) {
    case Verdict::kNoLibrary:
      return "has a process there that has not loaded the enforcement library, as a static or musl "
             "program does; link it dynamically with glibc, or ask for a whole card";
    case Verdict::kWrongLibrary:
      return "has a process there that has loaded another library of that name; leave "
             "/etc/ld.so.preload and /usr/local/aliquot as the node gives them";
    case Verdict::kOverMemory:
      return "has more memory there than its share by the driver's figures; ask for more, or find "
             "out what gets past the enforcement library";
    case Verdict::kUsageDamaged:
      return "has damaged its usage file /run/aliquot/usage; delete the pod, and let nothing but "
             "the enforcement library write there";
    case Verdict::kUsageLow:
      return "has charged far less memory there than the driver counts; see what writes to "
             "/run/aliquot/usage, or what has the driver allocate by itself";
  }
  return "is not held";
}

}  // namespace

std::string VerdictSentence(const GrantRecord& grant, const std::string& uuid, Verdict verdict,
                            bool ended) {
  const GrantedCard* card = nullptr;
  for (const GrantedCard& each : grant.cards) {
    card = each.uuid == uuid ? &each : card;
  }
  const std::string share = card == nullptr ? std::string()
                                            : " with " + std::to_string(card->core) + " % and " +
                                                  std::to_string(card->mib) + " MiB";
  return "container " + Printable(grant.identity.container) + share + " of card " + uuid + " " +
         What(verdict) + (ended ? "; by enforcement.onOvershoot such processes are ended" : "");
}

}  // namespace aliquot::agent
