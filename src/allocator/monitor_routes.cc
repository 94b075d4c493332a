// SPDX-License-Identifier: Apache-2.0
#include "allocator/monitor_routes.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "allocator/cards_route.h"
#include "allocator/explain_route.h"
#include "base/strings.h"
#include "observability/build_info.h"

namespace aliquot::allocator {
namespace {

constexpr std::string_view kMetricsContentType = "text/plain; version=0.0.4; charset=utf-8";

http::Response Ready(const Readiness& readiness) {
  const std::vector<std::string> reasons = readiness.Reasons();
  return reasons.empty() ? http::TextResponse(200, "ok")
                         : http::TextResponse(503, Join(reasons, "\n"));
}

// What is known of half a cluster would mislead: a pod that has not been read yet would be "not
// known".
template <typename F>
http::Handler OnceSynced(const Readiness& readiness, F answer) {
  return [&readiness, answer](const http::Request& request) {
    if (!readiness.synced()) {
      return http::TextResponse(503,
                                "the cluster has not been read yet; /readyz says what is missing");
    }
    return answer(request);
  };
}

http::Response Healthy(const http::Request& /*request*/) { return http::TextResponse(200, "ok"); }

using Guard = std::function<http::Handler(http::Handler)>;

// What both listeners show.
void AddPages(http::Router& router, DecisionCore& core, const Instruments& instruments,
              const Guard& guard) {
  router.Get("/metrics", guard([&core, &metrics = instruments.metrics](const http::Request&) {
               core.RefreshFigures();
               http::Response response;
               response.content_type = kMetricsContentType;
               response.body = metrics.Render();
               return response;
             }));
  router.Get("/version", guard([](const http::Request&) {
               return http::JsonResponse(observability::BuildInfoJson());
             }));
  router.Get("/explain", guard(OnceSynced(core.readiness(), [&core](const http::Request& request) {
               return Explain(request, core.ledger(), core.pending(), core.placer());
             })));
  router.Get("/cards", guard(OnceSynced(core.readiness(), [&core](const http::Request&) {
               return Cards(core.ledger());
             })));
}

}  // namespace

http::Router MonitorRoutes(DecisionCore& core, const Instruments& instruments) {
  http::Router router;
  router.Get("/healthz", Healthy);
  router.Get("/readyz", [&core](const http::Request&) { return Ready(core.readiness()); });
  AddPages(router, core, instruments, [](http::Handler handler) { return handler; });
  return router;
}

http::Router AuthenticatedRoutes(DecisionCore& core, const Instruments& instruments,
                                 const Guard& guard) {
  http::Router router;
  router.Get("/healthz", Healthy);
  AddPages(router, core, instruments, guard);
  return router;
}

}  // namespace aliquot::allocator
