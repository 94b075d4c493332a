// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/allocator_fixture.h"

#include <spdlog/sinks/null_sink.h>

#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "kubeclient/base64.h"

namespace aliquot::allocator {

AllocatorTest::AllocatorTest() : scheduler_(authority_.IssueClient("kube-scheduler")) {
  const test::KeyPair server = authority_.IssueServer();
  configuration_.listen = {"127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", ""};
  configuration_.tls.certificate_file = directory_.Write("tls.crt", server.certificate);
  configuration_.tls.key_file = directory_.Write("tls.key", server.key);
  configuration_.tls.client_ca_file = directory_.Write("ca.crt", authority_.certificate());
  configuration_.tls.reload_interval = std::chrono::milliseconds(100);
  configuration_.addresses_file = directory_.PathOf("addresses.json");
  log_ = std::make_unique<observability::JsonLog>(observability::LogOptions(), clock_,
                                                  std::make_shared<spdlog::sinks::null_sink_mt>());
}

AllocatorTest::~AllocatorTest() = default;

void AllocatorTest::UseCluster(const std::string& more) {
  const std::string text =
      "apiVersion: aliquot.io/v1alpha1\n"
      "kind: Cluster\n"
      "nodeClasses:\n"
      "  - name: a\n"
      "    count: 2\n"
      "    cards: {count: 4, model: L4, mib: 16384}\n"
      "    links: {default: NV4}\n";
  configuration_.cluster_file = directory_.Write("cluster.yaml", text + more);
}

void AllocatorTest::Start() {
  program::Problems problems;
  CheckConfiguration(configuration_, {}, problems);
  application_ = std::make_unique<Application>(configuration_, *log_);
  const bool started = problems.empty() && application_->Start(problems);
  for (const std::string& line : problems.lines()) {
    ADD_FAILURE() << line;
  }
  ASSERT_TRUE(started);
}

void AllocatorTest::StartReady() {
  Start();
  ASSERT_TRUE(Eventually([this] { return Monitor("/readyz").status == 200; }))
      << Monitor("/readyz").body;
}

test::HttpTestClient AllocatorTest::Extender() const {
  return test::HttpTestClient(application_->addresses().extender,
                              test::ClientTls{authority_.certificate(), scheduler_});
}

test::HttpTestClient AllocatorTest::Admission() const {
  return test::HttpTestClient(application_->addresses().admission,
                              test::ClientTls{authority_.certificate(), std::nullopt});
}

test::HttpReply AllocatorTest::Monitor(const std::string& target) const {
  return test::HttpTestClient(application_->addresses().monitor).Get(target);
}

Json AllocatorTest::MonitorJson(const std::string& target) const {
  const test::HttpReply reply = Monitor(target);
  EXPECT_EQ(reply.status, 200) << target << ": " << reply.body;
  return Json::parse(reply.body, nullptr, false);
}

Json AllocatorTest::PostJson(test::HttpTestClient client, const std::string& path,
                             const Json& body) const {
  EXPECT_TRUE(client.ok()) << client.error();
  const test::HttpReply reply = client.Post(path, body.dump());
  EXPECT_EQ(reply.status, 200) << path << ": " << reply.body;
  return Json::parse(reply.body, nullptr, false);
}

Json AllocatorTest::Filter(const Json& pod, const std::vector<std::string>& nodes) const {
  return PostJson(Extender(), "/scheduler/filter",
                  {{"Pod", pod}, {"Nodes", nullptr}, {"NodeNames", nodes}});
}

Json AllocatorTest::Prioritize(const Json& pod, const std::vector<std::string>& nodes) const {
  return PostJson(Extender(), "/scheduler/prioritize",
                  {{"Pod", pod}, {"Nodes", nullptr}, {"NodeNames", nodes}});
}

std::string AllocatorTest::Bind(const std::string& pod, const std::string& node) const {
  return PostJson(Extender(), "/scheduler/bind",
                  {{"PodName", pod},
                   {"PodNamespace", "default"},
                   {"PodUID", "uid-default-" + pod},
                   {"Node", node}})
      .value("Error", "no Error key");
}

Json AllocatorTest::Review(const std::string& path, const Json& request) const {
  const Json reply = PostJson(
      Admission(), path,
      {{"apiVersion", "admission.k8s.io/v1"}, {"kind", "AdmissionReview"}, {"request", request}});
  EXPECT_EQ(reply.at("response").at("uid"), request.at("uid"));
  return reply.at("response");
}

Json AllocatorTest::CreateReview(const std::string& resource, const std::string& subresource,
                                 const Json& object, bool dry_run) {
  const Json& metadata = object.at("metadata");
  return {{"uid", "review-1"},
          {"kind", {{"group", ""}, {"version", "v1"}, {"kind", object.at("kind")}}},
          {"resource", {{"group", ""}, {"version", "v1"}, {"resource", resource}}},
          {"subResource", subresource},
          {"name", metadata.at("name")},
          {"namespace", metadata.at("namespace")},
          {"operation", "CREATE"},
          {"userInfo", {{"username", "somebody"}}},
          {"dryRun", dry_run},
          {"object", object}};
}

Json AllocatorTest::PodJson(const std::string& name, int core, int memory) {
  Json limits = {{"tencent.com/vcuda-core", std::to_string(core)}};
  if (memory > 0) {
    limits["tencent.com/vcuda-memory"] = std::to_string(memory);
  }
  const Json container = {{"name", "work"},
                          {"image", "example.org/app:1"},
                          {"resources", {{"limits", limits}, {"requests", limits}}}};
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata",
           {{"name", name},
            {"namespace", "default"},
            {"uid", "uid-default-" + name},
            {"labels", {{"aliquot.io/gpu", "true"}}}}},
          {"spec", {{"containers", {container}}}}};
}

Json AllocatorTest::BindingJson(const std::string& pod, const std::string& node) {
  return {{"apiVersion", "v1"},
          {"kind", "Binding"},
          {"metadata", {{"name", pod}, {"namespace", "default"}, {"uid", "uid-default-" + pod}}},
          {"target", {{"apiVersion", "v1"}, {"kind", "Node"}, {"name", node}}}};
}

Json AllocatorTest::PatchOf(const Json& response) {
  EXPECT_EQ(response.at("allowed"), true) << response.dump();
  if (!response.contains("patch")) {
    return nullptr;
  }
  return Json::parse(kubeclient::DecodeBase64(response.at("patch").get<std::string>()).value_or(""),
                     nullptr, false);
}

}  // namespace aliquot::allocator
