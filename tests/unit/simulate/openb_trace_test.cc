// SPDX-License-Identifier: Apache-2.0
#include "simulate/openb_trace.h"

#include <gtest/gtest.h>

namespace aliquot::simulate {
namespace {

constexpr std::string_view kPodHeader = "name,cpu_milli,memory_mib,num_gpu,gpu_milli\n";
constexpr std::string_view kLongHeader =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
    "deletion_time,scheduled_time\n";

std::string PodError(const std::string& row, std::string_view header = kPodHeader) {
  const auto pods = ParseTracePods(std::string(header) + row + "\n", "p.csv");
  return pods.ok() ? "no error" : pods.status().message();
}

std::string NodeError(const std::string& row) {
  const auto nodes = ParseTraceNodes("sn,cpu_milli,memory_mib,gpu,model\n" + row + "\n", "n.csv");
  return nodes.ok() ? "no error" : nodes.status().message();
}

TEST(TraceNodes, AreRead) {
  const auto nodes = ParseTraceNodes(
      "sn,cpu_milli,memory_mib,gpu,model\nn-0,96000,393216,8,G2\nn-1,32000,262144,0,\n", "n.csv");
  ASSERT_TRUE(nodes.ok()) << nodes.status().message();
  ASSERT_EQ(nodes->size(), 2u);
  EXPECT_EQ((*nodes)[0].name, "n-0");
  EXPECT_EQ((*nodes)[0].host, (model::HostAmount{96000, 393216}));
  EXPECT_EQ((*nodes)[0].gpus, 8);
  EXPECT_EQ((*nodes)[0].model, "G2");
  EXPECT_EQ((*nodes)[1].gpus, 0);
  EXPECT_EQ(TotalGpuMilli(*nodes), 8000);
}

TEST(TraceNodes, AreRefusedWithFileAndLine) {
  EXPECT_EQ(NodeError("n,-5,1,1,T4"),
            "n.csv:2: cpu_milli is \"-5\"; use a whole number from 0 to 1000000000");
  EXPECT_EQ(NodeError("n,1,1,65,T4"), "n.csv:2: gpu is \"65\"; use a whole number from 0 to 64");
  EXPECT_EQ(NodeError("n,1,1,2,"),
            "n.csv:2: model is empty although the node has 2 GPUs; name their model");
  EXPECT_EQ(NodeError("n,1,1,1,T4\nn,1,1,1,T4"),
            "n.csv:3: sn is \"n\", which an earlier line has; give every line its own name");
  EXPECT_EQ(NodeError(",1,1,1,T4"), "n.csv:2: sn is empty; give every line its own name");
}

TEST(TracePods, NeedOnlyTheFirstFiveColumns) {
  const auto pods = ParseTracePods(std::string(kPodHeader) + "p-0,12000,16384,1,460\n", "p.csv");
  ASSERT_TRUE(pods.ok()) << pods.status().message();
  EXPECT_EQ(pods->front().host, (model::HostAmount{12000, 16384}));
  EXPECT_TRUE(pods->front().shared());
  EXPECT_EQ(pods->front().total_milli(), 460);
  EXPECT_FALSE(pods->front().life_seconds.has_value());
}

TEST(TracePods, TakeModelsOnceAndLifeFromTheLongForm) {
  const auto pods =
      ParseTracePods(std::string(kLongHeader) +
                         "p-0,1,1,2,1000,V100M32|V100M16|V100M32,LS,Running,100,160,110\n"
                         "p-1,1,1,0,0,,BE,Running,100,,\n",
                     "p.csv");
  ASSERT_TRUE(pods.ok()) << pods.status().message();
  EXPECT_EQ((*pods)[0].models, (std::vector<std::string>{"V100M16", "V100M32"}));
  EXPECT_EQ((*pods)[0].life_seconds, 60);
  EXPECT_EQ((*pods)[0].total_milli(), 2000);
  EXPECT_FALSE((*pods)[1].life_seconds.has_value());
}

TEST(TracePods, WithoutGpuHaveNoMilli) {
  const auto pods = ParseTracePods(std::string(kPodHeader) + "p,1,1,0,500\n", "p.csv");
  ASSERT_TRUE(pods.ok());
  EXPECT_EQ(pods->front().gpu_milli, 0);
}

TEST(TracePods, AreRefusedWithFileAndLine) {
  EXPECT_EQ(PodError("p,1,1,1,-1"),
            "p.csv:2: gpu_milli is \"-1\"; use a whole number from 0 to 1000");
  EXPECT_EQ(PodError("p,1,1,1,1001"),
            "p.csv:2: gpu_milli is \"1001\"; use a whole number from 0 to 1000");
  EXPECT_EQ(PodError("p,1,1,1,0"),
            "p.csv:2: gpu_milli is 0 with num_gpu 1; use 1 to 1000, or num_gpu 0");
  EXPECT_EQ(PodError("p,1,1,2,500"),
            "p.csv:2: gpu_milli is 500 with num_gpu 2; several GPUs are taken whole: use 1000");
  EXPECT_EQ(PodError("p,a,1,1,1"),
            "p.csv:2: cpu_milli is \"a\"; use a whole number from 0 to 1000000000");
  EXPECT_EQ(PodError("p,1,1,1"),
            "p.csv:2: the line has 4 fields and the header 5; give every line one field a column");
  EXPECT_EQ(PodError("p,1,1,1,1000,,LS,Running,9,5,9", kLongHeader),
            "p.csv:2: deletion_time is 5, before creation_time 9; exchange or remove them");
}

TEST(TracePods, NeedAHeaderAndALine) {
  EXPECT_EQ(ParseTracePods("p-0,1,1,1,1000\n", "p.csv").status().message(),
            "p.csv:1: column \"name\" is missing; the first line must name "
            "name,cpu_milli,memory_mib,num_gpu,gpu_milli");
  EXPECT_EQ(ParseTracePods(kPodHeader, "p.csv").status().message(),
            "p.csv:1: no line follows the header; add at least one");
}

}  // namespace
}  // namespace aliquot::simulate
