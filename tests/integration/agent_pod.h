// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/allocation.h"
#include "model/pod.h"
#include "tests/support/fake_kubelet.h"

namespace aliquot::agent {

using Json = nlohmann::json;

inline constexpr char kTestNode[] = "n1";

// A container with cards, as its spec and its record have it.
struct TestContainer {
  std::string name;
  model::ContainerKind kind = model::ContainerKind::kApp;
  int core = 20;
  int memory_units = 12;  // of 256 MiB; of a share
  std::vector<model::AllocatedCard> cards;
};

// A pod of the node kTestNode, as the API server, the allocator and the kubelet have it. Init
// containers and sidecars stand before app containers.
struct TestPod {
  std::string name;
  std::string uid;
  std::vector<TestContainer> containers;
};

// A container with a share of one card: its memory units follow from the MiB.
TestContainer Share(const std::string& name, const std::string& uuid, int core = 20,
                    std::int64_t mib = 3072);
// A container with whole cards of `mib` each.
TestContainer Whole(const std::string& name, const std::vector<std::string>& uuids,
                    std::int64_t mib = 15360);
// One app container "work"; the UID is "uid-<name>".
TestPod OneShare(const std::string& name, const std::string& uuid, int core = 20,
                 std::int64_t mib = 3072);

// The value of aliquot.io/allocation for it.
std::string RecordOf(const TestPod& pod);
// Bound to the node and acknowledged by the kubelet, nothing of it started, with its record.
Json PodJson(const TestPod& pod);
test::FakePod KubeletPod(const TestPod& pod);

}  // namespace aliquot::agent
