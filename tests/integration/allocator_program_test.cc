// SPDX-License-Identifier: Apache-2.0
// The program itself: exit codes, what it prints, signals.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "program/addresses_file.h"
#include "tests/integration/allocator_fixture.h"

namespace aliquot::allocator {
namespace {

using testing::HasSubstr;

std::string Contents(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class ProgramTest : public AllocatorTest {
 protected:
  ~ProgramTest() override {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
  }

  void Spawn(std::vector<std::string> arguments) {
    std::vector<char*> argv;
    arguments.insert(arguments.begin(), ALIQUOT_ALLOCATOR_PROGRAM);
    for (std::string& argument : arguments) {
      argv.push_back(argument.data());
    }
    argv.push_back(nullptr);
    pid_ = fork();
    ASSERT_GE(pid_, 0);
    if (pid_ == 0) {
      dup2(open(out().c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
      dup2(open(err().c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
      execv(argv[0], argv.data());
      _exit(127);
    }
  }
  // The exit status; 128 + n when signal n ended it.
  int Wait() {
    int status = 0;
    const bool ended = Eventually([&] { return waitpid(pid_, &status, WNOHANG) == pid_; });
    if (!ended) {
      ADD_FAILURE() << "the program does not end";
      return -1;
    }
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  int Run(std::vector<std::string> arguments) {
    Spawn(std::move(arguments));
    return Wait();
  }
  std::vector<std::string> ClusterArguments() {
    UseCluster();
    return {"--cluster=" + configuration_.cluster_file,
            "--extender-listen=127.0.0.1:0",
            "--admission-listen=127.0.0.1:0",
            "--monitor-listen=127.0.0.1:0",
            "--addresses-file=" + configuration_.addresses_file,
            "--tls-cert=" + configuration_.tls.certificate_file,
            "--tls-key=" + configuration_.tls.key_file,
            "--client-ca=" + configuration_.tls.client_ca_file};
  }
  void SpawnReady() {
    Spawn(ClusterArguments());
    ASSERT_TRUE(Eventually([this] {
      const auto monitor = program::ReadAddress(configuration_.addresses_file, "monitor");
      return monitor.ok() && test::HttpTestClient(*monitor).Get("/readyz").status == 200;
    })) << Contents(err());
  }
  std::string out() const { return directory_.PathOf("out"); }
  std::string err() const { return directory_.PathOf("err"); }

  pid_t pid_ = 0;
};

TEST_F(ProgramTest, SigtermAndSigintEndItCleanly) {
  for (const int signal : {SIGTERM, SIGINT}) {
    unlink(configuration_.addresses_file.c_str());
    SpawnReady();
    kill(pid_, signal);
    EXPECT_EQ(Wait(), 0) << Contents(err());
    EXPECT_THAT(Contents(err()), HasSubstr("\"drained\""));
  }
}

TEST_F(ProgramTest, ItMayOpenAsManyFilesAsTheSystemAllows) {
  rlimit usual{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &usual), 0);
  rlimit low = usual;
  low.rlim_cur = 100;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);  // the program inherits it
  SpawnReady();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &usual), 0);
  rlimit raised{};
  ASSERT_EQ(prlimit(pid_, RLIMIT_NOFILE, nullptr, &raised), 0);
  EXPECT_EQ(raised.rlim_cur, usual.rlim_max);
}

TEST_F(ProgramTest, SighupChangesNothing) {
  SpawnReady();
  kill(pid_, SIGHUP);
  kill(pid_, SIGTERM);
  EXPECT_EQ(Wait(), 0);
}

// A half-sent request keeps the drain waiting; the second signal does not wait.
TEST_F(ProgramTest, ASecondSignalEndsItAtOnce) {
  SpawnReady();
  const auto extender = program::ReadAddress(configuration_.addresses_file, "extender");
  const auto monitor = program::ReadAddress(configuration_.addresses_file, "monitor");
  ASSERT_TRUE(extender.ok() && monitor.ok());
  test::HttpTestClient client(*extender, test::ClientTls{authority_.certificate(), scheduler_});
  ASSERT_TRUE(client.Send("POST /scheduler/filter HTTP/1.1\r\nHost: x\r\n"));
  ASSERT_TRUE(Eventually([&] {
    return test::HttpTestClient(*monitor)
               .Get("/metrics")
               .body.find("aliquot_allocator_connections{listener=\"extender\"} 1\n") !=
           std::string::npos;
  }));
  kill(pid_, SIGTERM);
  ASSERT_TRUE(
      Eventually([this] { return Contents(err()).find("\"draining\"") != std::string::npos; }));
  kill(pid_, SIGTERM);
  EXPECT_EQ(Wait(), 128 + SIGTERM);
}

TEST_F(ProgramTest, ValidateConfigPrintsEveryProblemAndExitsWithOne) {
  const std::string path = directory_.Write(
      "bad.yaml",
      "apiVersion: aliquot.io/v1alpha1\nkind: AllocatorConfiguration\nlog: {level: loud}\nx: 1\n");
  auto arguments = ClusterArguments();
  arguments.push_back("--validate-config");
  EXPECT_EQ(Run(arguments), 0) << Contents(err());
  arguments.push_back("--config=" + path);
  EXPECT_EQ(Run(arguments), 1);
  EXPECT_EQ(Contents(err()),
            path + ":3: log.level is \"loud\"; choose among debug, info, warn, error\n" + path +
                ":4: x is not a known key; correct its spelling or remove it\n");
}

TEST_F(ProgramTest, PrintConfigPrintsWhatIsInForce) {
  auto arguments = ClusterArguments();
  arguments.push_back("--print-config");
  EXPECT_EQ(Run(arguments), 0);
  EXPECT_THAT(Contents(out()), HasSubstr("clusterFile: '" + configuration_.cluster_file + "'\n"));
}

TEST_F(ProgramTest, VersionAndHelpNeedNothingElse) {
  EXPECT_EQ(Run({"--version"}), 0);
  EXPECT_THAT(Contents(out()), testing::MatchesRegex("[0-9.]+ [0-9a-z]+\n"));
  EXPECT_EQ(Run({"--help"}), 0);
  EXPECT_THAT(Contents(out()), HasSubstr("--cluster"));
}

TEST_F(ProgramTest, AMistakeIsOneLineAndExitsWithOne) {
  EXPECT_EQ(Run({"--nonsense"}), 1);
  EXPECT_THAT(Contents(err()), HasSubstr("--nonsense"));
  auto arguments = ClusterArguments();
  arguments.push_back("--cluster=/nonexistent.yaml");
  EXPECT_EQ(Run(arguments), 1);
}

TEST_F(ProgramTest, TheProbeAsksTheRunningProgram) {
  SpawnReady();
  const pid_t running = pid_;
  const std::vector<std::string> probe = {"--monitor-listen=127.0.0.1:0",
                                          "--addresses-file=" + configuration_.addresses_file,
                                          "--probe=ready"};
  EXPECT_EQ(Run(probe), 0) << Contents(err());
  pid_ = running;
  kill(pid_, SIGTERM);
  EXPECT_EQ(Wait(), 0);
  EXPECT_EQ(Run(probe), 1);
  EXPECT_THAT(Contents(err()), HasSubstr("nothing answers at "));
}

}  // namespace
}  // namespace aliquot::allocator
