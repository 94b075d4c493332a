// SPDX-License-Identifier: Apache-2.0
// The whole allocator against pods and requests that were made to break it.
#include <gmock/gmock.h>

#include <chrono>
#include <ctime>
#include <future>

#include "tests/integration/allocator_fixture.h"

namespace aliquot::allocator {
namespace {

using testing::HasSubstr;

class BadInputTest : public AllocatorTest {
 protected:
  static constexpr int kNodes = 40;

  static std::string NodeName(int node) {
    return "w-" + std::string(node < 10 ? "0" : "") + std::to_string(node);
  }

  // Nodes of 15 open cards, all different, each with room for one container of the pod below: its
  // sixteenth finds none, and to prove it every order of the others would have to be tried.
  void UseNearlyFullNodes() {
    std::string more = "  - {name: w, count: " + std::to_string(kNodes) +
                       ", cards: {count: 16, model: L4, mib: 81920}}\npods:\n";
    for (int node = 0; node < kNodes; ++node) {
      for (int card = 0; card < 16; ++card) {
        more += "  - {name: p-" + std::to_string(node) + "-" + std::to_string(card) +
                ", node: " + NodeName(node) +
                ", containers: [{name: c, core: " + std::to_string(card == 15 ? 100 : 30 + card) +
                ", memory: " + std::to_string(20 + (card * 7) % 40) + ", cards: [" +
                std::to_string(card) + "]}]}\n";
      }
    }
    UseCluster(more);
  }

  // `containers` GPU containers of awkward sizes.
  static Json ManyContainers(const std::string& name, int containers) {
    Json pod = PodJson(name, 20, 15);
    Json& list = pod["spec"]["containers"];
    list = Json::array();
    for (int i = 0; i < containers; ++i) {
      const Json limits = {{"tencent.com/vcuda-core", std::to_string(40 + i % 9)},
                           {"tencent.com/vcuda-memory", std::to_string(40 + i)}};
      list.push_back({{"name", "c" + std::to_string(i)}, {"resources", {{"limits", limits}}}});
    }
    return pod;
  }
};

TEST_F(BadInputTest, AnExplodingPodIsAnsweredAndStarvesNobody) {
  UseNearlyFullNodes();
  // The steps must end the search, on however slow a machine: not the clock.
  configuration_.deadlines.filter = std::chrono::seconds(60);
  StartReady();
  std::vector<std::string> nodes;
  for (int i = 0; i < kNodes; ++i) {
    nodes.push_back(NodeName(i));
  }
  std::vector<std::future<Json>> exploding;
  for (int i = 0; i < 4; ++i) {
    exploding.push_back(std::async(std::launch::async, [&, i] {
      return Filter(ManyContainers("boom-" + std::to_string(i), 16), nodes);
    }));
  }
  EXPECT_EQ(Filter(PodJson("small", 20, 15), {"a-0"})["NodeNames"], Json({"a-0"}));
  for (std::future<Json>& each : exploding) {
    const Json reply = each.get();
    EXPECT_EQ(reply["Error"], "");
    EXPECT_EQ(reply["NodeNames"], Json::array());
    ASSERT_EQ(reply["FailedNodes"].size(), nodes.size());
    EXPECT_EQ(reply["FailedNodes"]["w-00"],
              "the pod's containers fit one by one, but not all together");
  }
  EXPECT_THAT(Monitor("/metrics").body, HasSubstr("aliquot_allocator_search_cut_short_total 4\n"))
      << "the search was ended by its steps";
  EXPECT_THAT(Bind("boom-0", "w-00"), HasSubstr("not all together"));
}

TEST_F(BadInputTest, AThousandGpuContainersAreRefusedByEveryVerb) {
  UseCluster();
  StartReady();
  const Json pod = ManyContainers("crowd", 1000);
  const std::string sentence = "the pod has 1000 GPU containers; use at most 16";
  EXPECT_EQ(Filter(pod, {"a-0"})["FailedAndUnresolvableNodes"]["a-0"], sentence);
  EXPECT_EQ(Prioritize(pod, {"a-0"})[0]["Score"], 0);
  const Json review = Review("/admission/mutate", CreateReview("pods", "", pod));
  EXPECT_EQ(review["allowed"], false);
  EXPECT_EQ(review["status"]["message"], sentence);
}

TEST_F(BadInputTest, QuantitiesThatAreNoWholeNumberAreRefusedInTheSameWordsEachTime) {
  UseCluster();
  StartReady();
  const std::pair<std::string, std::string> cases[] = {
      {"0.5", "is \"0.5\", not a whole number"},
      {"500m", "is \"500m\", not a whole number"},
      {"-1", "is \"-1\", not a whole number"},
      {"0", "is 0; leave it out"},
      {"1e2x", "is \"1e2x\", not a whole number"},
      {"9223372036854775808", "is 9223372036854775808, more than any node has"},
      {"1001", "is 1001; above 100 use a multiple of 100"},
      {"1Ki", "is 1024; above 100 use a multiple of 100"}};
  for (const auto& [quantity, sentence] : cases) {
    Json pod = PodJson("q", 20, 15);
    pod["spec"]["containers"][0]["resources"]["limits"]["tencent.com/vcuda-core"] = quantity;
    const Json review = Review("/admission/mutate", CreateReview("pods", "", pod));
    EXPECT_THAT(review.at("status").at("message").get<std::string>(), HasSubstr(sentence));
    const Json first = Filter(pod, {"a-0"});
    EXPECT_EQ(first["FailedAndUnresolvableNodes"]["a-0"], review["status"]["message"]);
    EXPECT_EQ(Filter(pod, {"a-0"}), first) << "kube-scheduler patches the pod when it changes";
  }
  for (const char* same : {"1k", "1e3"}) {  // ten whole GPUs, on nodes of four
    Json pod = PodJson("q", 20, 15);
    pod["spec"]["containers"][0]["resources"]["limits"]["tencent.com/vcuda-core"] = same;
    EXPECT_EQ(Filter(pod, {"a-0"})["FailedAndUnresolvableNodes"]["a-0"],
              "the node has fewer usable GPUs than the pod needs")
        << same;
  }
}

TEST_F(BadInputTest, AFloodInOnePodHoldsNoListenerUp) {
  UseCluster();
  StartReady();
  Json pod = PodJson("flood", 20, 15);
  Json& container = pod["spec"]["containers"][0];
  for (int i = 0; i < 100000; ++i) {
    container["env"].push_back({{"name", "E"}});
    container["resources"]["limits"]["tencent.com/vcuda-" + std::to_string(i)] = "1";
  }
  const std::clock_t begin = std::clock();
  const Json review = Review("/admission/mutate", CreateReview("pods", "", pod));
  EXPECT_THAT(review["status"]["message"].get<std::string>(), HasSubstr("is not known; use"));
  EXPECT_THAT(Filter(pod, {"a-0"})["FailedAndUnresolvableNodes"]["a-0"].get<std::string>(),
              HasSubstr("is not known; use"));
  // Of the processor's time, so that a busy machine changes nothing. A sanitizer build takes some
  // seconds; by the square of their number it took minutes.
  EXPECT_LT((std::clock() - begin) / CLOCKS_PER_SEC, 40);
}

}  // namespace
}  // namespace aliquot::allocator
