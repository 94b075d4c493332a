// SPDX-License-Identifier: Apache-2.0
// The whole allocator on a cluster file: every verb over real TLS.
#include <gmock/gmock.h>

#include "program/probe.h"
#include "tests/integration/allocator_fixture.h"

namespace aliquot::allocator {
namespace {

using testing::HasSubstr;

TEST_F(AllocatorTest, TakesAPodFromItsCreateToItsCards) {
  UseCluster();
  StartReady();
  Json pod = PodJson("p", 20, 15);
  pod["metadata"].erase("labels");
  const Json patch = PatchOf(Review("/admission/mutate", CreateReview("pods", "", pod)));
  pod = pod.patch(patch);
  EXPECT_EQ(pod["metadata"]["labels"]["aliquot.io/gpu"], "true");
  EXPECT_TRUE(PatchOf(Review("/admission/mutate", CreateReview("pods", "", pod))).is_null())
      << "the patch is idempotent";

  const Json filtered = Filter(pod, {"a-0", "a-1", "nowhere"});
  EXPECT_EQ(filtered["NodeNames"], Json({"a-0", "a-1"}));
  EXPECT_TRUE(filtered["FailedAndUnresolvableNodes"].contains("nowhere"));
  EXPECT_EQ(MonitorJson("/explain?pod=default/p")["state"], "pending");
  const Json scores = Prioritize(pod, {"a-0", "a-1"});
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_EQ(std::max(scores[0]["Score"].get<int>(), scores[1]["Score"].get<int>()), 10);

  EXPECT_EQ(Bind("p", "a-1"), "");
  const Json held = MonitorJson("/explain?pod=default/p");
  EXPECT_EQ(held["state"], "bound");
  EXPECT_EQ(held["node"], "a-1");
  EXPECT_EQ(held["containers"][0]["cards"][0]["core"], 20);
  EXPECT_EQ(held["containers"][0]["cards"][0]["mib"], 15 * 256);
  int taken = 0;
  const Json state = MonitorJson("/cards");
  for (const Json& card : state["nodes"][1]["cards"]) {
    taken += card["core_used"].get<int>();
  }
  EXPECT_EQ(taken, 20);
}

TEST_F(AllocatorTest, ABindIsIdempotentAndNeverMovesAPod) {
  UseCluster();
  StartReady();
  Filter(PodJson("p", 100, 0), {"a-0"});
  EXPECT_EQ(Bind("p", "a-0"), "");
  EXPECT_EQ(Bind("p", "a-0"), "");
  EXPECT_THAT(Bind("p", "a-1"), HasSubstr("bound to another node"));
  EXPECT_EQ(MonitorJson("/cards")["nodes"][1]["cards"][0]["pods"], 0);
}

TEST_F(AllocatorTest, APendingPodOfTheFileIsBoundWithoutAFilterBefore) {
  UseCluster("pods:\n  - {name: waits, containers: [{name: c, core: 100}]}\n");
  StartReady();
  EXPECT_EQ(Bind("waits", "a-0"), "");
  EXPECT_EQ(MonitorJson("/explain?pod=default/waits")["state"], "bound");
}

TEST_F(AllocatorTest, TheExtenderAsksForAClientCertificateAndAdmissionDoesNot) {
  UseCluster();
  StartReady();
  const test::CertificateAuthority stranger;
  for (const auto& identity :
       {std::optional<test::KeyPair>(), std::optional(stranger.IssueClient("kube-scheduler"))}) {
    test::HttpTestClient client(application_->addresses().extender,
                                test::ClientTls{authority_.certificate(), identity});
    EXPECT_FALSE(client.ok() && client.Post("/scheduler/filter", "{}").received());
  }
  test::HttpTestClient plain(application_->addresses().extender);
  EXPECT_NE(plain.Post("/scheduler/filter", "{}").status, 200);
  PatchOf(Review("/admission/mutate", CreateReview("pods", "", PodJson("p", 100, 0))));
}

TEST_F(AllocatorTest, RefusesAnInvalidPodAtItsCreate) {
  UseCluster();
  StartReady();
  const Json response = Review("/admission/mutate", CreateReview("pods", "", PodJson("p", 150, 0)));
  EXPECT_EQ(response["allowed"], false);
  EXPECT_THAT(response["status"]["message"], HasSubstr("tencent.com/vcuda-core is 150"));
}

TEST_F(AllocatorTest, UnusableBodiesAreAnsweredByTheRulesOfEachVerb) {
  UseCluster();
  StartReady();
  test::HttpTestClient extender = Extender();
  const test::HttpReply filter = extender.Post("/scheduler/filter", "{");
  EXPECT_EQ(filter.status, 200);
  EXPECT_NE(Json::parse(filter.body)["Error"], "");
  EXPECT_EQ(extender.Post("/scheduler/prioritize", "{").status, 400);
  EXPECT_EQ(extender.Post("/scheduler/preempt", "{").status, 400);
  const test::HttpReply bind = extender.Post("/scheduler/bind", "[]");
  EXPECT_EQ(bind.status, 200);
  EXPECT_NE(Json::parse(bind.body)["Error"], "");
  EXPECT_EQ(Admission().Post("/admission/mutate", "{}").status, 400);
  EXPECT_EQ(Admission().Post("/admission/stamp", "{}").status, 400);
  EXPECT_EQ(Admission().Post("/scheduler/filter", "{}").status, 404) << "verbs have one listener";
}

TEST_F(AllocatorTest, PicksTheVictimsThatFreeACard) {
  // Node a-0 has 4 cards, all full: 50 + 50 three times and 60 + 40. For 60 % one pod goes.
  std::string pods = "pods:\n";
  const auto add = [&pods](const std::string& name, int core, int card) {
    pods += "  - {name: " + name +
            ", node: a-0, containers: [{name: c, core: " + std::to_string(core) +
            ", memory: 4, cards: [" + std::to_string(card) + "]}]}\n";
  };
  for (int card = 0; card < 3; ++card) {
    add("left-" + std::to_string(card), 50, card);
    add("right-" + std::to_string(card), 50, card);
  }
  add("sixty", 60, 3);
  add("forty", 40, 3);
  UseCluster(pods);
  StartReady();
  Json pod = PodJson("high", 60, 4);
  pod["spec"]["priority"] = 5;
  const Json body = {{"Pod", pod},
                     {"NodeNameToMetaVictims", {{"a-0", {{"Pods", {{{"UID", "nobody"}}}}}}}}};
  const test::HttpReply reply = Extender().Post("/scheduler/preempt", body.dump());
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(Json::parse(reply.body)["NodeNameToMetaVictims"]["a-0"]["Pods"].size(), 2u)
      << "the proposed pod that holds no card stays: " << reply.body;
}

TEST_F(AllocatorTest, TranslatesPodsOfOtherSchemes) {
  UseCluster();
  configuration_.admission.card_memory_mib = 16384;
  StartReady();
  Json pod = PodJson("p", 100, 0);
  Json& resources = pod["spec"]["containers"][0]["resources"];
  resources = {{"limits", {{"nvidia.com/gpu", "1"}, {"nvidia.com/gpumem-percentage", "50"}}}};
  const Json review = Review("/admission/translate/hami", CreateReview("pods", "", pod));
  // Half of 16384 MiB is 32 units of 256 MiB, and half of the core.
  EXPECT_EQ(pod.patch(PatchOf(review))["spec"]["containers"][0]["resources"]["limits"],
            Json({{"tencent.com/vcuda-core", "50"}, {"tencent.com/vcuda-memory", "32"}}));
  resources = {{"limits", {{"nvidia.com/gpu.shared", "1"}}}};
  EXPECT_EQ(Review("/admission/translate/nvidia", CreateReview("pods", "", pod))["allowed"], false);
  EXPECT_TRUE(PatchOf(Review("/admission/translate/kai", CreateReview("pods", "", pod))).is_null());
  const std::string metrics = Monitor("/metrics").body;
  EXPECT_NE(metrics.find("requests_total{outcome=\"ok\",verb=\"translate\"} 2\n"),
            std::string::npos);
  EXPECT_NE(metrics.find("requests_total{outcome=\"refused\",verb=\"translate\"} 1\n"),
            std::string::npos);
  EXPECT_NE(metrics.find("requests_total{outcome=\"ok\",verb=\"mutate\"} 0\n"), std::string::npos);
}

TEST_F(AllocatorTest, StampsASchedulersBindingOrDeniesIt) {
  configuration_.admission.scheduler_users = {"somebody"};
  UseCluster(
      "pods:\n"
      "  - {name: full, node: a-1, containers: [{name: c, core: 400, cards: [0, 1, 2, 3]}]}\n"
      "  - {name: waits, containers: [{name: c, core: 20, memory: 4}]}\n");
  StartReady();
  const Json denied =
      Review("/admission/stamp", CreateReview("pods", "binding", BindingJson("waits", "a-1")));
  EXPECT_EQ(denied["allowed"], false);
  const Json dry = Review("/admission/stamp",
                          CreateReview("pods", "binding", BindingJson("waits", "a-0"), true));
  EXPECT_EQ(dry["allowed"], true);
  EXPECT_EQ(MonitorJson("/explain?pod=default/waits")["state"], "pending");

  const Json binding = BindingJson("waits", "a-0");
  const Json stamped =
      binding.patch(PatchOf(Review("/admission/stamp", CreateReview("pods", "binding", binding))));
  const Json& annotations = stamped["metadata"]["annotations"];
  EXPECT_EQ(annotations["tencent.com/predicate-node"], "a-0");
  EXPECT_TRUE(annotations.contains("aliquot.io/allocation"));
  EXPECT_TRUE(annotations.contains("tencent.com/predicate-gpu-idx-0"));
  EXPECT_EQ(MonitorJson("/explain?pod=default/waits")["state"], "reserved");

  const Json unknown = BindingJson("nobody", "a-0");
  EXPECT_TRUE(
      PatchOf(Review("/admission/stamp", CreateReview("pods", "binding", unknown))).is_null());
}

TEST_F(AllocatorTest, APodThatSomebodyElseBoundIsStampedLate) {
  UseCluster(
      "pods:\n"
      "  - {name: foreign, node: a-0, phase: Pending, containers: [{name: c, core: 200}]}\n");
  StartReady();
  ASSERT_TRUE(Eventually([this] {
    const test::HttpReply reply = Monitor("/explain?pod=default/foreign");
    return reply.status == 200 && Json::parse(reply.body)["state"] == "bound";
  })) << Monitor("/explain?pod=default/foreign").body;
  EXPECT_EQ(MonitorJson("/explain?pod=default/foreign")["containers"][0]["cards"].size(), 2u);
}

TEST_F(AllocatorTest, ExplainAnswersBadQuestionsWithASentence) {
  UseCluster();
  StartReady();
  EXPECT_EQ(Monitor("/explain").status, 400);
  EXPECT_EQ(Monitor("/explain?pod=noslash").status, 400);
  EXPECT_EQ(Monitor("/explain?pod=default/../x").status, 400);
  EXPECT_EQ(Monitor("/explain?pod=default/nobody").status, 404);
}

TEST_F(AllocatorTest, TheMonitorTellsMetricsAndVersion) {
  UseCluster();
  StartReady();
  Filter(PodJson("p", 100, 0), {"a-0"});
  const std::string metrics = Monitor("/metrics").body;
  EXPECT_THAT(metrics, HasSubstr("aliquot_allocator_ledger_nodes 2\n"));
  EXPECT_THAT(metrics, HasSubstr("aliquot_allocator_ledger_cards 8\n"));
  EXPECT_THAT(metrics,
              HasSubstr("aliquot_allocator_requests_total{outcome=\"ok\",verb=\"filter\"} 1\n"));
  EXPECT_EQ(MonitorJson("/version").count("version"), 1u);
  EXPECT_EQ(Monitor("/healthz").body, "ok\n");
}

TEST_F(AllocatorTest, TheProbeFindsTheMonitorByTheAddressesFile) {
  UseCluster();
  StartReady();
  const auto address =
      program::MonitorAddress(configuration_.listen.monitor, configuration_.addresses_file);
  ASSERT_TRUE(address.ok()) << address.status().message();
  EXPECT_EQ(*address, application_->addresses().monitor);
  EXPECT_TRUE(program::Probe(*address, "live", std::chrono::seconds(5)).ok());
  EXPECT_TRUE(program::Probe(*address, "ready", std::chrono::seconds(5)).ok());
  EXPECT_TRUE(application_->Drain().ok());
  EXPECT_FALSE(program::Probe(*address, "live", std::chrono::seconds(5)).ok());
}

TEST_F(AllocatorTest, ANewCertificateAndClientAuthorityServeTheNextConnection) {
  UseCluster();
  StartReady();
  test::HttpTestClient before = Extender();
  ASSERT_TRUE(before.ok());
  const test::CertificateAuthority fresh("the next CA");
  const test::KeyPair server = fresh.IssueServer();
  directory_.Write("tls.key", server.key);
  directory_.Write("tls.crt", server.certificate);
  directory_.Write("ca.crt", fresh.certificate());
  const test::ClientTls next{fresh.certificate(), fresh.IssueClient("kube-scheduler")};
  const std::string question = Json({{"Pod", PodJson("p", 100, 0)}, {"NodeNames", {"a-0"}}}).dump();
  ASSERT_TRUE(Eventually([&] {
    test::HttpTestClient client(application_->addresses().extender, next);
    return client.ok() && client.Post("/scheduler/filter", question).status == 200;
  }));
  EXPECT_EQ(before.Post("/scheduler/filter", question).status, 200)
      << "no request is dropped on an open connection";
  test::HttpTestClient old = Extender();
  EXPECT_FALSE(old.ok() && old.Post("/scheduler/filter", question).received());
  EXPECT_THAT(
      Monitor("/metrics").body,
      HasSubstr("aliquot_allocator_tls_reloads_total{listener=\"extender\",outcome=\"ok\"} "));
}

TEST_F(AllocatorTest, SaysWhichListenerCannotStart) {
  UseCluster();
  StartReady();
  Configuration second = configuration_;
  second.listen.admission = application_->addresses().admission;
  program::Problems problems;
  Application other(second, *log_);
  EXPECT_FALSE(other.Start(problems));
  ASSERT_EQ(problems.lines().size(), 1u);
  EXPECT_THAT(problems.lines()[0], HasSubstr("admission listener: "));
}

}  // namespace
}  // namespace aliquot::allocator
