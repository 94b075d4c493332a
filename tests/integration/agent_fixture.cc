// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/agent_fixture.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <utility>

#include "agent/gpu/machine_profile.h"
#include "tests/integration/http_test_client.h"

namespace aliquot::agent {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
constexpr auto kPod = test::FakeApiStore::Kind::kPod;
constexpr auto kNode = test::FakeApiStore::Kind::kNode;

// Everything that waits for time is short, and nothing of it decides a test's outcome.
ApplicationOptions QuickOptions() {
  ApplicationOptions options;
  options.tick = milliseconds(20);
  options.sweep = milliseconds(20);
  options.key_look = milliseconds(20);
  options.last_pods = milliseconds(20);
  options.machine.events = milliseconds(50);
  options.machine.checks = milliseconds(50);
  options.machine.looks = milliseconds(100);
  options.machine.absent = milliseconds(50);
  options.offer.wait_for_node = milliseconds(200);
  options.offer.socket_looks = milliseconds(100);
  options.resolver.wait_for_news = milliseconds(300);
  options.resolver.per_call = milliseconds(300);
  options.resolver.all_calls = milliseconds(1000);
  options.plugin.settle = milliseconds(50);
  options.plugin.look_interval = milliseconds(50);
  options.plugin.stream_grace = milliseconds(500);
  options.publisher.settle = milliseconds(500);
  options.publisher.backoff = {milliseconds(10), milliseconds(50), milliseconds(1000)};
  options.watch.backoff = options.publisher.backoff;
  return options;
}

}  // namespace

void RecordingLog::Write(observability::Level /*level*/, std::string_view /*component*/,
                         std::string_view message,
                         std::initializer_list<observability::Field> fields) {
  std::ostringstream line;
  line << message;
  for (const observability::Field& field : fields) {
    line << ' ' << field.key << '=';
    std::visit([&line](const auto& value) { line << value; }, field.value);
  }
  MutexLock lock(mutex_);
  text_ += line.str() + "\n";
}

std::string RecordingLog::Text() const {
  MutexLock lock(mutex_);
  return text_;
}

