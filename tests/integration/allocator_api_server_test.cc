// SPDX-License-Identifier: Apache-2.0
// The whole allocator on a fake API server: what is written there, and what happens when it
// misbehaves.
#include <gmock/gmock.h>

#include <future>

#include "api/inventory_codec.h"
#include "signing/verifier.h"
#include "tests/integration/allocator_fixture.h"
#include "tests/support/fake_api_server.h"
#include "tests/support/test_keys.h"

namespace aliquot::allocator {
namespace {

using test::FakeApiServer;
using test::FakeApiStore;
using test::Fault;
using testing::HasSubstr;

constexpr auto kPod = FakeApiStore::Kind::kPod;
constexpr auto kNode = FakeApiStore::Kind::kNode;

Json NodeJson(const std::string& name, int cards) {
  model::Inventory inventory;
  for (int i = 0; i < cards; ++i) {
    model::Card card;
    card.uuid = "GPU-" + name + "-" + std::to_string(i);
    card.minor = i;
    card.model = "L4";
    card.mib = 16384;
    card.health = "ok";
    inventory.cards.push_back(card);
  }
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata",
           {{"name", name},
            {"annotations", {{"aliquot.io/gpu-inventory", api::FormatInventory(inventory)}}}}}};
}

class ApiServerTest : public AllocatorTest {
 protected:
  ApiServerTest() : server_(test::FakeApiServerOptions(), &api_authority_) {
    const std::string ca = directory_.Write("api-ca.crt", api_authority_.certificate());
    configuration_.kubeconfig =
        directory_.Write("kubeconfig",
                         "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                         "clusters: [{name: c, cluster: {server: \"" +
                             server_.url() + "\", certificate-authority: \"" + ca +
                             "\"}}]\n"
                             "contexts: [{name: c, context: {cluster: c, user: u}}]\n"
                             "users: [{name: u, user: {token: secret}}]\n");
    server_.store().Put(kNode, NodeJson("n", 2));
  }
  ~ApiServerTest() override { application_.reset(); }  // before the server it talks to

  Json Stored(const std::string& name) const {
    return server_.store().Find(kPod, "default/" + name).value_or(Json());
  }
  // The node name of a stored pod, "" while it has none.
  std::string NodeOf(const std::string& name) const {
    return Stored(name).value("/spec/nodeName"_json_pointer, "");
  }
  std::string AnnotationOf(const std::string& name, const std::string& key) const {
    const Json pod = Stored(name);
    return pod.at("metadata").value("annotations", Json::object()).value(key, "");
  }
  void PutPending(const std::string& name, int core, int memory) {
    server_.store().Put(kPod, PodJson(name, core, memory));
  }

  test::CertificateAuthority api_authority_{"API server CA"};
  mutable FakeApiServer server_;
};

TEST_F(ApiServerTest, OneWriteSetsNodeAndCards) {
  PutPending("p", 20, 15);
  StartReady();
  EXPECT_EQ(Filter(PodJson("p", 20, 15), {"n"})["NodeNames"], Json({"n"}));
  EXPECT_EQ(Bind("p", "n"), "");
  EXPECT_EQ(NodeOf("p"), "n");
  EXPECT_EQ(AnnotationOf("p", "tencent.com/predicate-gpu-idx-0"), "0");
  EXPECT_THAT(AnnotationOf("p", "aliquot.io/allocation"), HasSubstr("GPU-n-0"));
  EXPECT_EQ(server_.Count("POST", "/pods/p/binding"), 1u);
  EXPECT_EQ(server_.Count("PATCH", "/pods/p"), 0u);
  EXPECT_EQ(server_.Count("GET", "/pods/p"), 0u) << "no read on the scheduling path";
}

TEST_F(ApiServerTest, NothingIsAnsweredBeforeBothListsAreComplete) {
  Fault silence;
  silence.kind = Fault::Kind::kSilence;
  silence.target = "/pods";
  silence.times = 1000;
  server_.Inject(silence);
  Start();
  ASSERT_TRUE(Eventually([this] {
    return Monitor("/readyz").body == "not synced yet: the first list of pods is not complete\n";
  })) << Monitor("/readyz").body;
  EXPECT_EQ(Monitor("/readyz").status, 503);
  EXPECT_EQ(Monitor("/healthz").status, 200);
  EXPECT_EQ(Monitor("/metrics").status, 200);
  for (const char* target : {"/explain?pod=default/p", "/cards"}) {
    EXPECT_EQ(Monitor(target).status, 503) << "half a cluster would mislead: " << target;
  }
  EXPECT_THAT(Filter(PodJson("p", 100, 0), {"n"})["Error"], HasSubstr("has not read all"));
  EXPECT_THAT(Bind("p", "n"), HasSubstr("has not read all"));
  EXPECT_EQ(Extender().Post("/scheduler/prioritize", "{}").status, 503);
  PatchOf(Review("/admission/mutate", CreateReview("pods", "", PodJson("p", 100, 0))));
  EXPECT_TRUE(
      PatchOf(Review("/admission/stamp", CreateReview("pods", "binding", BindingJson("p", "n"))))
          .is_null());
}

TEST_F(ApiServerTest, ARestartHoldsTheSameCards) {
  for (const char* name : {"p", "q", "r"}) {
    PutPending(name, 60, 4);
  }
  StartReady();
  EXPECT_EQ(Bind("p", "n"), "");
  EXPECT_EQ(Bind("q", "n"), "");
  const Json before = MonitorJson("/cards");
  application_.reset();
  StartReady();
  EXPECT_EQ(MonitorJson("/cards"), before);
  EXPECT_NE(Bind("r", "n"), "") << "both cards are held";
  EXPECT_EQ(NodeOf("r"), "");
}

TEST_F(ApiServerTest, FreesCardsWhenAPodFinishesOrIsDeleted) {
  PutPending("p", 200, 0);
  StartReady();
  const auto idle = [this] { return MonitorJson("/cards")["nodes"][0]["cards"][0]["pods"] == 0; };
  EXPECT_EQ(Bind("p", "n"), "");
  EXPECT_FALSE(idle());
  Json pod = Stored("p");
  pod["status"]["phase"] = "Succeeded";
  server_.store().Put(kPod, pod);
  EXPECT_TRUE(Eventually(idle));
  PutPending("q", 200, 0);
  ASSERT_TRUE(Eventually([this] { return Monitor("/explain?pod=default/q").status == 200; }));
  EXPECT_EQ(Bind("q", "n"), "");
  server_.store().Delete(kPod, "default/q");
  EXPECT_TRUE(Eventually(idle));
}

TEST_F(ApiServerTest, APodBoundByHandGetsItsCardsLate) {
  Json pod = PodJson("byhand", 100, 0);
  pod["spec"]["nodeName"] = "n";
  pod["status"]["phase"] = "Pending";
  StartReady();
  server_.store().Put(kPod, pod);
  EXPECT_TRUE(Eventually(
      [this] { return AnnotationOf("byhand", "tencent.com/predicate-gpu-idx-0") == "0"; }));
}

// The policy of the chart would refuse a record on a Binding by such a user, so it comes after.
TEST_F(ApiServerTest, AnyUsersBindingGetsTheCardsThatTheStampReservedForIt) {
  PutPending("p", 60, 4);
  PutPending("q", 60, 4);
  StartReady();
  ASSERT_TRUE(Eventually([this] { return Monitor("/explain?pod=default/p").status == 200; }));
  const Json review =
      Review("/admission/stamp", CreateReview("pods", "binding", BindingJson("p", "n")));
  EXPECT_EQ(review["allowed"], true);
  EXPECT_TRUE(PatchOf(review).is_null());
  // 60 + 60 > 100: the first card is p's, and q gets the second although p is not bound yet.
  EXPECT_EQ(Bind("q", "n"), "");
  EXPECT_EQ(AnnotationOf("q", "tencent.com/predicate-gpu-idx-0"), "1");
  Json pod = Stored("p");
  pod["spec"]["nodeName"] = "n";
  server_.store().Put(kPod, pod);
  EXPECT_TRUE(
      Eventually([this] { return AnnotationOf("p", "tencent.com/predicate-gpu-idx-0") == "0"; }));
  EXPECT_THAT(AnnotationOf("p", "aliquot.io/allocation"), HasSubstr("GPU-n-0"));
}

TEST_F(ApiServerTest, AnyUsersBindingWithoutRoomOrWithARecordIsDenied) {
  PutPending("large", 300, 0);
  StartReady();
  ASSERT_TRUE(Eventually([this] { return Monitor("/explain?pod=default/large").status == 200; }));
  EXPECT_EQ(Review("/admission/stamp",
                   CreateReview("pods", "binding", BindingJson("large", "n")))["allowed"],
            false)
      << "three cards of two";
  Json forged = BindingJson("large", "n");
  forged["metadata"]["annotations"]["aliquot.io/allocation"] = "{}";
  EXPECT_THAT(Review("/admission/stamp", CreateReview("pods", "binding", forged))["status"].dump(),
              HasSubstr("is no configured scheduler"));
}

// With a key to sign by, and the agent's half of it.
class SigningTest : public ApiServerTest {
 protected:
  SigningTest() {
    configuration_.signing_key_file = directory_.Write("signing.pem", first_.private_key);
    configuration_.tls.reload_interval = std::chrono::milliseconds(100);
    EXPECT_TRUE(verifier_.Refresh().ok());
  }

  // "" for a record that is signed by either key, else why not.
  std::string Unsigned(const std::string& record, const std::string& signature) const {
    return record.empty() ? "no record" : verifier_.Verify(record, signature).message();
  }
  std::string Unsigned(const std::string& pod) const {
    return Unsigned(AnnotationOf(pod, "aliquot.io/allocation"),
                    AnnotationOf(pod, "aliquot.io/allocation-signature"));
  }

  const test::KeyTexts first_ = test::NewKey();
  const test::KeyTexts second_ = test::NewKey();
  signing::Verifier verifier_{
      {directory_.Write("public.pem", first_.public_key + second_.public_key)}};
};

TEST_F(SigningTest, BindSignsTheRecord) {
  PutPending("p", 20, 15);
  StartReady();
  EXPECT_EQ(Bind("p", "n"), "");
  EXPECT_EQ(Unsigned("p"), "");
  EXPECT_EQ(server_.Count("PATCH", "/pods/p"), 0u) << "in the same write";
}

TEST_F(SigningTest, TheLateStampSignsTheRecord) {
  Json pod = PodJson("byhand", 100, 0);
  pod["spec"]["nodeName"] = "n";
  pod["status"]["phase"] = "Pending";
  StartReady();
  server_.store().Put(kPod, pod);
  EXPECT_TRUE(Eventually([this] { return Unsigned("byhand").empty(); })) << Unsigned("byhand");
}

TEST_F(SigningTest, TheWebhooksStampSignsTheRecord) {
  configuration_.admission.scheduler_users = {"somebody"};
  PutPending("p", 20, 15);
  StartReady();
  const Json patch =
      PatchOf(Review("/admission/stamp", CreateReview("pods", "binding", BindingJson("p", "n"))));
  Json binding = BindingJson("p", "n");
  binding = binding.patch(patch);
  const Json& annotations = binding["metadata"]["annotations"];
  EXPECT_EQ(Unsigned(annotations.value("aliquot.io/allocation", ""),
                     annotations.value("aliquot.io/allocation-signature", "")),
            "");
}

TEST_F(SigningTest, AReplacedKeySignsFromThenOnWithoutARestart) {
  StartReady();
  PutPending("before", 20, 15);
  EXPECT_EQ(Bind("before", "n"), "");
  const std::string old_id =
      AnnotationOf("before", "aliquot.io/allocation-signature").substr(0, 16);
  directory_.Write("signing.pem", second_.private_key);
  int number = 0;
  EXPECT_TRUE(Eventually([&] {
    const std::string name = "after-" + std::to_string(number++);
    PutPending(name, 1, 1);
    EXPECT_EQ(Bind(name, "n"), "");
    EXPECT_EQ(Unsigned(name), "");
    return AnnotationOf(name, "aliquot.io/allocation-signature").substr(0, 16) != old_id;
  }));
}

TEST_F(SigningTest, AUselessNewKeyIsTellingAndTheOldOneSigns) {
  PutPending("p", 20, 15);
  StartReady();
  directory_.Write("signing.pem", "half a file");
  const std::string series = "aliquot_allocator_degraded{state=\"signing_key_reload_failed\"} ";
  EXPECT_TRUE(
      Eventually([&] { return Monitor("/metrics").body.find(series + "1") != std::string::npos; }));
  EXPECT_EQ(Bind("p", "n"), "");
  EXPECT_EQ(Unsigned("p"), "");
  directory_.Write("signing.pem", second_.private_key);
  EXPECT_TRUE(
      Eventually([&] { return Monitor("/metrics").body.find(series + "0") != std::string::npos; }));
}

TEST_F(SigningTest, AKeyThatCannotBeUsedIsAProblemAtStart) {
  configuration_.signing_key_file = directory_.Write("signing.pem", first_.public_key);
  Application application(configuration_, *log_);
  program::Problems problems;
  EXPECT_FALSE(application.Start(problems));
  EXPECT_THAT(problems.lines(),
              testing::ElementsAre(
                  "start: signing.keyFile: private key file '" + configuration_.signing_key_file +
                  "' cannot be used: it does not hold a PRIVATE KEY in PEM; give one Ed25519 key "
                  "in PKCS#8 PEM (openssl genpkey -algorithm ed25519), or leave signing.keyFile "
                  "empty to write records unsigned"));
}

TEST_F(ApiServerTest, ALostAnswerIsNotConfirmedAndSettledByTheWatch) {
  PutPending("p", 100, 0);
  configuration_.deadlines.bind = std::chrono::milliseconds(500);
  StartReady();
  Fault lost;
  lost.kind = Fault::Kind::kDoThenCut;
  lost.target = "/binding";
  server_.Inject(lost);
  const std::string first = Bind("p", "n");
  EXPECT_TRUE(first.empty() || first == "bind not confirmed yet") << first;
  EXPECT_TRUE(Eventually([this] { return Bind("p", "n").empty(); }));
  EXPECT_EQ(server_.Count("POST", "/binding"), 1u) << "never posted twice";
}

TEST_F(ApiServerTest, ADrainFinishesTheBindInFlight) {
  PutPending("p", 100, 0);
  configuration_.deadlines.bind = std::chrono::milliseconds(1000);
  StartReady();
  Fault silence;
  silence.kind = Fault::Kind::kSilence;
  silence.target = "/binding";
  server_.Inject(silence);
  auto bind = std::async(std::launch::async, [this] { return Bind("p", "n"); });
  ASSERT_TRUE(Eventually([this] { return server_.Count("POST", "/binding") == 1; }));
  const test::HttpReply ready = Monitor("/readyz");
  EXPECT_EQ(ready.status, 200);
  EXPECT_TRUE(application_->Drain().ok());
  EXPECT_EQ(bind.get(), "bind not confirmed yet");
  EXPECT_FALSE(test::HttpTestClient(application_->addresses().extender).ok());
}

TEST_F(ApiServerTest, DamagedAndFutureAnnotationsAreToldAndNeverCountAsFree) {
  const std::string good = NodeJson("x", 2)["metadata"]["annotations"]["aliquot.io/gpu-inventory"];
  std::string later = good;
  later.replace(later.find("\"v\":1"), 5, "\"v\":2");
  std::string twice = good;
  twice.replace(twice.find("GPU-x-1"), 7, "GPU-x-0");
  const std::pair<std::string, std::string> nodes[] = {
      {"later", later}, {"twice", twice}, {"cut", good.substr(0, 40)}, {"empty", ""}};
  std::vector<std::string> names = {"n"};
  for (const auto& [name, inventory] : nodes) {
    Json node = NodeJson(name, 1);
    node["metadata"]["annotations"]["aliquot.io/gpu-inventory"] = inventory;
    server_.store().Put(kNode, node);
    names.push_back(name);
  }
  const std::pair<std::string, std::string> records[] = {
      {"r-later", R"({"v":9,"uid":"u","node":"n","containers":{}})"},
      {"r-cut", R"({"v":1,"uid":"u","nod)"},
      {"r-less", R"({"v":1,"uid":"uid-default-r-less","node":"n","containers":{"work":{"cards":[)"
                 R"({"uuid":"GPU-n-0","core":1,"mib":0}],"isolation":"auto"}}})"}};
  for (const auto& [name, record] : records) {
    Json pod = PodJson(name, 30, 4);
    pod["spec"]["nodeName"] = "n";
    pod["status"]["phase"] = "Running";
    pod["metadata"]["annotations"]["aliquot.io/allocation"] = record;
    server_.store().Put(kPod, pod);
  }
  PutPending("q", 10, 4);
  StartReady();
  const Json reply = Filter(PodJson("p", 20, 4), names);
  EXPECT_EQ(reply["NodeNames"], Json::array()) << "three times 30 % count on every card of n";
  for (const auto& [name, inventory] : nodes) {
    EXPECT_THAT(reply["FailedAndUnresolvableNodes"].value(name, ""), HasSubstr("the node"));
  }
  EXPECT_TRUE(reply["FailedNodes"].contains("n"));
  EXPECT_EQ(Bind("q", "n"), "") << "nor do they block more than they asked for";
}

TEST_F(ApiServerTest, SaysWhyTheKubeconfigCannotBeUsed) {
  configuration_.kubeconfig = directory_.Write("kubeconfig", "apiVersion: v1\nkind: Config\n");
  program::Problems problems;
  Application application(configuration_, *log_);
  EXPECT_FALSE(application.Start(problems));
  ASSERT_EQ(problems.lines().size(), 1u);
  EXPECT_THAT(problems.lines()[0], HasSubstr("kubeconfig"));
}

}  // namespace
}  // namespace aliquot::allocator
