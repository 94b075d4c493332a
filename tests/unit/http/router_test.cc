// SPDX-License-Identifier: Apache-2.0
#include "http/router.h"

#include <gtest/gtest.h>

#include <utility>

namespace aliquot::http {
namespace {

Handler Answering(int status) {
  return [status](const Request&) { return TextResponse(status, "x"); };
}

TEST(Router, FindsExactPathAndMethodOnly) {
  Router router;
  router.Post("/scheduler/filter", Answering(201)).Get("/healthz", Answering(202));
  const Router::Match match = router.Find("POST", "/scheduler/filter");
  ASSERT_NE(match.handler, nullptr);
  EXPECT_EQ((*match.handler)(Request()).status, 201);
  EXPECT_EQ(match.path, "/scheduler/filter");

  for (const char* path : {"/scheduler/filter/", "/scheduler/filte", "/scheduler/filterx",
                           "/Scheduler/filter", "", "/", ".*", "/scheduler/.*"}) {
    EXPECT_TRUE(router.Find("POST", path).path.empty()) << path;
  }
}

TEST(Router, AKnownPathWithAnotherMethodTellsWhatIsAllowed) {
  Router router;
  router.Get("/both", Answering(200)).Post("/both", Answering(201));
  const Router::Match match = router.Find("PUT", "/both");
  EXPECT_EQ(match.path, "/both");
  EXPECT_EQ(match.handler, nullptr);
  EXPECT_EQ(match.allow, "GET, POST");
  EXPECT_EQ((*router.Find("POST", "/both").handler)(Request()).status, 201);
  EXPECT_EQ(router.Find("post", "/both").handler, nullptr) << "methods are case-sensitive";
}

TEST(Router, RoutesSurviveAMove) {
  Router router;
  router.Get("/healthz", Answering(200));
  const Router moved = std::move(router);
  EXPECT_NE(moved.Find("GET", "/healthz").handler, nullptr);
}

TEST(Request, ParametersAreExactAndHeadersIgnoreCase) {
  Request request;
  request.parameters = {{"pod", "default/a"}, {"pod", "second"}};
  request.headers = {{"Authorization", "Bearer x"}};
  EXPECT_EQ(request.Parameter("pod"), "default/a");
  EXPECT_FALSE(request.Parameter("Pod").has_value());
  EXPECT_EQ(request.Header("authorization"), "Bearer x");
  EXPECT_FALSE(request.Header("accept").has_value());
}

}  // namespace
}  // namespace aliquot::http
