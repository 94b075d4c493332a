// SPDX-License-Identifier: Apache-2.0
// Following the cluster through everything that a real API server does to its watchers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/integration/kubeclient_fixture.h"

namespace aliquot::kubeclient {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class KubeclientSourceTest : public KubeclientTest {
 protected:
  // A server with two nodes and `pods` labelled pods p0, p1, ...; the source is synced.
  void Sync(int pods = 2, test::FakeApiServerOptions server_options = {},
            ClusterSourceOptions source_options = SourceOptions()) {
    StartServer(std::move(server_options));
    server_->store().Put(kNode, NodeJson("n1"));
    server_->store().Put(kNode, NodeJson("n2"));
    for (int i = 0; i < pods; ++i) server_->store().Put(kPod, PodJson("p" + std::to_string(i)));
    Connect();
    StartSource(std::move(source_options));
    ASSERT_TRUE(Eventually([&] { return source_->synced(); })) << watch_.Texts();
    ASSERT_TRUE(Eventually([&] { return Watches() >= 1; }));
  }

  std::size_t Watches() const { return server_->Count("GET", "/api/v1/pods?watch=1"); }
  std::size_t Lists() const { return server_->Count("GET", "/api/v1/pods?limit="); }
  // A pod put now is seen.
  bool Follows(const std::string& name) {
    server_->store().Put(kPod, PodJson(name));
    return Eventually([&] { return cluster_.HasPod("team/" + name); });
  }
};

TEST_F(KubeclientSourceTest, ListsAllPagesOfWhatItMayOnlySee) {
  StartServer();
  for (int i = 0; i < 10; ++i) server_->store().Put(kPod, PodJson("p" + std::to_string(i)));
  server_->store().Put(kPod, PodJson("stranger", /*labelled=*/false, /*gpu=*/false));
  server_->store().Put(kNode, NodeJson("n1"));
  Connect();
  StartSource();
  ASSERT_TRUE(Eventually([&] { return source_->synced(); })) << watch_.Texts();
  EXPECT_EQ(cluster_.pods().size(), 10u);
  EXPECT_EQ(cluster_.last_pod_list_size(), 10u);
  EXPECT_FALSE(cluster_.HasPod("team/stranger"));
  EXPECT_THAT(cluster_.nodes(), UnorderedElementsAre("n1"));
  EXPECT_EQ(Lists(), 4u) << "10 pods in pages of 3";
  EXPECT_GT(source_->pods_last_heard(), clock_.SteadyNow() - std::chrono::minutes(1));
}

TEST_F(KubeclientSourceTest, FollowsAdditionsChangesAndDeletions) {
  Sync();
  EXPECT_TRUE(Follows("new"));
  test::FakeApiStore::Json pod = PodJson("p0");
  pod["spec"]["nodeName"] = "n1";
  server_->store().Put(kPod, pod);
  EXPECT_TRUE(Eventually([&] { return cluster_.pods()["team/p0"].node_name == "n1"; }));
  server_->store().Delete(kPod, "team/p1");
  EXPECT_TRUE(Eventually([&] { return !cluster_.HasPod("team/p1"); }));
  server_->store().Put(kNode, NodeJson("n3"));
  server_->store().Delete(kNode, "n1");
  EXPECT_TRUE(Eventually([&] { return cluster_.nodes() == std::set<std::string>{"n2", "n3"}; }));
}

// A budget as the API server has it.
test::FakeApiStore::Json BudgetJson(const std::string& name, int allowed) {
  return {{"metadata", {{"name", name}, {"namespace", "team"}}},
          {"spec", {{"selector", {{"matchLabels", {{"app", name}}}}}}},
          {"status", {{"disruptionsAllowed", allowed}}}};
}

TEST_F(KubeclientSourceTest, ListsAndFollowsDisruptionBudgets) {
  StartServer();
  for (int i = 0; i < 5; ++i) {  // more than a page of 3
    server_->store().Put(kBudget, BudgetJson("b" + std::to_string(i), i));
  }
  Connect();
  StartSource();
  ASSERT_TRUE(Eventually([&] { return cluster_.budgets().size() == 5; })) << watch_.Texts();
  EXPECT_EQ(cluster_.budgets()["team/b3"].disruptions_allowed, 3);
  server_->store().Put(kBudget, BudgetJson("b3", 7));
  EXPECT_TRUE(Eventually([&] { return cluster_.budgets()["team/b3"].disruptions_allowed == 7; }));
  server_->store().Delete(kBudget, "team/b0");
  EXPECT_TRUE(Eventually([&] { return cluster_.budgets().count("team/b0") == 0; }));
}

TEST_F(KubeclientSourceTest, NobodyWaitsForDisruptionBudgets) {
  StartServer();
  server_->store().Put(kNode, NodeJson("n1"));
  server_->Inject({test::Fault::Kind::kReply, "GET", "poddisruptionbudgets", 1000, 403});
  Connect();
  StartSource();
  EXPECT_TRUE(Eventually([&] { return source_->synced(); })) << watch_.Texts();
  EXPECT_TRUE(Eventually([&] { return watch_.Count("failed", "poddisruptionbudgets") > 0; }));
}

TEST_F(KubeclientSourceTest, APodThatLosesItsLabelIsGoneFromTheSelection) {
  Sync();
  server_->store().Put(kPod, PodJson("p0", /*labelled=*/false));
  EXPECT_TRUE(Eventually([&] { return cluster_.pods_gone() == 1; }));
}

TEST_F(KubeclientSourceTest, ResumesFromTheLastBookmark) {
  test::FakeApiServerOptions options;
  options.bookmark_interval = milliseconds(30);
  Sync(2, options);
  for (int i = 0; i < 20; ++i) server_->store().Put(kNode, NodeJson("other"));  // no pod changes
  const std::string version = std::to_string(server_->store().version());
  const int heard = watch_.Count("heard", "pods");
  ASSERT_TRUE(Eventually([&] { return watch_.Count("heard", "pods") >= heard + 2; }));
  server_->EndWatches();
  ASSERT_TRUE(Eventually([&] {
    return server_->Count("GET", "/api/v1/pods?watch=1&allowWatchBookmarks=true&resourceVersion=" +
                                     version) >= 1;
  }));
  EXPECT_TRUE(Follows("later"));
  EXPECT_EQ(Lists(), 1u) << "no new list was needed";
}

TEST_F(KubeclientSourceTest, AWatchEndedByTheServerResumesWithoutAList) {
  Sync();
  for (int i = 0; i < 3; ++i) {
    const std::size_t watches = Watches();
    server_->EndWatches();
    ASSERT_TRUE(Eventually([&] { return Watches() > watches; }));
    EXPECT_TRUE(Follows("after" + std::to_string(i)));
  }
  EXPECT_EQ(Lists(), 1u);
  EXPECT_EQ(watch_.Count("failed", "pods"), 0) << watch_.Texts();
}

TEST_F(KubeclientSourceTest, AnErrorEvent410ListsAgainAndFindsWhatWasMissed) {
  Sync();
  server_->Inject({test::Fault::Kind::kReply, "GET", "/api/v1/pods?watch=1", 3, 500});
  server_->EndWatches();  // while it is away, one pod goes, one comes, and the history is forgotten
  server_->store().Delete(kPod, "team/p0");
  server_->store().Put(kPod, PodJson("fresh"));
  server_->store().Compact();
  EXPECT_TRUE(Eventually([&] { return cluster_.HasPod("team/fresh"); })) << watch_.Texts();
  EXPECT_TRUE(Eventually([&] { return !cluster_.HasPod("team/p0"); })) << watch_.Texts();
  EXPECT_TRUE(Eventually([&] { return cluster_.pod_lists() == 2; }));
  EXPECT_GE(watch_.Count("relisting", "pods"), 1);
  EXPECT_TRUE(Follows("later"));
}

TEST_F(KubeclientSourceTest, AnHttp410ListsAgain) {
  Sync();
  server_->Inject({test::Fault::Kind::kReply, "GET", "/api/v1/pods?watch=1", 1, 410});
  server_->EndWatches();
  EXPECT_TRUE(Eventually([&] { return cluster_.pod_lists() == 2; }));
  EXPECT_TRUE(Follows("later"));
}

TEST_F(KubeclientSourceTest, AListWhoseTokenExpiresStartsOver) {
  StartServer();
  for (int i = 0; i < 7; ++i) server_->store().Put(kPod, PodJson("p" + std::to_string(i)));
  server_->Inject({test::Fault::Kind::kReply, "GET", "continue=", 1, 410});
  Connect();
  StartSource();
  ASSERT_TRUE(Eventually([&] { return source_->synced(); })) << watch_.Texts();
  EXPECT_EQ(cluster_.last_pod_list_size(), 7u) << "each pod once";
  EXPECT_EQ(cluster_.pod_lists(), 1) << "half a list is not a list";
}

TEST_F(KubeclientSourceTest, RetryAfterIsWaitedOut) {
  StartServer();
  server_->store().Put(kPod, PodJson("p0"));
  test::Fault fault;
  fault.target = "/api/v1/pods";
  fault.status = 429;
  fault.retry_after = "1";
  server_->Inject(fault);
  Connect();
  const auto started = steady_clock::now();
  StartSource();
  ASSERT_TRUE(Eventually([&] { return source_->synced(); })) << watch_.Texts();
  EXPECT_GE(steady_clock::now() - started, milliseconds(990));
}

TEST_F(KubeclientSourceTest, GetsOverServerErrorsWithoutLosingItsPlace) {
  Sync();
  for (const int status : {500, 503, 429, 401, 504}) {
    server_->Inject({test::Fault::Kind::kReply, "GET", "/api/v1/pods?watch=1", 1, status});
  }
  server_->EndWatches();
  EXPECT_TRUE(Eventually([&] { return watch_.Count("failed", "pods") == 5; })) << watch_.Texts();
  EXPECT_TRUE(Follows("after"));
  EXPECT_EQ(Lists(), 1u);
  EXPECT_THAT(watch_.Texts(), Not(HasSubstr("token-1")));
}

TEST_F(KubeclientSourceTest, HalfALineIsTakenAgainAndOnlyOnce) {
  Sync();
  server_->Inject({test::Fault::Kind::kHalfEvent, "GET", "/api/v1/pods?watch=1"});
  const std::size_t watches = Watches();
  server_->EndWatches();
  ASSERT_TRUE(Eventually([&] { return Watches() > watches; }));
  EXPECT_TRUE(Follows("halved"));
  EXPECT_TRUE(Eventually([&] { return Watches() > watches + 1; }));
  EXPECT_EQ(Lists(), 1u);
}

TEST_F(KubeclientSourceTest, ASilentWatchIsGivenUpAndTheStateCaughtUp) {
  ClusterSourceOptions options = SourceOptions();
  options.watch.silence = milliseconds(150);
  test::FakeApiServerOptions server_options;
  server_options.bookmark_interval = milliseconds(30);  // keeps every other watch alive
  Sync(2, server_options, options);
  server_->Inject({test::Fault::Kind::kNoEvents, "GET", "/api/v1/pods?watch=1"});
  const std::size_t watches = Watches();
  server_->EndWatches();
  ASSERT_TRUE(Eventually([&] { return Watches() > watches; }));
  EXPECT_TRUE(Follows("unseen")) << watch_.Texts();
  EXPECT_GE(watch_.Count("relisting", "pods"), 1) << "a watch that never spoke is not trusted";
}

TEST_F(KubeclientSourceTest, ATokenRotatedUnderARunningWatchIsPickedUp) {
  test::FakeApiServerOptions options;
  options.tokens = {"token-1"};
  Sync(2, options);
  server_->SetTokens({"token-2"});
  directory_.Write("token", "token-2");
  const std::size_t watches = Watches();
  server_->EndWatches();
  // One watch is refused with the old token; by then the other may have the new one already.
  ASSERT_TRUE(Eventually([&] { return Watches() > watches; }));
  EXPECT_TRUE(Follows("after")) << watch_.Texts();
  const auto requests = server_->requests();
  EXPECT_TRUE(std::any_of(requests.begin(), requests.end(), [](const auto& request) {
    return request.authorization == "Bearer token-2";
  }));
  EXPECT_EQ(watch_.Count("failed", "pods"), 0) << watch_.Texts();
}

TEST_F(KubeclientSourceTest, SurvivesAServerThatIsAwayAndReturnsWithAnOlderState) {
  ClusterSourceOptions options = SourceOptions();
  options.watch.silence = milliseconds(200);
  test::FakeApiServerOptions server_options;
  server_options.bookmark_interval = milliseconds(30);
  Sync(2, server_options, options);
  server_options.port = server_->port();
  server_.reset();
  EXPECT_TRUE(Eventually([&] { return watch_.Count("restarted", "pods") >= 3; }));
  StartServer(server_options);
  // As after a restore from a backup: its versions are below ours, so our watch hears nothing and
  // no error.
  server_->store().Put(kPod, PodJson("another-life"));
  EXPECT_TRUE(Eventually([&] { return cluster_.HasPod("team/another-life"); })) << watch_.Texts();
  EXPECT_TRUE(Eventually([&] { return !cluster_.HasPod("team/p0"); })) << watch_.Texts();
  EXPECT_TRUE(Follows("later"));
}

TEST_F(KubeclientSourceTest, TheScanReportsPodsThatAskForGpusWithoutOurLabel) {
  StartServer();
  server_->store().Put(kPod, PodJson("unlabelled", /*labelled=*/false, /*gpu=*/true));
  server_->store().Put(kPod, PodJson("stranger", /*labelled=*/false, /*gpu=*/false));
  for (int i = 0; i < 5; ++i) {
    server_->store().Put(kPod, PodJson("x" + std::to_string(i), /*labelled=*/false, /*gpu=*/false));
  }
  Connect();
  ClusterSourceOptions options = SourceOptions();
  options.unlabelled_scan_period = std::chrono::seconds(1);
  StartSource(options);
  EXPECT_TRUE(Eventually([&] { return cluster_.HasPod("team/unlabelled"); })) << watch_.Texts();
  EXPECT_FALSE(cluster_.pods()["team/unlabelled"].has_gpu_label);
  EXPECT_TRUE(Eventually([&] { return watch_.Count("listed", "unlabelled pods") == 2; }))
      << "again after the period";
  EXPECT_FALSE(cluster_.HasPod("team/stranger"));
}

// A pod without GPU on n1 (or nowhere), asking for so much processor.
test::FakeApiStore::Json PlainPod(const std::string& name, const std::string& cpu,
                                  const std::string& node = "n1") {
  test::FakeApiStore::Json pod = PodJson(name, /*labelled=*/false, /*gpu=*/false);
  pod["spec"]["containers"] = {{{"name", "c"}, {"resources", {{"requests", {{"cpu", cpu}}}}}}};
  if (!node.empty()) pod["spec"]["nodeName"] = node;
  return pod;
}

TEST_F(KubeclientSourceTest, TheScanSumsWhatOtherPodsRequestOnEachNode) {
  StartServer();
  for (int i = 0; i < 5; ++i) {  // more than a page
    server_->store().Put(kPod, PlainPod("x" + std::to_string(i), "500m"));
  }
  server_->store().Put(kPod, PlainPod("elsewhere", "2", "n2"));
  server_->store().Put(kPod, PlainPod("pending", "4", ""));
  test::FakeApiStore::Json finished = PlainPod("finished", "8");
  finished["status"]["phase"] = "Succeeded";
  server_->store().Put(kPod, finished);
  Connect();
  ClusterSourceOptions options = SourceOptions();
  options.unlabelled_scan_period = std::chrono::seconds(1);
  StartSource(options);
  const std::map<std::string, std::int64_t> first = {{"n1", 2500}, {"n2", 2000}};
  EXPECT_TRUE(Eventually([&] { return cluster_.other_cpu() == first; })) << watch_.Texts();
  server_->store().Delete(kPod, "team/elsewhere");
  const std::map<std::string, std::int64_t> then = {{"n1", 2500}};
  EXPECT_TRUE(Eventually([&] { return cluster_.other_cpu() == then; })) << "after the period";
}

// The fastest of three, because a busy machine may keep any thread waiting for longer.
TEST_F(KubeclientSourceTest, StopsFastWhateverItWaitsFor) {
  Sync();
  ClusterSourceOptions patient = SourceOptions();
  patient.watch.backoff.base = std::chrono::minutes(10);
  patient.watch.backoff.cap = std::chrono::minutes(10);
  auto in_watch = steady_clock::duration::max();
  auto in_list = in_watch;
  auto in_delay = in_watch;
  const auto stop = [&](steady_clock::duration& fastest) {
    const auto started = steady_clock::now();
    source_->Stop();
    fastest = std::min(fastest, steady_clock::now() - started);
  };
  for (int i = 0; i < 3; ++i) {
    stop(in_watch);
    server_->Inject({test::Fault::Kind::kSilence, "GET", "/api/v1/nodes?limit=", 1});
    server_->Inject({test::Fault::Kind::kSilence, "GET", "/api/v1/pods?limit=", 1});
    const std::size_t before = Lists();
    StartSource();
    ASSERT_TRUE(Eventually([&] { return Lists() > before; }));
    stop(in_list);
    server_->Inject({test::Fault::Kind::kReply, "GET", "/api/v1/nodes?limit=", 1, 500});
    server_->Inject({test::Fault::Kind::kReply, "GET", "/api/v1/pods?limit=", 1, 500});
    // Either will do: one of them may still meet the silence above.
    const auto failures = [&] {
      return watch_.Count("failed", "pods") + watch_.Count("failed", "nodes");
    };
    const int failed = failures();
    StartSource(patient);
    ASSERT_TRUE(Eventually([&] { return failures() > failed; }));
    stop(in_delay);
    const std::size_t watches = Watches();
    StartSource();
    ASSERT_TRUE(Eventually([&] { return Watches() > watches; }));
  }
  EXPECT_LT(in_watch, milliseconds(100));
  EXPECT_LT(in_list, milliseconds(100));
  EXPECT_LT(in_delay, milliseconds(100));
}

}  // namespace
}  // namespace aliquot::kubeclient
