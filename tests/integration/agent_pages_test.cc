// SPDX-License-Identifier: Apache-2.0
// The authenticated listener: who may read which page, and what verify says of a pod.
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>
#include <fstream>

#include "kubeclient/curl_transport.h"
#include "kubeclient/kubeconfig.h"
#include "tests/integration/agent_fixture.h"
#include "tests/integration/http_test_client.h"

namespace aliquot::agent {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kReader[] = "system:serviceaccount:monitoring:prometheus";
constexpr char kVerifier[] = "system:serviceaccount:aliquot-system:aliquot-verify";
constexpr char kUid[] = "1f0e0000-0000-4000-8000-000000000001";
const std::string kContainer(64, 'c');

class AgentPagesTest : public AgentTest {
 protected:
  AgentPagesTest() {
    configuration_.listen_authenticated = "127.0.0.1:0";
    UseCertificate();
    server_->reviews().AddToken("of-prometheus", kReader);
    server_->reviews().Allow(kReader, "/metrics");
    server_->reviews().AddToken("of-verify", kVerifier, "aliquot-agent");
    server_->reviews().Allow(kVerifier, "/verify");
    server_->reviews().Allow(kVerifier, "/shares");
  }

  void UseCertificate() {
    const test::KeyPair pair = authority_.IssueServer();
    configuration_.tls.certificate_file = directory_.Write("tls.crt", pair.certificate);
    configuration_.tls.key_file = directory_.Write("tls.key", pair.key);
  }

  test::HttpReply Ask(const std::string& target, const std::string& header) const {
    test::HttpTestClient client(application_->authenticated_address(),
                                test::ClientTls{authority_.certificate(), {}, 0});
    EXPECT_TRUE(client.ok()) << client.error();
    client.Send("GET " + target + " HTTP/1.1\r\nHost: a\r\n" + header + "\r\n");
    return client.Read();
  }
  test::HttpReply AskAs(const std::string& token, const std::string& target) const {
    return Ask(target, "X-Aliquot-Token: " + token + "\r\n");
  }

  // Through the API server, which takes the caller's own credential off and verifies nothing.
  kubeclient::ApiReply AskThroughApiServer(const std::string& token, const std::string& query) {
    const auto config = kubeclient::LoadKubeconfig(configuration_.kubeconfig);
    const RealClock clock;
    auto transport = kubeclient::CurlTransport::Create(*config, clock);
    EXPECT_TRUE(transport.ok()) << transport.status().message();
    const std::string& address = application_->authenticated_address();
    kubeclient::ApiRequest request;
    request.verb = kubeclient::kProxyPod;
    request.namespace_name = "aliquot-system";
    request.name = "https:agent-x:" + address.substr(address.rfind(':') + 1);
    request.subpath = "/verify";
    request.query = query;
    request.headers = {{"X-Aliquot-Token", token}};
    return (*transport)->Call(request, clock.SteadyNow() + std::chrono::seconds(10), nullptr).reply;
  }

  // "check result" of each check that is not ok, one a line.
  static std::string NotOk(const std::string& page) {
    std::string text;
    const Json parsed = Json::parse(page);
    for (const Json& check : parsed.at("checks")) {
      if (check.at("result") != "ok") {
        text += check.value("check", "") + " " + check.value("result", "") + ": " +
                check.value("says", "") + "\n";
      }
    }
    return text;
  }

  // A held pod with one container that has started.
  TestPod StartHeldPod() {
    configuration_.library_path = directory_.Write("libaliquot.so", "\177ELF for tests");
    options_.enforcement.proc = directory_.PathOf("proc");
    fs::create_directory(options_.enforcement.proc);
    StartReady();
    TestPod pod = OneShare("held", Uuid(0), 20, 3072);
    pod.uid = kUid;
    Admit(pod);
    StartsWithin(pod, "work");
    return pod;
  }

