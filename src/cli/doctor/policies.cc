// SPDX-License-Identifier: Apache-2.0
// Are the chart's ValidatingAdmissionPolicies there and bound with Deny?
#include <algorithm>
#include <set>

#include "cli/doctor/api_reader.h"
#include "cli/doctor/checks.h"

namespace aliquot::cli {
namespace {

using nlohmann::json;

constexpr char kCheck[] = "policies";
// The chart's, without which somebody can forge a record or another node's inventory.
constexpr const char* kNeeded[] = {
    "aliquot-pod-record",  "aliquot-binding-record", "aliquot-gpu-inventory", "aliquot-agent-node",
    "aliquot-agent-event", "aliquot-isolation",      "aliquot-gpu-uuid"};

std::set<std::string> Denying(const std::vector<json>& bindings) {
  std::set<std::string> bound;
  for (const json& binding : bindings) {
    for (const json& action : MemberAt(binding, "/spec/validationActions")) {
      if (action == "Deny") {
        bound.insert(TextAt(binding, "/spec/policyName"));
      }
    }
  }
  return bound;
}

}  // namespace

void CheckPolicies(const Observation& seen, Findings& findings) {
  for (const Objects* each : {&seen.policies, &seen.bindings}) {
    if (!each->ok()) {
      findings.push_back({kCheck, Verdict::kUnknown, each->status().message(), ""});
      return;
    }
  }
  std::set<std::string> there;
  for (const json& policy : *seen.policies) {
    there.insert(TextAt(policy, "/metadata/name"));
  }
  const std::set<std::string> bound = Denying(*seen.bindings);
  std::vector<std::string> missing;
  for (const char* name : kNeeded) {
    if (there.count(name) == 0 || bound.count(name) == 0) {
      missing.emplace_back(name);
    }
  }
  if (!missing.empty()) {
    findings.push_back({kCheck, Verdict::kFailed,
                        std::to_string(missing.size()) +
                            " ValidatingAdmissionPolicies are missing or not bound with Deny: " +
                            AtMostThree(missing) + "; records or inventories can be forged",
                        PutBack(seen)});
    return;
  }
  findings.push_back({kCheck, Verdict::kOk,
                      "all " + std::to_string(std::size(kNeeded)) + " policies are bound", ""});
}

}  // namespace aliquot::cli
