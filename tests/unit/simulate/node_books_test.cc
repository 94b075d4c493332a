// SPDX-License-Identifier: Apache-2.0
#include "simulate/node_books.h"

#include <gtest/gtest.h>

namespace aliquot::simulate {
namespace {

TraceNode Node() {
  TraceNode node;
  node.host = {10'000, 1'000};
  node.gpus = 2;
  node.model = "T4";
  return node;
}

TracePod Pod(int gpus, int milli, std::int64_t cpu = 1'000) {
  TracePod pod;
  pod.host = {cpu, 100};
  pod.gpus = gpus;
  pod.gpu_milli = milli;
  return pod;
}

TEST(NodeBooks, CountWhatIsTakenAndGivenBack) {
  NodeBooks books({Node()});
  EXPECT_TRUE(books.Take(0, Pod(1, 600), {1}));
  EXPECT_EQ(books.node(0).gpu_milli, (std::vector<int>{1000, 400}));
  EXPECT_EQ(books.node(0).host, (model::HostAmount{9'000, 900}));
  EXPECT_EQ(books.taken_milli(), 600);
  books.Give(0, Pod(1, 600), {1});
  EXPECT_EQ(books.node(0).gpu_milli, (std::vector<int>{1000, 1000}));
  EXPECT_EQ(books.taken_milli(), 0);
}

TEST(NodeBooks, NoticeWhatIsNotThere) {
  NodeBooks books({Node()});
  ASSERT_TRUE(books.Take(0, Pod(1, 600), {0}));
  EXPECT_FALSE(books.Take(0, Pod(1, 600), {0})) << "400 are left";
  EXPECT_FALSE(NodeBooks({Node()}).Take(0, Pod(2, 1000), {0})) << "one GPU for two";
  EXPECT_FALSE(NodeBooks({Node()}).Take(0, Pod(2, 1000), {0, 0})) << "the same twice";
  EXPECT_FALSE(NodeBooks({Node()}).Take(0, Pod(1, 600, 10'001), {0})) << "processor";
}

TEST(NodeBooks, FilterByProcessorAndMemory) {
  const NodeBooks books({Node()});
  EXPECT_TRUE(books.HasHost(0, {10'000, 1'000}));
  EXPECT_FALSE(books.HasHost(0, {10'001, 0}));
  EXPECT_FALSE(books.HasHost(0, {0, 1'001}));
}

}  // namespace
}  // namespace aliquot::simulate
