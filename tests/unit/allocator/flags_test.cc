// SPDX-License-Identifier: Apache-2.0
#include "allocator/flags.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/program/problems_of.h"

namespace aliquot::allocator {
namespace {

Result<Flags> Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "aliquot-allocator");
  return ParseFlags(static_cast<int>(arguments.size()), arguments.data());
}

TEST(Flags, RunIsTheActionWithoutAnyFlag) {
  const auto flags = Parse({});
  ASSERT_TRUE(flags.ok()) << flags.status().message();
  EXPECT_EQ(flags->action, Flags::Action::kRun);
  EXPECT_FALSE(flags->cluster.has_value());
}

TEST(Flags, EachActionHasItsFlag) {
  EXPECT_EQ(Parse({"--version"})->action, Flags::Action::kVersion);
  EXPECT_EQ(Parse({"--validate-config"})->action, Flags::Action::kValidateConfig);
  EXPECT_EQ(Parse({"--print-config"})->action, Flags::Action::kPrintConfig);
  const auto probe = Parse({"--probe", "ready"});
  EXPECT_EQ(probe->action, Flags::Action::kProbe);
  EXPECT_EQ(probe->probe, "ready");
}

TEST(Flags, HelpNamesEveryFlag) {
  const auto flags = Parse({"--help"});
  ASSERT_TRUE(flags.ok());
  EXPECT_EQ(flags->action, Flags::Action::kHelp);
  for (const char* flag :
       {"--config", "--kubeconfig", "--cluster", "--extender-listen", "--admission-listen",
        "--monitor-listen", "--tls-cert", "--tls-key", "--client-ca", "--addresses-file",
        "--log-level", "--probe", "--validate-config", "--print-config", "--version"}) {
    EXPECT_NE(flags->help.find(flag), std::string::npos) << flag;
  }
}

TEST(Flags, AMistakeIsOneSentence) {
  EXPECT_FALSE(Parse({"--clutser", "x"}).ok());
  EXPECT_FALSE(Parse({"--cluster"}).ok());
  EXPECT_FALSE(Parse({"stray"}).ok());
  EXPECT_FALSE(Parse({"--probe", "sometimes"}).ok());
  const auto both = Parse({"--version", "--print-config"});
  ASSERT_FALSE(both.ok());
  EXPECT_EQ(both.status().message(),
            "more than one of --version, --validate-config, --print-config and --probe is given; "
            "keep one");
}

TEST(Flags, OverrideTheFile) {
  auto flags = Parse({"--config",           ALIQUOT_SOURCE_DIR "/config/allocator.yaml",
                      "--cluster",          "c.yaml",
                      "--extender-listen",  "127.0.0.1:1",
                      "--admission-listen", "127.0.0.1:2",
                      "--monitor-listen",   "127.0.0.1:3",
                      "--tls-cert",         "cert",
                      "--tls-key",          "key",
                      "--client-ca",        "ca",
                      "--addresses-file",   "a.json",
                      "--log-level",        "warn"});
  ASSERT_TRUE(flags.ok()) << flags.status().message();
  Configuration configuration;
  program::Origins origins;
  program::Problems problems;
  ConfigureFrom(*flags, configuration, origins, problems);
  EXPECT_EQ(program::Text(problems), "");
  EXPECT_EQ(configuration.cluster_file, "c.yaml");
  EXPECT_EQ(configuration.listen.extender, "127.0.0.1:1");
  EXPECT_EQ(configuration.listen.admission, "127.0.0.1:2");
  EXPECT_EQ(configuration.listen.monitor, "127.0.0.1:3");
  EXPECT_EQ(configuration.tls.certificate_file, "cert");
  EXPECT_EQ(configuration.tls.key_file, "key");
  EXPECT_EQ(configuration.tls.client_ca_file, "ca");
  EXPECT_EQ(configuration.addresses_file, "a.json");
  EXPECT_EQ(configuration.log_level, "warn");
  EXPECT_EQ(origins["listen.monitor"], "--monitor-listen");
}

TEST(Flags, AProblemOfAFlagNamesTheFlag) {
  Configuration configuration;
  program::Origins origins;
  program::Problems problems;
  ConfigureFrom(*Parse({"--monitor-listen", "0.0.0.0:1", "--log-level", "loud", "--tls-cert", "c",
                        "--tls-key", "k", "--client-ca", "ca"}),
                configuration, origins, problems);
  CheckConfiguration(configuration, origins, problems);
  EXPECT_EQ(program::Text(problems),
            "--log-level: log.level is \"loud\"; choose among debug, info, warn, error\n"
            "--monitor-listen: listen.monitor is \"0.0.0.0:1\": the monitor asks nobody who they "
            "are, so it listens on loopback only; give 127.0.0.1 or [::1] as the host\n");
}

TEST(Flags, TheSourceGivenByFlagReplacesTheFilesSource) {
  Configuration configuration;
  configuration.kubeconfig = "from-file";
  program::Origins origins;
  program::Problems problems;
  ConfigureFrom(*Parse({"--cluster", "c.yaml"}), configuration, origins, problems);
  EXPECT_EQ(configuration.kubeconfig, "");
  EXPECT_EQ(configuration.cluster_file, "c.yaml");
}

}  // namespace
}  // namespace aliquot::allocator
