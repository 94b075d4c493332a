// SPDX-License-Identifier: Apache-2.0
#include "allocator/routes.h"

#include <memory>
#include <utility>

#include "admission/handlers.h"
#include "allocator/large_review_gate.h"
#include "api/extender_wire.h"
#include "translate/handler.h"

namespace aliquot::allocator {
namespace {

using observability::RequestOutcome;
using observability::Verb;

// Constant: a sentence that varies would make kube-scheduler patch the pod and try it again at
// once.
constexpr std::string_view kNotSynced =
    "aliquot-allocator has not read all nodes and pods yet; try again in some seconds";

http::Response Converted(extender::Reply reply) {
  if (reply.status != 200) {
    return http::TextResponse(reply.status, reply.body);
  }
  return http::JsonResponse(std::move(reply.body));
}

http::Response FilterNotReady() {
  std::string body;
  api::WriteFilterError(body, kNotSynced);
  return http::JsonResponse(std::move(body));
}

http::Response BindNotReady() {
  std::string body;
  api::WriteBindResult(body, kNotSynced);
  return http::JsonResponse(std::move(body));
}

// kube-scheduler drops the scores of an extender that fails, and goes on.
http::Response PrioritizeNotReady() { return http::TextResponse(503, kNotSynced); }

// Evicting nobody is right while we cannot tell whom: an answer other than 200 ends the attempt.
http::Response PreemptNotReady() { return http::TextResponse(503, kNotSynced); }

template <typename VerbHandler, typename NotReady>
http::Handler Gated(DecisionCore& core, const Instruments& instruments, Verb verb,
                    VerbHandler& handler, NotReady not_ready) {
  return [&core, &metrics = instruments.metrics, verb, &handler,
          not_ready](const http::Request& request) {
    if (!core.readiness().synced()) {
      metrics.CountRequest(verb, RequestOutcome::kNotReady, {});
      return not_ready();
    }
    return Converted(handler.Handle(request.body));
  };
}

// While the ledger does not know every pod, cards that look free may not be: then nothing is
// stamped here, and the late stamp takes the pod once the watch shows it bound.
class UnsyncedStampLedger final : public admission::StampLedger {
 public:
  admission::StampDecision Decide(const model::PodKey& /*pod*/, std::string_view /*uid*/,
                                  std::string_view /*node*/, bool /*dry_run*/) override {
    return {};
  }
};

RequestOutcome OutcomeOf(const admission::ReviewReply& reply) {
  switch (reply.outcome) {
    case admission::ReviewOutcome::kUnchanged:
    case admission::ReviewOutcome::kPatched:
      return RequestOutcome::kOk;
    case admission::ReviewOutcome::kRefused:
      return RequestOutcome::kRefused;
    case admission::ReviewOutcome::kUnreadable:
      break;
  }
  return reply.status >= 500 ? RequestOutcome::kError : RequestOutcome::kInvalid;
}

void Log(const admission::ReviewReply& reply, std::string_view word, const Instruments& instruments,
         std::chrono::nanoseconds took) {
  observability::Decision decision;
  decision.level = reply.outcome == admission::ReviewOutcome::kUnreadable
                       ? observability::Level::kWarn
                       : observability::Level::kInfo;
  decision.component = "admission";
  decision.pod = reply.pod;
  decision.verb = word;
  decision.outcome = admission::ReviewOutcomeName(reply.outcome);
  decision.reason = reply.reason;
  decision.duration = took;
  instruments.decisions.Record(decision);
}

std::string_view WordOf(Verb verb) {
  switch (verb) {
    case Verb::kTranslate:
      return "translate";
    case Verb::kStamp:
      return "stamp";
    default:
      return "mutate";
  }
}

http::Response Finish(admission::ReviewReply reply, Verb verb, const Instruments& instruments,
                      SteadyTime started) {
  const auto took = instruments.clock.SteadyNow() - started;
  instruments.metrics.CountRequest(verb, OutcomeOf(reply), took);
  // The stamp's ledger logs what it decides.
  if (verb != Verb::kStamp || reply.outcome == admission::ReviewOutcome::kUnreadable) {
    Log(reply, WordOf(verb), instruments, took);
  }
  if (reply.status != 200) {
    return http::TextResponse(reply.status, reply.body);
  }
  return http::JsonResponse(std::move(reply.body));
}

}  // namespace

http::Router SchedulerRoutes(DecisionCore& core, const Instruments& instruments) {
  http::Router router;
  router.Post("/scheduler/filter",
              Gated(core, instruments, Verb::kFilter, core.filter(), FilterNotReady));
  router.Post("/scheduler/prioritize",
              Gated(core, instruments, Verb::kPrioritize, core.prioritize(), PrioritizeNotReady));
  router.Post("/scheduler/bind", Gated(core, instruments, Verb::kBind, core.bind(), BindNotReady));
  router.Post("/scheduler/preempt",
              Gated(core, instruments, Verb::kPreempt, core.preempt(), PreemptNotReady));
  return router;
}

http::Router AdmissionRoutes(DecisionCore& core, const Instruments& instruments,
                             const std::string& own_username) {
  http::Router router;
  const auto gate = std::make_shared<LargeReviewGate>();
  router.Post("/admission/mutate", [&core, instruments, gate](const http::Request& request) {
    const SteadyTime started = instruments.clock.SteadyNow();
    admission::ReviewReply reply = gate->Run(request.body.size(), [&] {
      return admission::HandleMutate(request.body, core.mutate_options());
    });
    return Finish(std::move(reply), Verb::kMutate, instruments, started);
  });
  for (const translate::Scheme scheme :
       {translate::Scheme::kHami, translate::Scheme::kNvidia, translate::Scheme::kKai}) {
    router.Post("/admission/translate/" + std::string(translate::SchemeName(scheme)),
                [&core, instruments, gate, scheme](const http::Request& request) {
                  const SteadyTime started = instruments.clock.SteadyNow();
                  admission::ReviewReply reply = gate->Run(request.body.size(), [&] {
                    return translate::HandleTranslate(request.body, scheme,
                                                      core.translate_options());
                  });
                  return Finish(std::move(reply), Verb::kTranslate, instruments, started);
                });
  }
  const admission::StampOptions stamp_options{own_username, core.scheduler_users()};
  router.Post(
      "/admission/stamp", [&core, instruments, stamp_options, gate](const http::Request& request) {
        const SteadyTime started = instruments.clock.SteadyNow();
        UnsyncedStampLedger unsynced;
        admission::StampLedger& ledger = core.readiness().synced() ? core.stamp_ledger() : unsynced;
        admission::ReviewReply reply = gate->Run(request.body.size(), [&] {
          return admission::HandleStamp(request.body, stamp_options, ledger);
        });
        return Finish(std::move(reply), Verb::kStamp, instruments, started);
      });
  return router;
}

}  // namespace aliquot::allocator
