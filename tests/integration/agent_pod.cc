// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/agent_pod.h"

#include "api/allocation_codec.h"
#include "model/names.h"

namespace aliquot::agent {
namespace {

const model::ResourceNames kNames;

Json ContainerJson(const TestContainer& container) {
  Json limits = {{kNames.core, std::to_string(container.core)}};
  if (container.memory_units > 0) {
    limits[kNames.memory] = std::to_string(container.memory_units);
  }
  Json json = {{"name", container.name},
               {"image", "example.org/app:1"},
               {"resources", {{"limits", limits}, {"requests", limits}}}};
  if (container.kind == model::ContainerKind::kSidecar) {
    json["restartPolicy"] = "Always";
  }
  return json;
}

}  // namespace

TestContainer Share(const std::string& name, const std::string& uuid, int core, std::int64_t mib) {
  const auto units = static_cast<int>(mib / model::kMebibytesPerMemoryUnit);
  return {name, model::ContainerKind::kApp, core, units, {{uuid, core, mib}}};
}

TestContainer Whole(const std::string& name, const std::vector<std::string>& uuids,
                    std::int64_t mib) {
  TestContainer container{name, model::ContainerKind::kApp, 0, 0, {}};
  for (const std::string& uuid : uuids) {
    container.core += 100;
    container.cards.push_back({uuid, 100, mib});
  }
  return container;
}

TestPod OneShare(const std::string& name, const std::string& uuid, int core, std::int64_t mib) {
  return {name, "uid-" + name, {Share("work", uuid, core, mib)}};
}

std::string RecordOf(const TestPod& pod) {
  model::Allocation allocation{pod.uid, kTestNode, {}};
  for (const TestContainer& container : pod.containers) {
    allocation.containers.push_back({container.name, container.cards, 0, "auto"});
  }
  return api::FormatAllocation(allocation);
}

Json PodJson(const TestPod& pod) {
  Json spec = {{"nodeName", kTestNode}, {"containers", Json::array()}};
  for (const TestContainer& container : pod.containers) {
    const bool app = container.kind == model::ContainerKind::kApp;
    spec[app ? "containers" : "initContainers"].push_back(ContainerJson(container));
  }
  return {{"metadata",
           {{"name", pod.name},
            {"namespace", "default"},
            {"uid", pod.uid},
            {"labels", {{std::string(model::kGpuLabel), "true"}}},
            {"annotations", {{std::string(model::kAllocationAnnotation), RecordOf(pod)}}}}},
          {"spec", spec},
          {"status", {{"phase", "Pending"}, {"startTime", "2026-11-29T10:00:00Z"}}}};
}

test::FakePod KubeletPod(const TestPod& pod) {
  test::FakePod fake{{"default", pod.name}, pod.uid, {}};
  for (const TestContainer& container : pod.containers) {
    test::FakeContainer made{container.name, container.kind, {{kNames.core, container.core}}};
    if (container.memory_units > 0) {
      made.resources[kNames.memory] = container.memory_units;
    }
    fake.containers.push_back(std::move(made));
  }
  return fake;
}

}  // namespace aliquot::agent
