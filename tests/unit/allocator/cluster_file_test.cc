// SPDX-License-Identifier: Apache-2.0
#include "allocator/cluster_file.h"

#include <gtest/gtest.h>

#include <string>

#include "api/allocation_codec.h"
#include "api/inventory_codec.h"
#include "tests/unit/program/problems_of.h"

namespace aliquot::allocator {
namespace {

constexpr char kHead[] = "apiVersion: aliquot.io/v1alpha1\nkind: Cluster\n";
// Two nodes a-0 and a-1 of four cards.
constexpr char kClasses[] =
    "nodeClasses:\n"
    "  - {name: a, count: 2, cards: {count: 4, model: L4, mib: 1024}}\n";

std::optional<FileClusterState> Read(const std::string& body, std::string* reported) {
  program::Problems problems;
  auto state = ReadClusterFile(kHead + body, "c.yaml", model::ResourceNames(), problems);
  *reported = program::Text(problems);
  return state;
}

std::string ProblemsOf(const std::string& body) {
  std::string reported;
  EXPECT_FALSE(Read(body, &reported).has_value()) << body;
  return reported;
}

FileClusterState StateOf(const std::string& body) {
  std::string reported;
  auto state = Read(body, &reported);
  EXPECT_TRUE(state.has_value()) << reported;
  return state.value_or(FileClusterState());
}

const model::Node& NodeNamed(const FileClusterState& state, const std::string& name) {
  for (const model::Node& node : state.nodes) {
    if (node.name == name) {
      return node;
    }
  }
  throw std::runtime_error("no node " + name);
}

TEST(ClusterFile, NodesAndPodsMaySayTheirProcessorAndMemory) {
  const FileClusterState state = StateOf(
      "nodeClasses:\n"
      "  - {name: a, count: 1, host: {cpu: 96, memory: 1G},\n"
      "     cards: {count: 1, model: L4, mib: 1024}}\n"
      "  - {name: b, count: 1, cards: {count: 1, model: L4, mib: 1024}}\n"
      "pods:\n"
      "  - {name: p, host: {cpu: 1500m, memory: 1G}, containers: [{name: c, core: 100}]}\n"
      "  - {name: q, containers: [{name: c, core: 100}]}\n");
  // 10^9 bytes are 953.67 MiB: a node has no more than 953, a pod asks for no less than 954.
  EXPECT_EQ(NodeNamed(state, "a-0").allocatable, (model::HostAmount{96'000, 953}));
  EXPECT_EQ(NodeNamed(state, "b-0").allocatable, std::nullopt);
  EXPECT_EQ(state.pods[0].host, (model::HostAmount{1500, 954}));
  EXPECT_EQ(state.pods[1].host, model::HostAmount());
}

TEST(ClusterFile, AHostThatIsNoQuantityIsAnError) {
  EXPECT_EQ(ProblemsOf("nodeClasses:\n"
                       "  - name: a\n"
                       "    host: {cpu: many, memory: 1Gi}\n"
                       "    cards: {count: 1, model: L4, mib: 1024}\n"),
            "c.yaml:5: nodeClasses[0].host.cpu is \"many\", not a quantity; write it like 500m or "
            "96\n");
}

TEST(ClusterFile, TheDemoClusterLoads) {
  program::Problems problems;
  const auto state = LoadClusterFile(ALIQUOT_SOURCE_DIR "/config/demo-cluster.yaml",
                                     model::ResourceNames(), problems);
  ASSERT_TRUE(state.has_value()) << program::Text(problems);
  EXPECT_EQ(state->nodes.size(), 5u);
  EXPECT_EQ(state->pods.size(), 6u);
  EXPECT_FALSE(NodeNamed(*state, "dgx-1").inventory->cards[3].healthy());
  EXPECT_TRUE(NodeNamed(*state, "infer-2").unschedulable);
}

TEST(ClusterFile, NumbersNodesToOneWidth) {
  const FileClusterState state = StateOf(
      "nodeClasses:\n"
      "  - {name: a, count: 12, namePrefix: gpu, cards: {count: 1, model: L4, mib: 1}}\n");
  ASSERT_EQ(state.nodes.size(), 12u);
  EXPECT_EQ(state.nodes.front().name, "gpu00");
  EXPECT_EQ(state.nodes.back().name, "gpu11");
}

TEST(ClusterFile, GivesEachCardAUuidOfItsNode) {
  const FileClusterState state = StateOf(kClasses);
  EXPECT_EQ(NodeNamed(state, "a-1").inventory->cards[2].uuid, "GPU-a-1-2");
  EXPECT_EQ(NodeNamed(state, "a-1").inventory->cards[2].minor, 2);
}

TEST(ClusterFile, NodesOfOneClassHaveOneShape) {
  const FileClusterState state = StateOf(kClasses);
  EXPECT_NE(state.nodes[0].inventory->shape, "");
  EXPECT_EQ(state.nodes[0].inventory->shape, state.nodes[1].inventory->shape);
}

// What the file makes must be what an agent could have published.
TEST(ClusterFile, InventoriesPassTheCodecOfTheNodeAnnotation) {
  const FileClusterState state = StateOf(
      "nodeClasses:\n"
      "  - name: a\n"
      "    count: 1\n"
      "    driver: '570'\n"
      "    cards: {count: 3, model: L4, mib: 1024, numa: [0, 0, 1], computeCapability: '8.9'}\n"
      "    links: {triangle: 'NV4, PIX,SYS'}\n");
  const auto parsed = api::ParseInventory(api::FormatInventory(*state.nodes[0].inventory));
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(parsed->links, (std::vector<std::string>{"NV4", "PIX", "SYS"}));
  EXPECT_EQ(parsed->cards[2].numa, 1);
}

TEST(ClusterFile, PairsOverrideTheDefaultLink) {
  const FileClusterState state = StateOf(
      "nodeClasses:\n"
      "  - name: a\n"
      "    count: 1\n"
      "    cards: {count: 4, model: L4, mib: 1}\n"
      "    links: {default: SYS, pairs: [{cards: [3, 2], link: NV4}, {cards: [0, 1], link: "
      "PIX}]}\n");
  EXPECT_EQ(state.nodes[0].inventory->links,
            (std::vector<std::string>{"PIX", "SYS", "SYS", "SYS", "SYS", "NV4"}));
}

TEST(ClusterFile, NodeEntriesChangeOrAddNodes) {
  const FileClusterState state =
      StateOf(std::string(kClasses) +
              "nodes:\n"
              "  - {name: a-0, cordoned: true, unhealthy: [1], mig: [2], leaving: true}\n"
              "  - {name: extra, class: a, inventory: false}\n");
  ASSERT_EQ(state.nodes.size(), 3u);
  const model::Node& changed = NodeNamed(state, "a-0");
  EXPECT_TRUE(changed.unschedulable);
  EXPECT_FALSE(changed.inventory->cards[1].healthy());
  EXPECT_FALSE(changed.inventory->cards[2].shareable());
  EXPECT_TRUE(changed.inventory->leaving);
  EXPECT_EQ(NodeNamed(state, "extra").inventory, nullptr);
  EXPECT_EQ(NodeNamed(state, "extra").inventory_problem, "");
}

TEST(ClusterFile, ABoundPodWithCardsCarriesTheRecordThatAliquotWrites) {
  const FileClusterState state =
      StateOf(std::string(kClasses) +
              "pods:\n"
              "  - name: p\n"
              "    namespace: team\n"
              "    node: a-1\n"
              "    annotations: {tencent.com/vcuda-core-limit: '60', other.io/x: y}\n"
              "    containers:\n"
              "      - {name: work, core: 200, cards: [1, 0]}\n"
              "      - {name: side, core: 20, memory: 2, cards: [3]}\n"
              "      - {name: prepare, kind: init, core: 10, memory: 1, cards: [3]}\n");
  ASSERT_EQ(state.pods.size(), 1u);
  const model::Pod& pod = state.pods[0];
  EXPECT_EQ(pod.uid, "uid-team-p");
  EXPECT_EQ(pod.phase, model::PodPhase::kRunning);
  EXPECT_TRUE(pod.has_gpu_label);
  ASSERT_EQ(pod.gpu_containers.size(), 3u);
  EXPECT_EQ(pod.gpu_containers[0].name, "prepare") << "init containers come first";
  EXPECT_EQ(*pod.Annotation("tencent.com/predicate-gpu-idx-0"), "1,0");
  EXPECT_EQ(*pod.Annotation("tencent.com/predicate-gpu-idx-1"), "3");
  EXPECT_EQ(*pod.Annotation("tencent.com/predicate-node"), "a-1");
  EXPECT_EQ(pod.Annotation("other.io/x"), nullptr) << "other domains are dropped, as in the codecs";
  const auto record = api::ParseAllocation(*pod.Annotation("aliquot.io/allocation"));
  ASSERT_TRUE(record.ok()) << record.status().message();
  EXPECT_EQ(record->uid, pod.uid);
  ASSERT_EQ(record->containers.size(), 3u);
  EXPECT_EQ(record->containers[1].name, "work");
  ASSERT_EQ(record->containers[1].cards.size(), 2u);
  EXPECT_EQ(record->containers[1].cards[0].uuid, "GPU-a-1-1");
  EXPECT_EQ(record->containers[1].cards[0].core, 100);
  EXPECT_EQ(record->containers[1].cards[0].mib, 1024);
  EXPECT_EQ(record->containers[1].limit, 0);
  EXPECT_EQ(record->containers[2].cards[0].mib, 512);
  EXPECT_EQ(record->containers[2].limit, 60);
}

TEST(ClusterFile, PodsWithoutCardsHaveNoRecord) {
  const FileClusterState state = StateOf(
      std::string(kClasses) +
      "pods:\n"
      "  - {name: pending, containers: [{name: c, core: 100}]}\n"
      "  - {name: foreign, node: a-0, phase: Pending, containers: [{name: c, core: 100}]}\n");
  ASSERT_EQ(state.pods.size(), 2u);
  EXPECT_TRUE(state.pods[0].annotations.empty());
  EXPECT_EQ(state.pods[0].phase, model::PodPhase::kPending);
  EXPECT_TRUE(state.pods[1].annotations.empty());
  EXPECT_EQ(state.pods[1].node_name, "a-0");
}

TEST(ClusterFile, FinishedPodsMayNameCardsThatOthersHold) {
  const FileClusterState state =
      StateOf(std::string(kClasses) +
              "pods:\n"
              "  - {name: a, node: a-0, containers: [{name: c, core: 100, cards: [0]}]}\n"
              "  - {name: b, node: a-0, phase: Succeeded, containers: [{name: c, core: 100, cards: "
              "[0]}]}\n");
  EXPECT_EQ(state.pods.size(), 2u);
}

TEST(ClusterFile, RefusesRecordsThatTogetherTakeMoreThanACardHas) {
  EXPECT_EQ(
      ProblemsOf(
          std::string(kClasses) +
          "pods:\n"
          "  - {name: a, node: a-0, containers: [{name: c, core: 60, memory: 1, cards: [0]}]}\n"
          "  - {name: b, node: a-0, containers: [{name: c, core: 50, memory: 1, cards: [0]}]}\n"),
      "c.yaml:7: pods[1].containers takes more of card 0 of \"a-0\" than earlier pods left: "
      "together 110 % and 512 of 1024 MiB; choose another card\n");
  EXPECT_EQ(
      ProblemsOf(
          std::string(kClasses) +
          "pods:\n"
          "  - {name: a, node: a-0, containers: [{name: c, core: 10, memory: 5, cards: [0]}]}\n"),
      "c.yaml:6: pods[0].containers takes more of card 0 of \"a-0\" than earlier pods left: "
      "together 10 % and 1280 of 1024 MiB; choose another card\n");
}

// An init container and the app container after it never run together.
TEST(ClusterFile, CountsThePeakOfAPodAndNotItsSum) {
  const FileClusterState state =
      StateOf(std::string(kClasses) +
              "pods:\n"
              "  - name: p\n"
              "    node: a-0\n"
              "    containers:\n"
              "      - {name: i, kind: init, core: 80, memory: 4, cards: [0]}\n"
              "      - {name: c, core: 70, memory: 4, cards: [0]}\n");
  EXPECT_EQ(state.pods.size(), 1u);
}

TEST(ClusterFile, ChecksDemandsWithTheSentencesOfAdmission) {
  EXPECT_EQ(ProblemsOf(std::string(kClasses) +
                       "pods:\n  - {name: p, containers: [{name: c, core: 150}]}\n"),
            "c.yaml:6: pods[0] (default/p): container \"c\": tencent.com/vcuda-core is 150; above "
            "100 use a multiple of 100 (whole GPUs)\n");
}

TEST(ClusterFile, ReportsAllProblemsOfTheClassesAtOnce) {
  EXPECT_EQ(
      ProblemsOf("nodeClasses:\n"
                 "  - name: a\n"
                 "    cards: {count: 8, model: L4, mib: 1024, numa: [0, 0, 0, 0, 1, 1, 1]}\n"
                 "    links: {triangle: 'NV4'}\n"
                 "  - {name: a, cards: {count: 65, model: L4, mib: 0}}\n"
                 "  - {name: B, cards: {count: 2, model: L4, mib: 1}, links: {default: NVLINK}}\n"
                 "  - {name: c, cards: {count: 2, model: L4, mib: 1}, links: {pairs: [{cards: [0, "
                 "0], link: PIX}]}}\n"
                 "  - {count: 1, colour: red}\n"),
      "c.yaml:5: nodeClasses[0].cards.numa has 7 entries for 8 cards; give one NUMA node per "
      "card or leave it out\n"
      "c.yaml:6: nodeClasses[0].links.triangle has 1 words; give one for each of the 28 pairs "
      "of 8 cards\n"
      "c.yaml:7: nodeClasses[1].cards.count is \"65\"; write a whole number from 1 to 64\n"
      "c.yaml:7: nodeClasses[1].cards.mib is \"0\"; write a whole number from 1 to 1073741824\n"
      "c.yaml:8: nodeClasses[2].links.default holds a link that is not known: "
      "link is \"NVLINK\", not a link class; use NV1 to NV36, C2C, PIX, PXB, PHB, NODE or SYS\n"
      "c.yaml:8: nodeClasses[2].name begins node names with \"B-\"; use lower case letters, "
      "digits, '-' and '.', a letter or digit first\n"
      "c.yaml:9: nodeClasses[3].links.default is missing; add it\n"
      "c.yaml:10: nodeClasses[4].name is missing; add it\n"
      "c.yaml:10: nodeClasses[4].cards is missing; add it\n"
      "c.yaml:10: nodeClasses[4].colour is not a known key; correct its spelling or remove "
      "it\n");
}

TEST(ClusterFile, ReportsAllProblemsOfNodesAndPods) {
  EXPECT_EQ(
      ProblemsOf(
          std::string(kClasses) +
          "nodes:\n"
          "  - {name: b-0}\n"
          "  - {name: a-0, unhealthy: [4]}\n"
          "  - {name: a-0}\n"
          "  - {name: x, class: z}\n"
          "pods:\n"
          "  - {name: p, node: nowhere, containers: [{name: c, core: 100}]}\n"
          "  - {name: p, containers: []}\n"
          "  - {name: q, phase: Running, containers: [{name: c, core: 0}]}\n"
          "  - {name: r, annotations: {aliquot.io/allocation: x, tencent.com/vcuda-core-limit: 5}, "
          "containers: [{name: c, core: 100, cards: [0]}]}\n"
          "  - {name: s, node: a-1, containers: [{name: c, core: 200, cards: [0, 0]}]}\n"),
      "c.yaml:6: nodes[0].name is \"b-0\", which no class makes; correct it, or give the class "
      "of this new node\n"
      "c.yaml:7: nodes[1].unhealthy holds \"4\"; write whole numbers from 0 to 3\n"
      "c.yaml:8: nodes[2].name is \"a-0\", which an earlier entry names; keep one\n"
      "c.yaml:9: nodes[3].class is \"z\", which nodeClasses does not have; name one of them\n"
      "c.yaml:11: pods[0].node is \"nowhere\", which is no node of this file; name one of "
      "them\n"
      "c.yaml:12: pods[1].name is \"p\", as another pod of its namespace is; give each its own\n"
      "c.yaml:12: pods[1].containers is empty; list the containers that ask for a share\n"
      "c.yaml:13: pods[2].phase is \"Running\" without a node; give the node, or leave the "
      "phase out\n"
      "c.yaml:13: pods[2].containers[0].core is 0; list only containers that ask for a share, "
      "at least 1\n"
      "c.yaml:14: pods[3].annotations.aliquot.io/allocation is a record that only Aliquot "
      "writes; give cards instead\n"
      "c.yaml:14: pods[3].annotations.tencent.com/vcuda-core-limit is a number; annotations "
      "are text, so put it in quotes\n"
      "c.yaml:14: pods[3].containers gives cards although the pod has no node; give the node, "
      "or leave the cards out\n"
      "c.yaml:15: pods[4].containers gives \"c\" no such cards; give 2 different indices from "
      "0 to 3\n");
}

TEST(ClusterFile, RefusesAnotherKindAndUnknownKeys) {
  program::Problems problems;
  EXPECT_FALSE(
      ReadClusterFile("kind: Clutser\nfoo: 1\n", "c.yaml", model::ResourceNames(), problems));
  EXPECT_EQ(program::Text(problems),
            "c.yaml:1: apiVersion is missing; add it\n"
            "c.yaml:1: kind is \"Clutser\"; choose among Cluster\n"
            "c.yaml:1: nodeClasses is missing; add it\n"
            "c.yaml:2: foo is not a known key; correct its spelling or remove it\n");
}

TEST(ClusterFile, TwoClassesMustNotMakeTheSameNode) {
  EXPECT_EQ(
      ProblemsOf("nodeClasses:\n"
                 "  - {name: a, count: 1, cards: {count: 1, model: L4, mib: 1}}\n"
                 "  - {name: b, namePrefix: a-, count: 1, cards: {count: 1, model: L4, mib: 1}}\n"),
      "c.yaml:5: nodeClasses[1] makes the node \"a-0\", which another class makes too; give "
      "them different prefixes\n");
}

}  // namespace
}  // namespace aliquot::allocator
