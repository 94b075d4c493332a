// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/isolation_choice.h"

#include "base/strings.h"
#include "model/names.h"

namespace aliquot::agent {
namespace {

Status Refused(const IsolationFacts& facts, const std::string& why) {
  return FailedPrecondition("asks for isolation " + Printable(facts.asked) + " (annotation " +
                            std::string(model::kIsolationAnnotation) + "), which " + why);
}

}  // namespace

Result<IsolationChoice> ChooseIsolation(const IsolationFacts& facts) {
  const IsolationChoice by_library{"library", true, false};
  const IsolationChoice by_driver{"driver", false, true};
  const IsolationChoice by_nobody{"none", false, false};
  const bool driver = facts.driver_limits_problem.empty();
  const std::string& asked = facts.asked;
  if (asked == "mps" || asked == "mig") {
    return Refused(facts, "is not there yet in this version; create the pod with another one");
  }
  if (asked != "auto" && asked != "library" && asked != "driver" && asked != "none") {
    return Refused(facts, "this agent does not know; update the agent, or create the pod again");
  }
  if (facts.whole) {
    // Nothing to hold; the library still shows and counts.
    const bool wanted = asked == "auto" || asked == "library";
    return facts.library && wanted ? by_library : by_nobody;
  }
  if (asked == "none") {
    const bool weaker = facts.library || driver;
    if (weaker && !facts.allow_none) {
      return Refused(facts,
                     "this node gives to whole cards only; ask for a whole card or another "
                     "isolation, or have enforcement.allowNone set for the node");
    }
    return by_nobody;
  }
  if (asked == "driver") {
    return driver ? Result<IsolationChoice>(by_driver)
                  : Result<IsolationChoice>(Refused(facts, facts.driver_limits_problem));
  }
  if (!facts.library) {
    if (asked == "library") {
      return Refused(facts,
                     "needs an enforcement library, and this node has none; set library.path for "
                     "the node");
    }
    return driver ? by_driver : by_nobody;
  }
  IsolationChoice choice = by_library;
  choice.driver_limits = asked == "auto" && driver;
  return choice;
}

}  // namespace aliquot::agent
