// SPDX-License-Identifier: Apache-2.0
#include "cli/agent_pages.h"

#include <utility>

#include "api/pod_codec.h"
#include "kubeclient/api_path.h"
#include "model/names.h"

namespace aliquot::cli {

Result<std::string> AgentPages::NodeOf(const model::PodKey& pod) {
  kubeclient::ApiRequest request;
  request.verb = kubeclient::kGetPod;
  request.namespace_name = pod.namespace_name;
  request.name = pod.name;
  const auto body = proxy_.Ask(request, "reading pod " + pod.ToString(),
                               "get pods in namespace " + pod.namespace_name);
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

Result<std::string> AgentPages::Verify(const model::PodKey& pod, const std::string& container) {
  const auto node = NodeOf(pod);
  if (!node.ok()) {
    return node.status();
  }
  const auto agent = proxy_.AgentOn(*node);
  if (!agent.ok()) {
    return agent.status();
  }
  const auto token = proxy_.Token();
  if (!token.ok()) {
    return token.status();
  }
  PageRequest page;
  page.path = "/verify";
  page.query = "pod=" + kubeclient::PercentEncode(pod.ToString());
  if (!container.empty()) {
    page.query += "&container=" + kubeclient::PercentEncode(container);
  }
  return proxy_.Page(*agent, *token, page);
}

}  // namespace aliquot::cli
