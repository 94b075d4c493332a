// SPDX-License-Identifier: Apache-2.0
// The own-node watch and the publisher against a server: what is written, how often, and what
// happens when a write's fate is not known.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "agent/inventory/node_watch.h"
#include "agent/inventory/publisher.h"
#include "tests/integration/kubeclient_fixture.h"

namespace aliquot::agent {
namespace {

using Json = test::FakeApiStore::Json;
using test::Eventually;
using test::Fault;

constexpr char kTaint[] = "aliquot.io/agent-not-ready";

class PublishTest : public kubeclient::KubeclientTest {
 protected:
  void SetUp() override {
    StartServer();
    Connect();
    server_->store().Put(
        kNode, Json{{"metadata", {{"name", "n1"}, {"labels", {{"kubernetes.io/hostname", "n1"}}}}},
                    {"spec",
                     {{"taints",
                       {{{"key", "other"}, {"effect", "NoSchedule"}},
                        {{"key", kTaint}, {"effect", "NoSchedule"}}}}}},
                    {"status", Json::object()}});
    server_->store().Put(kNode, kubeclient::NodeJson("n2"));
    PublisherOptions options;
    options.node_name = "n1";
    options.settle = std::chrono::milliseconds(300);
    options.backoff.base = std::chrono::milliseconds(10);
    options.backoff.cap = std::chrono::milliseconds(50);
    publisher_ = std::make_unique<InventoryPublisher>(options, *transport_, clock_,
                                                      kubeclient::SeededUniform(1), nullptr, log_);
    kubeclient::ListWatchOptions watch_options;
    watch_options.backoff = options.backoff;
    watch_node_ = std::make_unique<OwnNodeWatch>("n1", watch_options, *transport_, *publisher_,
                                                 watch_, clock_, kubeclient::SeededUniform(2));
    watch_node_->Start();
    publisher_->SetWish({"{\"v\":1}", {{"nvidia.com/gpu.count", "4"}}, kTaint});
  }
  void TearDown() override { watch_node_->Stop(); }

  bool TickUntilPublished() {
    return Eventually([this] {
      publisher_->Tick();
      return publisher_->published();
    });
  }
  Json Node(const std::string& name) { return *server_->store().Find(kNode, name); }

  observability::NullLog log_;
  std::unique_ptr<InventoryPublisher> publisher_;
  std::unique_ptr<OwnNodeWatch> watch_node_;
};

TEST_F(PublishTest, TheNodeSaysItAllAfterTwoWritesAndThenNothingIsWritten) {
  ASSERT_TRUE(TickUntilPublished()) << watch_.Texts();
  const Json node = Node("n1");
  EXPECT_EQ(node["metadata"]["annotations"]["aliquot.io/gpu-inventory"], "{\"v\":1}");
  EXPECT_EQ(node["metadata"]["labels"]["nvidia.com/gpu.count"], "4");
  EXPECT_EQ(node["metadata"]["labels"]["kubernetes.io/hostname"], "n1");
  ASSERT_EQ(node["spec"]["taints"].size(), 1u);
  EXPECT_EQ(node["spec"]["taints"][0]["key"], "other");
  EXPECT_EQ(server_->Count("PATCH", "/api/v1/nodes/n1"), 2u);
  EXPECT_EQ(server_->Count("GET", "fieldSelector=metadata.name%3Dn1"), 2u);  // list and watch
  for (int i = 0; i < 200; ++i) {
    publisher_->Tick();
  }
  EXPECT_EQ(server_->Count("PATCH", ""), 2u);
  EXPECT_EQ(Node("n2")["metadata"].count("annotations"), 0u);
}

TEST_F(PublishTest, AWriteThatWasDoneWithoutAWordIsNotRepeated) {
  server_->Inject({Fault::Kind::kDoThenCut, "PATCH", "/nodes/n1", 1});
  ASSERT_TRUE(TickUntilPublished()) << watch_.Texts();
  EXPECT_EQ(server_->Count("PATCH", "/api/v1/nodes/n1"), 2u);
}

TEST_F(PublishTest, AWriteThatWasLostIsFoundOutByAReadAndRepeated) {
  server_->Inject({Fault::Kind::kCut, "PATCH", "/nodes/n1", 1});
  ASSERT_TRUE(TickUntilPublished()) << watch_.Texts();
  EXPECT_EQ(server_->Count("PATCH", "/api/v1/nodes/n1"), 3u);
  EXPECT_GE(server_->Count("GET", "/api/v1/nodes/n1"), 1u);
}

TEST_F(PublishTest, ALabelOfFeatureDiscoveryIsNeverFoughtOver) {
  ASSERT_TRUE(TickUntilPublished()) << watch_.Texts();
  Json node = Node("n1");
  node["metadata"]["labels"]["nvidia.com/gpu.count"] = "8";
  server_->store().Put(kNode, node);
  ASSERT_TRUE(Eventually([this] {
    publisher_->Tick();
    return Node("n1")["metadata"]["annotations"].count("aliquot.io/gpu-labels") == 0;
  })) << "what was ours is forgotten";
  EXPECT_EQ(Node("n1")["metadata"]["labels"]["nvidia.com/gpu.count"], "8");
}

TEST_F(PublishTest, ANodeMadeAnewIsWrittenAnew) {
  ASSERT_TRUE(TickUntilPublished()) << watch_.Texts();
  server_->store().Delete(kNode, "n1");
  ASSERT_TRUE(Eventually([this] { return publisher_->node() == nullptr; }));
  EXPECT_FALSE(publisher_->published());
  server_->store().Put(kNode, kubeclient::NodeJson("n1"));
  ASSERT_TRUE(TickUntilPublished()) << watch_.Texts();
}

}  // namespace
}  // namespace aliquot::agent
