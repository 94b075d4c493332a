// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/admission_wire.h"
#include "api/binding_codec.h"
#include "base/status.h"
#include "model/pod.h"

namespace aliquot::admission {

// What the ledger says to a Binding that somebody else posts.
struct StampDecision {
  enum class Outcome {
    kNotOurs,      // not a GPU pod that our watch knows as unbound: leave it alone
    kAnnotations,  // cards are reserved; these annotations record them
    kDenied,       // the node can't hold it
  };
  Outcome outcome = Outcome::kNotOurs;
  api::Annotations annotations;
  std::string reason;  // one sentence, for kDenied
};

// The ledger's part of the stamp. Thread-safe.
class StampLedger {
 public:
  virtual ~StampLedger() = default;
  // `uid` is empty when the Binding names none. A dry run must reserve nothing. It must answer
  // within the webhook's time-out (2 s) and call nobody over the network.
  virtual StampDecision Decide(const model::PodKey& pod, std::string_view uid,
                               std::string_view node, bool dry_run) = 0;
};

struct StampOptions {
  // Our own user: its Bindings carry their annotations already. Empty = none.
  std::string own_username;
  // Users whose Bindings may carry our annotations.
  std::vector<std::string> scheduler_users = {"system:kube-scheduler"};
};

// Decides a review of the webhook on pods/binding and on the legacy resource bindings, for a
// Binding posted by anybody but us: cards are reserved, or it is denied with the ledger's reason.
// That of a configured scheduler gets the annotations that record the cards, and loses what it
// forged of ours, with a warning. To anybody else's nothing is added, since the API server would
// then take it for a forged one (a policy of the chart); the late stamp records the reserved cards
// once the watch shows the pod bound. With annotations of ours it is denied, and nothing is
// reserved. Anything else is allowed unchanged. Thread-safe.
//
// The error is for a review that is no Binding at all: the caller answers HTTP 400 with it.
Result<api::ReviewResponse> StampBinding(const api::ReviewRequest& request,
                                         const StampOptions& options, StampLedger& ledger);

}  // namespace aliquot::admission