  // A process of the held pod with the driver loaded; `library` is what it has mapped besides.
  void AddProcess(int pid, const std::string& library) {
    const fs::path at = fs::path(options_.enforcement.proc) / std::to_string(pid);
    fs::create_directories(at / "fd");
    fs::create_directories(at / "root/run/aliquot/limits");
    fs::create_directories(at / "root/etc");
    const std::string grant = State("/grants/") + NamesIn(State("/grants")).at(0);
    fs::create_hard_link(grant + "/limits/record", at / "root/run/aliquot/limits/record");
    fs::create_hard_link(grant + "/preload/ld.so.preload", at / "root/etc/ld.so.preload");
    fs::create_directory(at / "root/dev");
    for (const std::string& node : NamesIn(grant + "/dev")) {
      fs::create_hard_link(grant + "/dev/" + node, at / "root/dev" / node);
    }
    std::ofstream(at / "cgroup") << "0::/kubepods/pod" << kUid << "/" << kContainer << "\n";
    std::ofstream(at / "stat")
        << pid << " (python3) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 500 0\n";
    std::ofstream(at / "comm") << "python3\n";
    std::ofstream(at / "status") << "NSpid:\t" << pid << "\t9\n";
    std::ofstream maps(at / "maps");
    maps << "1-2 r-xp 0 00:01 77 /usr/lib/libcuda.so.535\n";
    struct stat facts {};
    if (!library.empty() && stat((grant + "/library/" + library).c_str(), &facts) == 0) {
      maps << "1-2 r-xp 0 " << std::hex << major(facts.st_dev) << ":" << minor(facts.st_dev) << " "
           << std::dec << facts.st_ino << " /usr/local/aliquot/" << library << "\n";
    }
  }

  test::CertificateAuthority authority_;
};

TEST_F(AgentPagesTest, WithoutATokenOnlyHealthzAnswers) {
  StartReady();
  EXPECT_EQ(Ask("/healthz", "").status, 200);
  for (const char* path : {"/metrics", "/grants", "/shares", "/version", "/verify?pod=a/b"}) {
    const test::HttpReply reply = Ask(path, "");
    EXPECT_EQ(reply.status, 401) << path;
    EXPECT_EQ(reply.headers.at("www-authenticate"), "Bearer");
  }
  EXPECT_EQ(server_->Count("POST", "tokenreviews"), 0u);
}

TEST_F(AgentPagesTest, AServiceAccountReadsWhatItMayAndIsAskedAboutOnce) {
  StartReady();
  for (int i = 0; i < 5; ++i) {
    const test::HttpReply reply = Ask("/metrics", "Authorization: Bearer of-prometheus\r\n");
    EXPECT_EQ(reply.status, 200) << reply.body;
    EXPECT_THAT(reply.body, HasSubstr("aliquot_agent_grants_total"));
  }
  EXPECT_EQ(server_->Count("POST", "tokenreviews"), 2u);  // for us, then for the API server
  EXPECT_EQ(server_->Count("POST", "subjectaccessreviews"), 1u);
  const test::HttpReply refused = Ask("/grants", "Authorization: Bearer of-prometheus\r\n");
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.body, AllOf(HasSubstr(kReader), HasSubstr("may not get /grants")));
  EXPECT_EQ(AskAs("of-nobody", "/metrics").status, 401);
  EXPECT_THAT(Get("/metrics").body, HasSubstr("aliquot_agent_page_requests_total{code=\"403\"} 1"));
}

TEST_F(AgentPagesTest, WithTheApiServerAwayTheKnownGoOnAndOthersGet503) {
  StartReady();
  ASSERT_EQ(AskAs("of-prometheus", "/metrics").status, 200);
  StopApiServer();
  EXPECT_EQ(AskAs("of-prometheus", "/metrics").status, 200);
  const test::HttpReply away = AskAs("of-verify", "/verify?pod=a/b");
  EXPECT_EQ(away.status, 503);
  EXPECT_THAT(away.body, HasSubstr("the API server could not be asked"));
  ResumeApiServer();
  EXPECT_EQ(AskAs("of-verify", "/verify?pod=a/b").status, 404);
}

