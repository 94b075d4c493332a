// SPDX-License-Identifier: Apache-2.0
#include "cli/agent_pages.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "api/pod_codec.h"
#include "api/status_codec.h"
#include "api/token_request_codec.h"
#include "base/strings.h"
#include "kubeclient/api_path.h"
#include "model/names.h"

namespace aliquot::cli {
namespace {

using Json = nlohmann::json;
using kubeclient::ApiRequest;
using kubeclient::CallResult;

constexpr std::chrono::seconds kTimeout{30};
constexpr int kDefaultPort = 8443;
constexpr std::size_t kShown = 300;
constexpr char kAudience[] = "aliquot-agent";
constexpr char kTokenHeader[] = "X-Aliquot-Token";
constexpr char kAgentLabels[] =
    "app.kubernetes.io/component=agent,app.kubernetes.io/name=aliquot-agent";

// The message of an error of the API server itself; nothing when the reply is somebody else's.
std::optional<std::string> StatusMessage(const std::string& body) {
  const Json json = Json::parse(body, nullptr, false);
  if (!json.is_object() || json.value("kind", Json()) != "Status") {
    return std::nullopt;
  }
  const auto status = api::ParseApiStatus(body);
  return status.ok() ? Printable(status->message, kShown) : "";
}

std::string Remedy(int status, const std::string& right) {
  switch (status) {
    case 401:
      return "the kubeconfig's credentials are not accepted";
    case 403:
      return "the kubeconfig's user needs the right to " + right;
    default:
      return "is the server well?";
  }
}

int PortOf(const Json& pod) {
  for (const Json& container : pod.value("/spec/containers"_json_pointer, Json::array())) {
    for (const Json& port : container.value("ports", Json::array())) {
      if (port.value("name", "") == "authenticated") {
        return port.value("containerPort", 0);
      }
    }
  }
  return 0;
}

}  // namespace

Result<std::vector<AgentPod>> ParseAgentPods(std::string_view text) {
  std::vector<AgentPod> pods;
  try {
    const Json list = Json::parse(text);
    for (const Json& pod : list.at("items")) {
      if (pod.at("metadata").contains("deletionTimestamp")) {
        continue;
      }
      pods.push_back({pod.at("metadata").at("name").get<std::string>(), PortOf(pod),
                      pod.value("/status/phase"_json_pointer, "") == "Running"});
    }
  } catch (const Json::exception&) {
    return InvalidArgument("the list of the agents' pods is not readable");
  }
  return pods;
}

Result<std::string> AgentPages::Ask(const ApiRequest& request, const std::string& doing,
                                    const std::string& right) {
  CallResult result = transport_.Call(request, clock_.SteadyNow() + kTimeout, nullptr);
  if (result.outcome != CallResult::Outcome::kReply) {
    return Unavailable(doing + " failed: " + result.message);
  }
  const int status = result.reply.status;
  if (status == 200 || status == 201) {
    return std::move(result.reply.body);
  }
  return Status(
      status == 404 ? StatusCode::kNotFound : StatusCode::kUnavailable,
      doing + " was answered with HTTP " + std::to_string(status) + "; " + Remedy(status, right));
}

Result<std::string> AgentPages::NodeOf(const model::PodKey& pod) {
  ApiRequest request;
  request.verb = kubeclient::kGetPod;
  request.namespace_name = pod.namespace_name;
  request.name = pod.name;
  const auto body =
      Ask(request, "reading pod " + pod.ToString(), "get pods in namespace " + pod.namespace_name);
  if (!body.ok()) {
    return body.status().code() == StatusCode::kNotFound
               ? NotFound("there is no pod " + pod.ToString() + "; name its namespace with -n")
               : body.status();
  }
  const auto read = api::ParsePod(*body, model::ResourceNames());
  if (!read.ok()) {
    return read.status();
  }
  if (read->node_name.empty()) {
    return FailedPrecondition("pod " + pod.ToString() + " is on no node yet; its events say why");
  }
  return read->node_name;
}

Result<AgentPod> AgentPages::AgentOn(const std::string& node) {
  ApiRequest request;
  request.verb = kubeclient::kListPods;
  request.namespace_name = access_.namespace_name;
  request.query = "labelSelector=" + kubeclient::PercentEncode(kAgentLabels) +
                  "&fieldSelector=" + kubeclient::PercentEncode("spec.nodeName=" + node);
  const std::string where = " in namespace " + access_.namespace_name;
  const auto body = Ask(request, "looking for the agent of node " + node,
                        "list pods" + where + "; the chart's agent.verifiers gives it");
  if (!body.ok()) {
    return body.status();
  }
  const auto pods = ParseAgentPods(*body);
  if (!pods.ok()) {
    return pods.status();
  }
  const auto running =
      std::find_if(pods->begin(), pods->end(), [](const AgentPod& pod) { return pod.running; });
  if (running != pods->end()) {
    return *running;
  }
  return NotFound((pods->empty() ? "there is no aliquot-agent on node " + node + where
                                 : "aliquot-agent does not run on node " + node) +
                  "; see to its pod, or name the agents' namespace with --agent-namespace");
}

Result<std::string> AgentPages::Token() {
  ApiRequest request;
  request.verb = kubeclient::kRequestToken;
  request.namespace_name = access_.namespace_name;
  request.name = access_.account;
  request.content_type = "application/json";
  request.body = api::FormatTokenRequest(kAudience, api::kShortestTokenLife);
  const std::string account =
      "service account " + access_.account + " in namespace " + access_.namespace_name;
  const auto body =
      Ask(request, "asking for a token of " + account,
          "create serviceaccounts/token of " + account + "; the chart's agent.verifiers gives it");
  if (!body.ok()) {
    return body.status().code() == StatusCode::kNotFound
               ? NotFound("there is no " + account +
                          "; install a chart of this version, or name another with --account")
               : body.status();
  }
  return api::ParseTokenRequest(*body);
}

Result<std::string> AgentPages::Verify(const model::PodKey& pod, const std::string& container) {
  const auto node = NodeOf(pod);
  if (!node.ok()) {
    return node.status();
  }
  const auto agent = AgentOn(*node);
  if (!agent.ok()) {
    return agent.status();
  }
  const auto token = Token();
  if (!token.ok()) {
    return token.status();
  }
  const int named = agent->port > 0 ? agent->port : kDefaultPort;
  const std::string port = std::to_string(access_.port > 0 ? access_.port : named);
  ApiRequest request;
  request.verb = kubeclient::kProxyPod;
  request.namespace_name = access_.namespace_name;
  request.name = "https:" + agent->name + ":" + port;
  request.subpath = "/verify";
  request.query = "pod=" + kubeclient::PercentEncode(pod.ToString());
  if (!container.empty()) {
    request.query += "&container=" + kubeclient::PercentEncode(container);
  }
  request.headers = {{kTokenHeader, *token}};
  const std::string who = "agent " + agent->name + " on node " + *node;
  CallResult result = transport_.Call(request, clock_.SteadyNow() + kTimeout, nullptr);
  if (result.outcome != CallResult::Outcome::kReply) {
    return Unavailable("asking " + who + " failed: " + result.message);
  }
  if (result.reply.status == 200) {
    return std::move(result.reply.body);
  }
  const auto refused = StatusMessage(result.reply.body);
  if (!refused) {
    return Unavailable(who + " says: " + Printable(Trim(result.reply.body), kShown));
  }
  if (result.reply.status == 401 || result.reply.status == 403) {
    return Unavailable(
        "asking " + who + " was answered with HTTP " + std::to_string(result.reply.status) + "; " +
        Remedy(result.reply.status, "get pods/proxy in namespace " + access_.namespace_name +
                                        "; the chart's agent.verifiers gives it"));
  }
  return Unavailable(who + " can't be reached at port " + port + " (" + *refused +
                     "); the agent needs listen.authenticated, which older ones lack");
}

}  // namespace aliquot::cli
