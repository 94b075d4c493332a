// SPDX-License-Identifier: Apache-2.0
#include "agent/flags.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/test_certificates.h"
#include "tests/unit/program/problems_of.h"

namespace aliquot::agent {
namespace {

using Action = program::ActionFlags::Action;

Result<Flags> Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "aliquot-agent");
  return ParseFlags(static_cast<int>(arguments.size()), arguments.data());
}

struct Configured {
  Configuration configuration;
  program::Origins origins;
  std::string problems;
};

Configured Configure(const std::vector<const char*>& arguments, const std::string& node_name) {
  Configured out;
  program::Problems problems;
  const auto flags = Parse(arguments);
  EXPECT_TRUE(flags.ok()) << flags.status().message();
  ConfigureFrom(*flags, node_name, out.configuration, out.origins, problems);
  out.problems = program::Text(problems);
  return out;
}

TEST(AgentFlags, RunIsTheActionWithoutAnyFlag) {
  const auto flags = Parse({});
  ASSERT_TRUE(flags.ok()) << flags.status().message();
  EXPECT_EQ(flags->common.action, Action::kRun);
}

TEST(AgentFlags, EachActionHasItsFlag) {
  EXPECT_EQ(Parse({"--version"})->common.action, Action::kVersion);
  EXPECT_EQ(Parse({"--validate-config"})->common.action, Action::kValidateConfig);
  EXPECT_EQ(Parse({"--print-config"})->common.action, Action::kPrintConfig);
  EXPECT_EQ(Parse({"--probe", "ready"})->common.action, Action::kProbe);
}

TEST(AgentFlags, HelpNamesEveryFlag) {
  const auto flags = Parse({"--help"});
  ASSERT_TRUE(flags.ok());
  EXPECT_EQ(flags->common.action, Action::kHelp);
  for (const char* flag :
       {"--config", "--kubeconfig", "--node-name", "--monitor-listen", "--addresses-file",
        "--log-level", "--probe", "--validate-config", "--print-config", "--version"}) {
    EXPECT_NE(flags->common.help.find(flag), std::string::npos) << flag;
  }
}

TEST(AgentFlags, AMistakeIsOneSentence) {
  for (const std::vector<const char*>& wrong : {std::vector<const char*>{"--nodename", "x"},
                                                {"--node-name"},
                                                {"stray"},
                                                {"--probe", "sometimes"},
                                                {"--log-level", "loud"},
                                                {"--version", "--print-config"}}) {
    const auto flags = Parse(wrong);
    ASSERT_FALSE(flags.ok()) << wrong[0];
    EXPECT_EQ(flags.status().message().find('\n'), std::string::npos) << flags.status().message();
  }
}

TEST(AgentFlags, OverrideTheFile) {
  const test::TemporaryDirectory directory;
  const std::string file =
      directory.Write("a.yaml",
                      "apiVersion: aliquot.io/v1alpha1\nkind: AgentConfiguration\n"
                      "nodeName: of-the-file\nkubeconfig: k\nlog: {level: error}\n");
  Configured got = Configure({"--config", file.c_str()}, "of-the-environment");
  EXPECT_EQ(got.problems, "");
  EXPECT_EQ(got.configuration.node_name, "of-the-file");
  EXPECT_EQ(got.configuration.kubeconfig, "k");
  EXPECT_EQ(got.configuration.log_level, "error");
  got = Configure(
      {"--config", file.c_str(), "--node-name", "of-the-flag", "--kubeconfig", "kk",
       "--monitor-listen", "127.0.0.1:3", "--addresses-file", "a.json", "--log-level", "warn"},
      "of-the-environment");
  EXPECT_EQ(got.configuration.node_name, "of-the-flag");
  EXPECT_EQ(got.configuration.kubeconfig, "kk");
  EXPECT_EQ(got.configuration.listen_monitor, "127.0.0.1:3");
  EXPECT_EQ(got.configuration.addresses_file, "a.json");
  EXPECT_EQ(got.configuration.log_level, "warn");
  EXPECT_EQ(got.origins["listen.monitor"], "--monitor-listen");
}

TEST(AgentFlags, TheNodesNameComesFromTheEnvironmentWhereNothingElseNamesIt) {
  Configured got = Configure({}, "n1");
  EXPECT_EQ(got.configuration.node_name, "n1");
  EXPECT_EQ(got.origins["nodeName"], "NODE_NAME");
  EXPECT_EQ(Configure({}, "").configuration.node_name, "");
  EXPECT_EQ(Configure({"--node-name", "n2"}, "n1").configuration.node_name, "n2");
}

TEST(AgentFlags, AProblemOfAFlagNamesTheFlag) {
  Configured got = Configure({"--monitor-listen", "0.0.0.0:1"}, "n1");
  program::Problems problems;
  CheckConfiguration(got.configuration, got.origins, problems);
  EXPECT_EQ(program::Text(problems),
            "--monitor-listen: listen.monitor is \"0.0.0.0:1\": the monitor asks nobody who they "
            "are, so it listens on loopback only; give 127.0.0.1 or [::1] as the host\n");
}

}  // namespace
}  // namespace aliquot::agent
