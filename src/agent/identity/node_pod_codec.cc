// SPDX-License-Identifier: Apache-2.0
#include "agent/identity/node_pod_codec.h"

#include <limits>
#include <string>
#include <utility>

#include "api/json_document.h"
#include "api/json_reader.h"
#include "api/list_envelope.h"
#include "api/pod_codec.h"
#include "api/watch_envelope.h"

namespace aliquot::agent {
namespace {

using api::JsonElement;
using api::JsonField;
using api::JsonPath;
using api::JsonReader;

constexpr std::int64_t kMinInt32 = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();

void ReadRun(JsonReader& reader, const JsonField& state, const JsonPath& path,
             ContainerStatus& status) {
  const auto [started, finished] = reader.Object<2>(state, path, {"startedAt", "finishedAt"});
  reader.Text(started, path.Field("startedAt"), status.started_at);
  reader.Text(finished, path.Field("finishedAt"), status.finished_at);
}

// Of the three at most one is there; none means waiting, says the API. One that waits may have run
// before: `last` tells.
void ReadState(JsonReader& reader, const JsonField& state, const JsonPath& path,
               const JsonField& last, const JsonPath& last_path, ContainerStatus& status) {
  const auto [waiting, running, terminated] =
      reader.Object<3>(state, path, {"waiting", "running", "terminated"});
  if (terminated) {
    status.state = ContainerStatus::State::kTerminated;
    const JsonPath at = path.Field("terminated");
    const auto [code] = reader.Object<1>(terminated, at, {"exitCode"});
    reader.Integer(code, at.Field("exitCode"), kMinInt32, kMaxInt32, status.exit_code);
    ReadRun(reader, terminated, at, status);
  } else if (running) {
    status.state = ContainerStatus::State::kRunning;
    ReadRun(reader, running, path.Field("running"), status);
  } else {
    status.state = ContainerStatus::State::kWaiting;
    const JsonPath at = path.Field("waiting");
    const auto [reason] = reader.Object<1>(waiting, at, {"reason"});
    reader.Text(reason, at.Field("reason"), status.reason);
    const auto [before] = reader.Object<1>(last, last_path, {"terminated"});
    ReadRun(reader, before, last_path.Field("terminated"), status);
  }
}

void ReadStatuses(JsonReader& reader, const JsonField& list, const JsonPath& path, NodePod& pod) {
  reader.ForEachItem(list, path, [&](const JsonElement& item, const JsonPath& at) {
    const auto fields =
        reader.Object<5>(item, at, {"name", "state", "lastState", "restartCount", "containerID"});
    ContainerStatus status;
    reader.Text(fields[0], at.Field("name"), status.name);
    ReadState(reader, fields[1], at.Field("state"), fields[2], at.Field("lastState"), status);
    reader.Integer(fields[3], at.Field("restartCount"), 0, kMaxInt32, status.restart_count);
    reader.Text(fields[4], at.Field("containerID"), status.container_id);
    pod.statuses.push_back(std::move(status));
  });
}

void ReadConditions(JsonReader& reader, const JsonField& list, const JsonPath& path, NodePod& pod) {
  reader.ForEachItem(list, path, [&](const JsonElement& item, const JsonPath& at) {
    const auto fields = reader.Object<3>(item, at, {"type", "status", "lastTransitionTime"});
    std::string_view type, status;
    reader.View(fields[0], at.Field("type"), type);
    reader.View(fields[1], at.Field("status"), status);
    if (type != "PodReadyToStartContainers") return;
    pod.without_sandbox = status == "False";
    if (status == "True") {
      reader.Text(fields[2], at.Field("lastTransitionTime"), pod.sandbox_since);
    }
  });
}

Result<NodePod> DecodeNodePod(const JsonElement& value, const model::ResourceNames& names) {
  Result<model::Pod> decoded = api::DecodePod(value, names);
  if (!decoded.ok()) return decoded.status();
  NodePod pod;
  pod.pod = *std::move(decoded);
  if (!pod.pod.asks_for_gpu()) return pod;  // nobody looks at its state
  JsonReader reader("the pod");
  const JsonPath root;
  const JsonPath at = root.Field("status");
  const auto [status] = reader.Object<1>(value, root, {"status"});
  const auto fields = reader.Object<4>(
      status, at, {"startTime", "conditions", "initContainerStatuses", "containerStatuses"});
  std::string_view start_time;
  reader.View(fields[0], at.Field("startTime"), start_time);
  pod.acknowledged = !start_time.empty();
  ReadConditions(reader, fields[1], at.Field("conditions"), pod);
  ReadStatuses(reader, fields[2], at.Field("initContainerStatuses"), pod);
  ReadStatuses(reader, fields[3], at.Field("containerStatuses"), pod);
  if (!reader.ok()) return reader.status();
  return pod;
}

}  // namespace

Result<NodePod> ParseNodePod(std::string_view json, const model::ResourceNames& names) {
  api::JsonDocument document;
  const auto root = document.Parse(json, api::kMaxApiServerDepth);
  if (!root.ok()) return InvalidArgument("the pod " + root.status().message());
  return DecodeNodePod(*root, names);
}

Result<api::ListPage<NodePod>> ParseNodePodList(std::string_view json,
                                                const model::ResourceNames& names) {
  return api::ReadList<NodePod>(
      json, [&](const JsonElement& item) { return DecodeNodePod(item, names); });
}

Result<api::WatchEvent<NodePod>> ParseNodePodWatchEvent(std::string_view json,
                                                        const model::ResourceNames& names) {
  return api::ReadWatchEvent<NodePod>(
      json, [&](const JsonElement& value) { return DecodeNodePod(value, names); });
}

}  // namespace aliquot::agent
