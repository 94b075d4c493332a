// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/api_path.h"

#include <gtest/gtest.h>

#include <string>

namespace aliquot::kubeclient {
namespace {

ApiRequest RequestFor(const ApiVerb& verb, const std::string& ns, const std::string& name,
                      const std::string& query = "") {
  ApiRequest request;
  request.verb = verb;
  request.namespace_name = ns;
  request.name = name;
  request.query = query;
  return request;
}

TEST(ApiPath, FollowsGroupNamespaceNameAndSubresource) {
  EXPECT_EQ(RequestTarget(RequestFor(kListNodes, "", "", "limit=500")), "/api/v1/nodes?limit=500");
  EXPECT_EQ(RequestTarget(RequestFor(kGetPod, "team", "a")), "/api/v1/namespaces/team/pods/a");
  EXPECT_EQ(RequestTarget(RequestFor(kBindPod, "team", "a", "timeout=4s")),
            "/api/v1/namespaces/team/pods/a/binding?timeout=4s");
  EXPECT_EQ(RequestTarget(RequestFor(kPatchPodStatus, "team", "a")),
            "/api/v1/namespaces/team/pods/a/status");
  EXPECT_EQ(RequestTarget(RequestFor(kCreateEvent, "team", "")),
            "/apis/events.k8s.io/v1/namespaces/team/events");
}

TEST(ApiPath, AProxysPathFollowsItsSubresource) {
  ApiRequest request = RequestFor(kProxyPod, "system", "https:agent-x:8443", "pod=team%2Fa");
  request.subpath = "/verify";
  EXPECT_EQ(RequestTarget(request),
            "/api/v1/namespaces/system/pods/https%3Aagent-x%3A8443/proxy/verify?pod=team%2Fa");
}

TEST(ApiPath, NamesCannotLeaveTheirSegment) {
  EXPECT_EQ(RequestTarget(RequestFor(kGetPod, "..", "a/../b?x#y")),
            "/api/v1/namespaces/../pods/a%2F..%2Fb%3Fx%23y");
  EXPECT_EQ(PercentEncode("aliquot.io/gpu!=true"), "aliquot.io%2Fgpu%21%3Dtrue");
  EXPECT_EQ(PercentEncode("\xC3\xBC \n"), "%C3%BC%20%0A");
}

TEST(ApiPath, MethodFollowsFromTheVerb) {
  EXPECT_EQ(HttpMethod(kBindPod), "POST");
  EXPECT_EQ(HttpMethod(kPatchPod), "PATCH");
  EXPECT_EQ(HttpMethod(kWatchPods), "GET");
  EXPECT_EQ(HttpMethod(kListPods), "GET");
  EXPECT_EQ(HttpMethod(kGetPod), "GET");
}

}  // namespace
}  // namespace aliquot::kubeclient