TEST_F(AgentPagesTest, NoTokenReachesTheLog) {
  StartReady();
  AskAs("of-prometheus", "/metrics");
  AskAs("secret-of-nobody", "/metrics");
  EXPECT_THAT(log_.Text(), Not(HasSubstr("of-prometheus")));
  EXPECT_THAT(log_.Text(), Not(HasSubstr("secret-of-nobody")));
}

TEST_F(AgentPagesTest, ACertificateThatIsReplacedIsTaken) {
  StartReady();
  UseCertificate();
  EXPECT_TRUE(Eventually([&] { return log_.Says("certificates reloaded"); }));
  EXPECT_EQ(Ask("/healthz", "").status, 200);
}

TEST_F(AgentPagesTest, VerifyIsReadThroughTheApiServerFromACertificateThatNobodySigned) {
  configuration_.tls = {};
  StartHeldPod();
  const auto reply = AskThroughApiServer("of-verify", "pod=default%2Fheld");
  ASSERT_EQ(reply.status, 200) << reply.body;
  const Json page = Json::parse(reply.body);
  EXPECT_EQ(page["pod"], "default/held");
  EXPECT_EQ(page["node"], kTestNode);
  EXPECT_THAT(reply.body, HasSubstr("none of its 0 processes uses a card now"));
}

TEST_F(AgentPagesTest, VerifyTellsAProcessThatHasTheLibraryFromOneThatHasNot) {
  StartHeldPod();
  AddProcess(4711, "libaliquot.so");
  test::HttpReply reply = AskAs("of-verify", "/verify?pod=default/held&container=work");
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(NotOk(reply.body), "") << reply.body;
  EXPECT_THAT(reply.body, HasSubstr("it has loaded the enforcement library"));
  AddProcess(4712, "");
  reply = AskAs("of-verify", "/verify?pod=default/held");
  EXPECT_THAT(NotOk(reply.body), HasSubstr("library failed: it uses the card without"))
      << reply.body;
}

TEST_F(AgentPagesTest, SharesAreTheCardsAndSharesOfMetricsAndNeedNoRightToThose) {
  StartHeldPod();
  const test::HttpReply shares = AskAs("of-verify", "/shares");
  EXPECT_EQ(shares.status, 200);
  EXPECT_THAT(
      shares.body,
      AllOf(HasSubstr("aliquot_card_memory_total_bytes{"), HasSubstr("aliquot_share_core_percent{"),
            HasSubstr("pod=\"held\""), Not(HasSubstr("aliquot_agent_grants"))));
  EXPECT_EQ(AskAs("of-verify", "/metrics").status, 403);
  EXPECT_EQ(AskAs("of-prometheus", "/shares").status, 403);
}

TEST_F(AgentPagesTest, VerifyOfWhatIsNotHereIsOneSentence) {
  StartReady();
  EXPECT_EQ(AskAs("of-verify", "/verify").status, 400);
  EXPECT_EQ(AskAs("of-verify", "/verify?pod=../x").status, 400);
  EXPECT_EQ(AskAs("of-verify", "/verify?pod=a/b&container=%0a").status, 400);
  const test::HttpReply none = AskAs("of-verify", "/verify?pod=team/none");
  EXPECT_EQ(none.status, 404);
  EXPECT_THAT(none.body, HasSubstr("pod team/none holds no card of node"));
}

TEST_F(AgentPagesTest, AFloodOfStrangersIsNotPassedOn) {
  StartReady();
  int limited = 0;
  for (int i = 0; i < 60; ++i) {
    limited += AskAs("stranger-" + std::to_string(i), "/metrics").status == 429 ? 1 : 0;
  }
  EXPECT_GT(limited, 20);  // a burst of 10, then 2 a second
  EXPECT_EQ(server_->Count("POST", "subjectaccessreviews"), 0u);
}

}  // namespace
}  // namespace aliquot::agent
