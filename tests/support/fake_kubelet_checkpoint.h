// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace aliquot::test {

// What the kubelet keeps in kubelet_internal_checkpoint of its device plugin directory.
struct FakeKubeletAllocation {
  std::vector<std::string> device_ids;
  std::string answer;  // ContainerAllocateResponse, serialised
};

struct FakeKubeletCheckpoint {
  // (pod UID, container, resource)
  std::map<std::tuple<std::string, std::string, std::string>, FakeKubeletAllocation> allocations;
  std::map<std::string, std::set<std::string>> registered_devices;  // resource -> healthy IDs
};

// The file's text. The real checksum is a hash over a dump of Go structures; this one is FNV-1a
// over the text of "Data", which is as good for a reader that cannot verify it.
std::string CheckpointText(const FakeKubeletCheckpoint& checkpoint);
// Nothing of a text that is not such a checkpoint, as the kubelet starts afresh then.
FakeKubeletCheckpoint ParseCheckpoint(const std::string& text);

// Written aside and renamed, as the kubelet does.
void WriteCheckpoint(const std::string& path, const FakeKubeletCheckpoint& checkpoint);
FakeKubeletCheckpoint ReadCheckpoint(const std::string& path);

}  // namespace aliquot::test
