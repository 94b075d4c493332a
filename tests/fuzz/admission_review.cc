// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "admission/handlers.h"
#include "tests/fuzz/fuzz_targets.h"

namespace aliquot::fuzz {
namespace {

class SomeLedger final : public admission::StampLedger {
 public:
  admission::StampDecision Decide(const model::PodKey& pod, std::string_view, std::string_view,
                                  bool dry_run) override {
    admission::StampDecision decision;
    decision.outcome = dry_run ? admission::StampDecision::Outcome::kDenied
                               : admission::StampDecision::Outcome::kAnnotations;
    decision.reason = pod.ToString();
    decision.annotations = {{"aliquot.io/allocation", pod.name}};
    return decision;
  }
};

void CheckReply(const admission::ReviewReply& reply) {
  Require(reply.status == 200 || reply.status == 400);
  Require(reply.status == 400 ? !reply.body.empty() : nlohmann::json::accept(reply.body));
}

}  // namespace

void AdmissionReview(std::string_view input) {
  const admission::MutateOptions options;
  SomeLedger ledger;
  CheckReply(admission::HandleMutate(input, options));
  CheckReply(admission::HandleStamp(input, admission::StampOptions(), ledger));
  auto request = api::ParseAdmissionReview(input);
  if (!request.ok()) {
    return;
  }
  const auto response = admission::MutatePod(*request, options);
  if (!response.ok() || !response->allowed || response->patch.empty()) {
    return;
  }
  // The patch applies (patch() throws otherwise), and a second review changes nothing.
  request->object = request->object.patch(response->patch);
  const auto again = admission::MutatePod(*request, options);
  Require(again.ok() && again->allowed && again->patch.empty());
}

}  // namespace aliquot::fuzz
