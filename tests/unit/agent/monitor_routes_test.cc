// SPDX-License-Identifier: Apache-2.0
#include "agent/monitor_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aliquot::agent {
namespace {

using ::testing::HasSubstr;

class MonitorRoutesTest : public testing::Test {
 protected:
  MonitorRoutesTest() {
    sources_.node = "n1";
    sources_.not_ready = [this] { return reasons_; };
    sources_.reading = [this] {
      ++readings_;
      NodeFigures figures;
      figures.node = "n1";
      return figures;
    };
    sources_.grants = [] { return std::make_shared<const LiveList>(); };
    sources_.metrics = &metrics_;
  }
  http::Response Get(const std::string& path) {
    const http::Router router = MonitorRoutes(sources_);
    const auto match = router.Find("GET", path);
    return match.handler == nullptr ? http::TextResponse(404, "") : (*match.handler)({});
  }

  AgentMetrics metrics_;
  MonitorSources sources_;
  std::vector<std::string> reasons_;
  int readings_ = 0;
};

TEST_F(MonitorRoutesTest, HealthzAnswersWhateverIsNotReady) {
  reasons_ = {"no kubelet"};
  EXPECT_EQ(Get("/healthz").status, 200);
}

TEST_F(MonitorRoutesTest, ReadyzGivesEachReasonALine) {
  EXPECT_EQ(Get("/readyz").status, 200);
  reasons_ = {"one", "two"};
  EXPECT_EQ(Get("/readyz").status, 503);
  EXPECT_THAT(Get("/readyz").body, HasSubstr("one\ntwo"));
}

TEST_F(MonitorRoutesTest, MetricsAreThoseOfTheAgentAndOfAFreshReading) {
  const http::Response page = Get("/metrics");
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(std::string(page.content_type), HasSubstr("version=0.0.4"));
  EXPECT_THAT(page.body, HasSubstr("aliquot_agent_grants_total 0"));
  EXPECT_EQ(readings_, 1);
}

TEST_F(MonitorRoutesTest, GrantsAndVersionAreJson) {
  EXPECT_EQ(Get("/grants").body, R"({"node":"n1","grants":[]})");
  EXPECT_THAT(Get("/version").body, HasSubstr("\"version\":"));
}

TEST_F(MonitorRoutesTest, GpuManagersPagesAreThereOnlyWhereConfigured) {
  for (const char* page : {"/metric", "/usage", "/graph"}) {
    EXPECT_EQ(Get(page).status, 404) << page;
  }
  sources_.gpu_manager_pages = true;
  for (const char* page : {"/metric", "/usage", "/graph"}) {
    EXPECT_EQ(Get(page).status, 200) << page;
  }
}

TEST_F(MonitorRoutesTest, BehindTheGuardLiesEveryPageButHealthz) {
  sources_.gpu_manager_pages = true;
  sources_.verify = [](const http::Request&) { return http::JsonResponse("{}"); };
  bool open = false;
  const http::Router router = AuthenticatedRoutes(sources_, [&open](http::Handler handler) {
    return [&open, handler](const http::Request& request) {
      return open ? handler(request) : http::TextResponse(401, "who are you?");
    };
  });
  const auto status = [&router](const std::string& path) {
    const auto match = router.Find("GET", path);
    return match.handler == nullptr ? 404 : (*match.handler)({}).status;
  };
  EXPECT_EQ(status("/healthz"), 200);
  for (const char* page : {"/metrics", "/grants", "/version", "/verify"}) {
    open = false;
    EXPECT_EQ(status(page), 401) << page;
    open = true;
    EXPECT_EQ(status(page), 200) << page;
  }
  for (const char* page : {"/readyz", "/metric", "/usage", "/graph"}) {
    EXPECT_EQ(status(page), 404) << page;
  }
}

TEST_F(MonitorRoutesTest, TheLoopbackListenerLooksIntoNoProcess) {
  sources_.verify = [](const http::Request&) { return http::JsonResponse("{}"); };
  EXPECT_EQ(Get("/verify").status, 404);
}

}  // namespace
}  // namespace aliquot::agent
