// SPDX-License-Identifier: Apache-2.0
#include "agent/monitor_routes.h"

#include <utility>

#include "agent/usage/gpu_manager_pages.h"
#include "agent/usage/grants_page.h"
#include "agent/usage/node_metrics.h"
#include "base/strings.h"
#include "observability/build_info.h"
#include "prometheus/text_serializer.h"

namespace aliquot::agent {
namespace {

constexpr std::string_view kMetricsContentType = "text/plain; version=0.0.4; charset=utf-8";

http::Response MetricsText(std::string body) {
  http::Response response;
  response.content_type = kMetricsContentType;
  response.body = std::move(body);
  return response;
}

http::Response Metrics(const MonitorSources& sources) {
  std::vector<prometheus::MetricFamily> families = sources.metrics->Collect();
  for (prometheus::MetricFamily& family : NodeMetrics(sources.reading())) {
    families.push_back(std::move(family));
  }
  return MetricsText(prometheus::TextSerializer().Serialize(families));
}

http::Response Shares(const MonitorSources& sources) {
  return MetricsText(prometheus::TextSerializer().Serialize(NodeMetrics(sources.reading())));
}

void AddGpuManagerPages(http::Router& router, const MonitorSources& sources) {
  router.Get("/metric", [sources](const http::Request&) {
    return MetricsText(GpuManagerMetric(sources.reading()));
  });
  router.Get("/usage", [sources](const http::Request&) {
    return http::JsonResponse(GpuManagerUsage(sources.reading()));
  });
  router.Get("/graph", [sources](const http::Request&) {
    http::Response response;
    response.content_type = http::kTextContentType;
    response.body = GpuManagerGraph(sources.reading());
    return response;
  });
}

http::Response Healthy(const http::Request& /*request*/) { return http::TextResponse(200, "ok"); }

http::Response Version(const http::Request& /*request*/) {
  return http::JsonResponse(observability::BuildInfoJson());
}

http::Response Grants(const MonitorSources& sources) {
  return http::JsonResponse(GrantsPage(sources.node, *sources.grants()));
}

}  // namespace

http::Router MonitorRoutes(const MonitorSources& sources) {
  http::Router router;
  router.Get("/healthz", Healthy);
  router.Get("/readyz", [sources](const http::Request&) {
    const std::vector<std::string> reasons = sources.not_ready();
    return reasons.empty() ? http::TextResponse(200, "ok")
                           : http::TextResponse(503, Join(reasons, "\n"));
  });
  router.Get("/metrics", [sources](const http::Request&) { return Metrics(sources); });
  router.Get("/grants", [sources](const http::Request&) { return Grants(sources); });
  router.Get("/version", Version);
  if (sources.gpu_manager_pages) {
    AddGpuManagerPages(router, sources);
  }
  return router;
}

http::Router AuthenticatedRoutes(const MonitorSources& sources,
                                 const std::function<http::Handler(http::Handler)>& guard) {
  http::Router router;
  router.Get("/healthz", Healthy);
  router.Get("/metrics", guard([sources](const http::Request&) { return Metrics(sources); }));
  router.Get("/grants", guard([sources](const http::Request&) { return Grants(sources); }));
  router.Get("/shares", guard([sources](const http::Request&) { return Shares(sources); }));
  router.Get("/version", guard(Version));
  router.Get("/verify", guard(sources.verify));
  return router;
}

}  // namespace aliquot::agent
