// SPDX-License-Identifier: Apache-2.0
#include "bench/agent/simulated_node.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "agent/gpu/machine_profile.h"
#include "api/allocation_codec.h"
#include "api/inventory_codec.h"
#include "model/names.h"
#include "tests/support/test_keys.h"

namespace aliquot::bench {
namespace {

using Json = test::FakeApiStore::Json;
using Kind = test::FakeApiStore::Kind;

constexpr char kNode[] = "gpu-node";
constexpr char kNamespace[] = "bench";
constexpr char kToken[] = "bench-token";
constexpr std::chrono::seconds kPatience{20};

const model::ResourceNames& Names() {
  static const model::ResourceNames names;
  return names;
}

std::string UidOf(const std::string& name) { return "uid-of-" + name; }

void Await(const std::string& what, const std::function<bool()>& reached) {
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  while (!reached()) {
    if (std::chrono::steady_clock::now() > give_up) {
      throw std::runtime_error("this did not come about: " + what);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void Check(const Status& status) {
  if (!status.ok()) {
    throw std::runtime_error(status.message());
  }
}

test::FakeApiServerOptions ApiOptions() {
  test::FakeApiServerOptions options;
  options.tokens = {kToken};
  return options;
}

test::FakeKubeletOptions KubeletOptions(const std::string& folder) {
  std::filesystem::create_directories(folder + "/plugins");
  test::FakeKubeletOptions options;
  options.directory = folder + "/plugins";
  options.pod_resources_socket = folder + "/pod-resources.sock";
  return options;
}

std::string NewKeyFiles(const test::TemporaryDirectory& folder) {
  const test::KeyTexts key = test::NewKey();
  folder.Write("public.pem", key.public_key);
  return folder.Write("private.pem", key.private_key);
}

// As the API server shows a pod that the kubelet has admitted and not started.
Json PodObject(const std::string& name, const Json& amounts, const Json& annotations) {
  Json container = {{"name", "main"}};
  Json metadata = {{"name", name}, {"namespace", kNamespace}, {"uid", UidOf(name)}};
  if (!amounts.empty()) {
    container["resources"] = {{"limits", amounts}, {"requests", amounts}};
    metadata["labels"] = {{std::string(model::kGpuLabel), std::string(model::kGpuLabelValue)}};
    metadata["annotations"] = annotations;
  }
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", metadata},
          {"spec", {{"nodeName", kNode}, {"containers", {container}}}},
          {"status", {{"phase", "Pending"}, {"startTime", "2026-01-01T00:00:00Z"}}}};
}

test::FakePod KubeletPod(const SharePod& pod) {
  test::FakeContainer container;
  container.name = "main";
  container.resources = {{Names().core, pod.core}, {Names().memory, pod.memory_units}};
  test::FakePod made;
  made.key = {kNamespace, pod.name};
  made.uid = UidOf(pod.name);
  made.containers = {container};
  return made;
}

}  // namespace

SimulatedNode::SimulatedNode(const std::string& agent, const std::string& profile)
    : api_(ApiOptions(), &authority_),
      kubelet_(KubeletOptions(folder_.path())),
      signer_(NewKeyFiles(folder_)) {
  if (!signer_.Refresh().ok()) {
    throw std::runtime_error("the signing key cannot be read");
  }
  MakeDriver(profile, agent);
  CreateNode();
  kubelet_.Start();
  const std::string configuration = WriteConfiguration(profile);
  agent_ = std::make_unique<ChildProcess>(
      std::vector<std::string>{agent, "--config=" + configuration}, folder_.PathOf("agent.log"));
  WaitForAgent();
}

SimulatedNode::~SimulatedNode() = default;

std::string SimulatedNode::WriteConfiguration(const std::string& profile) {
  const Json user = {{"tokenFile", folder_.Write("token", kToken)}};
  const Json server = {
      {"server", api_.url()},
      {"certificate-authority", folder_.Write("ca.crt", authority_.certificate())}};
  const Json kubeconfig = {
      {"apiVersion", "v1"},
      {"kind", "Config"},
      {"current-context", "bench"},
      {"clusters", {{{"name", "bench"}, {"cluster", server}}}},
      {"users", {{{"name", "bench"}, {"user", user}}}},
      {"contexts", {{{"name", "bench"}, {"context", {{"cluster", "bench"}, {"user", "bench"}}}}}}};
  const Json configuration = {
      {"apiVersion", "aliquot.io/v1alpha1"},
      {"kind", "AgentConfiguration"},
      {"nodeName", kNode},
      {"kubeconfig", folder_.Write("kubeconfig", kubeconfig.dump())},
      {"gpu",
       {{"backend", "simulated"}, {"profile", profile}, {"driverRoot", folder_.PathOf("driver")}}},
      {"grant",
       {{"mode", "devdir"},
        {"stateDirectory", folder_.PathOf("state")},
        {"dataDirectory", folder_.PathOf("data")}}},
      {"signing", {{"publicKeys", folder_.PathOf("public.pem")}}},
      {"kubelet",
       {{"pluginDirectory", folder_.PathOf("plugins")},
        {"podResourcesSocket", folder_.PathOf("pod-resources.sock")}}},
      {"listen", {{"monitor", "127.0.0.1:0"}}}};
  return folder_.Write("agent.yaml", configuration.dump());
}

void SimulatedNode::MakeDriver(const std::string& profile, const std::string& any_program) {
  const auto machine = agent::LoadMachineProfile(profile);
  Check(machine.status());
  const std::string libraries = folder_.PathOf("driver/usr/lib64");
  std::filesystem::create_directories(libraries);
  for (const char* name : {"libcuda", "libnvidia-ml", "libnvidia-ptxjitcompiler"}) {
    // Any ELF file of this machine passes for a library.
    std::filesystem::copy_file(any_program,
                               libraries + "/" + name + ".so." + machine->machine.driver);
  }
}

void SimulatedNode::CreateNode() {
  api_.store().Put(Kind::kNode,
                   {{"apiVersion", "v1"},
                    {"kind", "Node"},
                    {"metadata", {{"name", kNode}}},
                    {"spec", Json::object()},
                    {"status",
                     {{"capacity", {{"pods", "110"}}},
                      {"allocatable", {{"pods", "110"}}},
                      {"nodeInfo", {{"containerRuntimeVersion", "containerd://2.0"}}}}}});
}

void SimulatedNode::WaitForAgent() {
  const std::string key(model::kInventoryAnnotation);
  const auto annotations = [this] {
    const auto node = api_.store().Find(Kind::kNode, kNode);
    return node->at("metadata").value("annotations", Json::object());
  };
  try {
    Await("the node's inventory", [&] { return annotations().contains(key); });
    auto inventory = api::ParseInventory(annotations().at(key).get<std::string>());
    Check(inventory.status());
    inventory_ = *std::move(inventory);
    Await("every device to be advertised",
          [this] { return kubelet_.Allocatable(Names().core) == cores(); });
    Await("the plugin of the memory resource",
          [this] { return kubelet_.Allocatable(Names().memory) > 0; });
    Await("the pods to be watched",
          [this] { return api_.Count("GET", "/pods?") >= 2; });  // a list, then a watch
  } catch (const std::exception& error) {
    throw std::runtime_error(std::string(error.what()) + "; the agent said:\n" + agent_->Log());
  }
  // What a kubelet would write into its node's status.
  const Json amounts = {{Names().core, std::to_string(kubelet_.Allocatable(Names().core))},
                        {Names().memory, std::to_string(kubelet_.Allocatable(Names().memory))}};
  api_.store().PatchNode(
      kNode, Json{{"status", {{"capacity", amounts}, {"allocatable", amounts}}}}.dump(), false);
}

void SimulatedNode::AddShares(const std::vector<SharePod>& pods) {
  for (const SharePod& pod : pods) {
    model::AllocatedContainer container;
    container.name = "main";
    container.cards = {{inventory_.cards.at(static_cast<std::size_t>(pod.card)).uuid, pod.core,
                        pod.memory_units * model::kMebibytesPerMemoryUnit}};
    model::Allocation allocation;
    allocation.uid = UidOf(pod.name);
    allocation.node = kNode;
    allocation.containers = {container};
    const std::string record = api::FormatAllocation(allocation);
    const auto signature = signer_.Sign(record);
    Check(signature.status());
    const Json annotations = {{std::string(model::kAllocationAnnotation), record},
                              {std::string(model::kAllocationSignatureAnnotation), *signature}};
    const Json amounts = {{Names().core, std::to_string(pod.core)},
                          {Names().memory, std::to_string(pod.memory_units)}};
    api_.store().Put(Kind::kPod, PodObject(pod.name, amounts, annotations));
  }
  for (const SharePod& pod : pods) {
    Check(kubelet_.Admit(KubeletPod(pod)));
  }
}

void SimulatedNode::AddPlainPods(int count) {
  for (int i = 0; i < count; ++i) {
    const std::string name = "plain-" + std::to_string(i);
    api_.store().Put(Kind::kPod, PodObject(name, Json::object(), Json::object()));
    test::FakePod pod;
    pod.key = {kNamespace, name};
    pod.uid = UidOf(name);
    pod.containers.emplace_back().name = "main";
    Check(kubelet_.Admit(pod));
  }
}

void SimulatedNode::Start(const std::vector<SharePod>& pods) {
  for (const SharePod& pod : pods) {
    Check(kubelet_.StartContainer(UidOf(pod.name), "main").status());
  }
}

void SimulatedNode::Remove(const std::vector<SharePod>& pods) {
  const std::size_t left = GrantsOnDisk() - pods.size();
  for (const SharePod& pod : pods) {
    kubelet_.Remove(UidOf(pod.name));
    api_.store().Delete(Kind::kPod, std::string(kNamespace) + "/" + pod.name);
  }
  Await("the grants of removed pods to be removed", [&] { return GrantsOnDisk() == left; });
}

std::vector<std::string> SimulatedNode::CoreIds(const SharePod& pod) const {
  return kubelet_.DeviceIds(UidOf(pod.name), "main", Names().core);
}

std::string SimulatedNode::PluginSocket() const {
  std::string endpoint;
  for (const auto& [resource, registered] : kubelet_.Registrations()) {
    if (resource == Names().core) {
      endpoint = registered;
    }
  }
  return folder_.PathOf("plugins/" + endpoint);
}

std::size_t SimulatedNode::GrantsOnDisk() const {
  std::size_t found = 0;
  std::error_code ignored;
  for (const auto& grant : std::filesystem::directory_iterator(folder_.PathOf("state/grants"))) {
    found += std::filesystem::is_directory(grant.path() / "dev", ignored) ? 1 : 0;
  }
  return found;
}

std::size_t SimulatedNode::ApiWrites() const {
  return api_.Count("PATCH", "") + api_.Count("POST", "") + api_.Count("PUT", "") +
         api_.Count("DELETE", "");
}

}  // namespace aliquot::bench
