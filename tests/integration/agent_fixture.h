// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "agent/application.h"
#include "base/mutex.h"
#include "base/status.h"
#include "observability/log.h"
#include "tests/integration/agent_pod.h"
#include "tests/support/eventually.h"
#include "tests/support/fake_api_server.h"
#include "tests/support/fake_kubelet.h"
#include "tests/support/test_certificates.h"

namespace aliquot::agent {

using test::Eventually;

// Keeps every line: "message key=value ..". Thread-safe.
class RecordingLog final : public observability::Log {
 public:
  void Write(observability::Level level, std::string_view component, std::string_view message,
             std::initializer_list<observability::Field> fields) override;
  std::string Text() const;
  bool Says(const std::string& part) const { return Text().find(part) != std::string::npos; }

 private:
  mutable Mutex mutex_;
  std::string text_ GUARDED_BY(mutex_);
};

// The whole agent in this process: a simulated machine, a fake kubelet, a fake API server, all in
// one temporary directory. Device nodes are made for real, so it runs as root.
class AgentTest : public testing::Test {
 protected:
  AgentTest();
  ~AgentTest() override;
  void SetUp() override;

  // ---- the parts
  void UseProfile(const std::string& file);  // before Start; default: four T4
  void StartKubelet();
  // Starts the agent and returns at once.
  void Start();
  // Kubelet and agent, up to /readyz and all of `core` devices (default: every card) allocatable.
  void StartReady(int core = -1);
  bool WaitReady(int core);
  // The kubelet counts so many percent as healthy, and memory to go with them.
  bool WaitForDevices(int core) const;
  // As kill -9 does: nothing is told to anybody.
  void KillAgent() { application_.reset(); }
  void RestartAgent();
  void StopApiServer();  // every call fails, open watches end
  void ResumeApiServer();
  // Replaces the state of the simulated machine: lines after "kind: MachineState".
  void SetMachine(const std::string& body);

  // ---- pods
  void Put(const TestPod& pod) { Put(PodJson(pod)); }
  void Put(const Json& pod);
  // The pod is shown, and admitted by the kubelet.
  void Admit(const TestPod& pod) { AdmitShown(pod, PodJson(pod)); }
  // The same of a pod that the API server shows otherwise than PodJson.
  void AdmitShown(const TestPod& pod, const Json& shown);
  // With another record, "" = none.
  void AdmitWithRecord(const TestPod& pod, const std::string& record);
  // The kubelet starts the container and the runtime finds what it was told to hand over: the
  // container's device nodes by name ("nvidia1", "nvidiactl", ..), or why it is not started.
  Result<std::set<std::string>> StartContainer(const TestPod& pod, const std::string& container);
  // The same, repeated as the kubelet does, until it runs.
  std::set<std::string> StartsWithin(const TestPod& pod, const std::string& container);
  // The error of a start that must be refused.
  std::string Refused(const TestPod& pod, const std::string& container);
  // Phase and the pod's end, for API server and kubelet alike.
  void Finish(const TestPod& pod, const std::string& phase);
  void Remove(const TestPod& pod);
  Json Stored(const std::string& pod) const;
  std::string Annotation(const std::string& pod, const std::string& key) const;
  void SetAnnotation(const std::string& pod, const std::string& key, const std::string& value);

  // What a container with these cards has in /dev: their nodes and the control nodes.
  std::set<std::string> Nodes(const std::vector<int>& minors) const;
  const std::string& Uuid(int minor) const { return uuids_.at(static_cast<std::size_t>(minor)); }

  // ---- what the agent says
  struct Page {
    int status = 0;
    std::string body;
  };
  Page Get(const std::string& target) const;
  Json Grants() const;
  std::vector<std::string> GrantsOf(const std::string& uid) const;  // names
  std::string Metric(const std::string& series) const;              // value as text, "" = none
  Json Inventory() const;                                           // as the node object has it
  // Notes of events about a pod, in order.
  std::vector<std::string> EventsOf(const std::string& pod) const;
  std::size_t NodeWrites() const;
  std::size_t PodWrites() const;
  std::string State(const std::string& below = "") const;  // a path in the state directory
  // Names in a directory, sorted; empty when there is none.
  static std::vector<std::string> NamesIn(const std::string& directory);

  test::TemporaryDirectory directory_;
  Configuration configuration_;
  ApplicationOptions options_;
  test::FakeKubeletOptions kubelet_options_;
  RecordingLog log_;
  std::unique_ptr<test::FakeApiServer> server_;
  std::unique_ptr<test::FakeKubelet> kubelet_;
  std::unique_ptr<Application> application_;

 private:
  std::vector<std::string> uuids_;  // by minor number
};

}  // namespace aliquot::agent