AgentTest::AgentTest() : options_(QuickOptions()) {
  test::FakeApiServerOptions server;
  server.tls = false;
  server_ = std::make_unique<test::FakeApiServer>(server, nullptr);
  server_->store().Put(
      kNode,
      {{"metadata", {{"name", kTestNode}}}, {"spec", Json::object()}, {"status", Json::object()}});
  const std::string plugins = directory_.PathOf("plugins");
  fs::create_directory(plugins);
  kubelet_options_.directory = plugins;
  kubelet_options_.pod_resources_socket = directory_.PathOf("pod-resources.sock");
  kubelet_options_.seed =
      static_cast<std::uint32_t>(testing::UnitTest::GetInstance()->random_seed());
  Configuration& c = configuration_;
  c.node_name = kTestNode;
  c.kubeconfig = directory_.Write("kubeconfig",
                                  "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                                  "clusters: [{name: c, cluster: {server: \"" +
                                      server_->url() +
                                      "\"}}]\n"
                                      "contexts: [{name: c, context: {cluster: c, user: u}}]\n"
                                      "users: [{name: u, user: {}}]\n");
  c.gpu.backend = "simulated";
  c.gpu.state = directory_.PathOf("machine.yaml");
  c.gpu.healthy_after = milliseconds(100);
  c.grant.state_directory = directory_.PathOf("state");
  c.grant.data_directory = directory_.PathOf("data");
  c.grant.cdi_directory = directory_.PathOf("cdi");
  c.grant.orphan_grace = milliseconds(1000);
  c.driver_delivery = "none";
  c.kubelet.plugin_directory = plugins;
  c.kubelet.pod_resources_socket = kubelet_options_.pod_resources_socket;
  c.listen_monitor = "127.0.0.1:0";
  c.drain_timeout = milliseconds(5000);
  UseProfile(ALIQUOT_SOURCE_DIR "/profiles/t4x4.yaml");
}

AgentTest::~AgentTest() {
  application_.reset();
  kubelet_.reset();
  if (HasFailure()) {
    std::cerr << "the agent's log:\n" << log_.Text();
  }
}

void AgentTest::SetUp() {
  ASSERT_EQ(geteuid(), 0u) << "these tests make device nodes (mknod); run them as root";
}

void AgentTest::UseProfile(const std::string& file) {
  const auto profile = LoadMachineProfile(file);
  ASSERT_TRUE(profile.ok()) << profile.status().message();
  configuration_.gpu.profile = file;
  uuids_.clear();
  for (const MachineCard& card : profile->machine.cards) {
    uuids_.push_back(card.card.uuid);
  }
}

void AgentTest::StartKubelet() {
  kubelet_ = std::make_unique<test::FakeKubelet>(kubelet_options_);
  kubelet_->Start();
}

void AgentTest::Start() {
  program::Problems problems;
  CheckConfiguration(configuration_, {}, problems);
  application_ = std::make_unique<Application>(configuration_, log_, options_);
  const bool started = problems.empty() && application_->Start(problems);
  for (const std::string& line : problems.lines()) {
    ADD_FAILURE() << line;
  }
  ASSERT_TRUE(started);
}

bool AgentTest::WaitForDevices(int core) const {
  const model::ResourceNames& names = configuration_.resource_names;
  return Eventually([&] {
    return kubelet_->Allocatable(names.core) == core &&
           (kubelet_->Allocatable(names.memory) > 0) == (core > 0);
  });
}

bool AgentTest::WaitReady(int core) {
  return Eventually([&] { return Get("/readyz").status == 200; }) && WaitForDevices(core);
}

void AgentTest::StartReady(int core) {
  if (kubelet_ == nullptr) {
    StartKubelet();
  }
  ASSERT_NO_FATAL_FAILURE(Start());
  const int expected = core >= 0 ? core : static_cast<int>(uuids_.size()) * 100;
  ASSERT_TRUE(WaitReady(expected))
      << Get("/readyz").body
      << "\nallocatable: " << kubelet_->Allocatable(configuration_.resource_names.core) << " of "
      << expected;
}

void AgentTest::RestartAgent() {
  KillAgent();
  StartReady();
}

void AgentTest::StopApiServer() {
  server_->Inject({test::Fault::Kind::kReply, "", "", 1 << 30, 503, "", ""});
  server_->EndWatches();
}

void AgentTest::ResumeApiServer() { server_->ClearFaults(); }

void AgentTest::SetMachine(const std::string& body) {
  directory_.Write("machine.yaml", "apiVersion: aliquot.io/v1alpha1\nkind: MachineState\n" + body);
}

void AgentTest::Put(const Json& pod) { server_->store().Put(kPod, pod); }

void AgentTest::AdmitWithRecord(const TestPod& pod, const std::string& record) {
  Json shown = PodJson(pod);
  Json& annotations = shown["metadata"]["annotations"];
  annotations.erase("aliquot.io/allocation");
  if (!record.empty()) {
    annotations["aliquot.io/allocation"] = record;
  }
  AdmitShown(pod, shown);
}

void AgentTest::AdmitShown(const TestPod& pod, const Json& shown) {
  Put(shown);
  const Status admitted = kubelet_->Admit(KubeletPod(pod));
  ASSERT_TRUE(admitted.ok()) << admitted.message();
}

Result<std::set<std::string>> AgentTest::StartContainer(const TestPod& pod,
                                                        const std::string& container) {
  const auto allocations = kubelet_->StartContainer(pod.uid, container);
  if (!allocations.ok()) {
    return allocations.status();
  }
  // What a runtime makes of it: a directory as device adds the nodes in it; without it no start.
  std::set<std::string> nodes;
  for (const auto& [resource, given] : *allocations) {
    for (const auto& device : given.devices) {
      std::error_code error;
      for (const auto& entry : fs::directory_iterator(device.host_path, error)) {
        struct stat found {};
        if (stat(entry.path().c_str(), &found) == 0 && S_ISCHR(found.st_mode)) {
          nodes.insert(entry.path().filename());
        }
      }
      if (error) {
        return NotFound("error gathering device information: no such file: " + device.host_path);
      }
    }
  }
  return nodes;
}

std::set<std::string> AgentTest::StartsWithin(const TestPod& pod, const std::string& container) {
  Result<std::set<std::string>> nodes = Unavailable("not tried");
  EXPECT_TRUE(Eventually([&] {
    nodes = StartContainer(pod, container);
    return nodes.ok();
  })) << pod.name
      << ": " << nodes.status().message();
  return nodes.ok() ? *nodes : std::set<std::string>();
}

std::string AgentTest::Refused(const TestPod& pod, const std::string& container) {
  const auto nodes = StartContainer(pod, container);
  EXPECT_FALSE(nodes.ok()) << pod.name << "/" << container << " was started";
  return nodes.ok() ? "" : std::string(nodes.status().message());
}

void AgentTest::Finish(const TestPod& pod, const std::string& phase) {
  Json stored = Stored(pod.name);
  stored["status"]["phase"] = phase;
  Put(stored);
  kubelet_->End(pod.uid);
}

void AgentTest::Remove(const TestPod& pod) {
  kubelet_->End(pod.uid);
  kubelet_->Remove(pod.uid);
  server_->store().Delete(kPod, "default/" + pod.name);
}

Json AgentTest::Stored(const std::string& pod) const {
  return server_->store().Find(kPod, "default/" + pod).value_or(Json());
}

std::string AgentTest::Annotation(const std::string& pod, const std::string& key) const {
  return Stored(pod)["metadata"].value("annotations", Json::object()).value(key, "");
}

void AgentTest::SetAnnotation(const std::string& pod, const std::string& key,
                              const std::string& value) {
  Json stored = Stored(pod);
  if (value.empty()) {
    stored["metadata"]["annotations"].erase(key);
  } else {
    stored["metadata"]["annotations"][key] = value;
  }
  Put(stored);
}

std::set<std::string> AgentTest::Nodes(const std::vector<int>& minors) const {
  std::set<std::string> nodes{"nvidia-uvm", "nvidia-uvm-tools", "nvidiactl"};
  for (const int minor : minors) {
    nodes.insert("nvidia" + std::to_string(minor));
  }
  return nodes;
}

AgentTest::Page AgentTest::Get(const std::string& target) const {
  if (application_ == nullptr || application_->monitor_address().empty()) {
    return {};
  }
  const test::HttpReply reply = test::HttpTestClient(application_->monitor_address()).Get(target);
  return {reply.status, reply.body};
}

Json AgentTest::Grants() const {
  return Json::parse(Get("/grants").body, nullptr, false).value("grants", Json::array());
}

std::vector<std::string> AgentTest::GrantsOf(const std::string& uid) const {
  std::vector<std::string> names;
  for (const Json& grant : Grants()) {
    if (grant.value("uid", "") == uid) {
      names.push_back(grant.value("name", ""));
    }
  }
  return names;
}

std::string AgentTest::Metric(const std::string& series) const {
  std::istringstream lines(Get("/metrics").body);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(series + " ", 0) == 0) {
      return line.substr(series.size() + 1);
    }
  }
  return "";
}

Json AgentTest::Inventory() const {
  const Json node = server_->store().Find(kNode, kTestNode).value_or(Json::object());
  const std::string text =
      node.value("/metadata/annotations/aliquot.io~1gpu-inventory"_json_pointer, "");
  return text.empty() ? Json::object() : Json::parse(text, nullptr, false);
}

std::vector<std::string> AgentTest::EventsOf(const std::string& pod) const {
  std::vector<std::string> notes;
  for (const Json& event : server_->store().Events()) {
    if (event.value("/regarding/name"_json_pointer, "") == pod) {
      notes.push_back(event.value("reason", "") + ": " + event.value("note", ""));
    }
  }
  return notes;
}

std::size_t AgentTest::NodeWrites() const { return server_->Count("PATCH", "/nodes/"); }

std::size_t AgentTest::PodWrites() const {
  return server_->Count("PATCH", "/pods/") + server_->Count("POST", "/pods/");
}

std::string AgentTest::State(const std::string& below) const {
  return configuration_.grant.state_directory + below;
}

std::vector<std::string> AgentTest::NamesIn(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace aliquot::agent
