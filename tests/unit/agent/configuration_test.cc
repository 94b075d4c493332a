// SPDX-License-Identifier: Apache-2.0
#include "agent/configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "agent/configuration_fields.h"
#include "base/strings.h"
#include "program/map_reader.h"
#include "tests/support/test_certificates.h"
#include "tests/unit/program/problems_of.h"

namespace aliquot::agent {
namespace {

using ::testing::HasSubstr;

constexpr char kHead[] = "apiVersion: aliquot.io/v1alpha1\nkind: AgentConfiguration\n";

// Every field by its full key, with its value as text.
class FieldLister final : public program::FieldVisitor {
 public:
  void BeginSection(std::string_view name) override { section_ = std::string(name) + "."; }
  void EndSection() override { section_.clear(); }
  void Text(std::string_view key, std::string& value) override { Put(key, value); }
  void Choice(std::string_view key, std::string& value,
              const std::vector<std::string_view>& /*choices*/) override {
    Put(key, value);
  }
  void Boolean(std::string_view key, bool& value) override { Put(key, value ? "true" : "false"); }
  void Integer(std::string_view key, std::int64_t& value, std::int64_t /*least*/,
               std::int64_t /*most*/) override {
    Put(key, std::to_string(value));
  }
  void Duration(std::string_view key, Milliseconds& value, Milliseconds /*least*/,
                Milliseconds /*most*/) override {
    Put(key, program::FormatDuration(value));
  }
  void Texts(std::string_view key, std::vector<std::string>& values) override {
    Put(key, "[" + Join(values, ", ") + "]");
  }
  void Integers(std::string_view key, std::vector<int>& values, int /*least*/,
                int /*most*/) override {
    std::vector<std::string> texts;
    for (const int value : values) {
      texts.push_back(std::to_string(value));
    }
    Put(key, "[" + Join(texts, ", ") + "]");
  }

  std::map<std::string, std::string> fields;

 private:
  void Put(std::string_view key, const std::string& value) {
    fields[section_ + std::string(key)] = value;
  }
  std::string section_;
};

std::map<std::string, std::string> FieldsOf(Configuration configuration) {
  FieldLister lister;
  VisitFields(configuration, lister);
  return lister.fields;
}

Configuration OnNode() {
  Configuration configuration;
  configuration.node_name = "n1";
  return configuration;
}

// What reading and checking a document of this body reports, under the name "agent.yaml".
std::string ProblemsOf(const std::string& body) {
  const test::TemporaryDirectory directory;
  const std::string file = directory.Write("agent.yaml", kHead + body);
  Configuration configuration = OnNode();
  program::Origins origins;
  program::Problems problems;
  LoadConfiguration(file, "n1", configuration, origins, problems);
  CheckConfiguration(configuration, origins, problems);
  std::string text = program::Text(problems);
  for (std::size_t at = text.find(directory.path() + "/"); at != std::string::npos;
       at = text.find(directory.path() + "/")) {
    text.erase(at, directory.path().size() + 1);
  }
  return text;
}

TEST(AgentConfiguration, TheDefaultsNeedOnlyTheNodesName) {
  program::Problems well;
  CheckConfiguration(OnNode(), {}, well);
  EXPECT_EQ(program::Text(well), "");
  program::Problems nameless;
  CheckConfiguration(Configuration(), {}, nameless);
  EXPECT_EQ(program::Text(nameless),
            "configuration: nodeName is empty and so is NODE_NAME of the environment; give the "
            "node's name here or with --node-name\n");
}

TEST(AgentConfiguration, OneFileServesNodesThatDiffer) {
  const test::TemporaryDirectory directory;
  const std::string file = directory.Write(
      "agent.yaml",
      "apiVersion: aliquot.io/v1alpha1\nkind: AgentConfiguration\ngrant: {mode: devdir}\n"
      "overrides:\n- nodes: ['new-*']\n  grant: {mode: cdi}\n");
  for (const auto& [node, mode] : {std::pair("new-7", "cdi"), std::pair("old-7", "devdir")}) {
    Configuration configuration;
    program::Origins origins;
    program::Problems problems;
    LoadConfiguration(file, node, configuration, origins, problems);
    EXPECT_EQ(program::Text(problems), "");
    EXPECT_EQ(configuration.grant.mode, mode) << node;
  }
}

TEST(AgentConfiguration, WhatIsPrintedReadsAsTheSameConfiguration) {
  Configuration configuration = OnNode();
  configuration.kubeconfig = "/it's: a #path";
  configuration.gpu.ignored_xids = {13, 94};
  configuration.gpu.healthy_after = std::chrono::milliseconds(90500);
  configuration.cards.include = {"GPU-a", "GPU-b"};
  configuration.grant.mode = "cdi";
  configuration.driver_delivery = "cdi";
  configuration.gpu_manager_pages = true;
  for (const Configuration& each : {OnNode(), configuration}) {
    const test::TemporaryDirectory directory;
    Configuration again;
    program::Origins origins;
    program::Problems problems;
    LoadConfiguration(directory.Write("printed.yaml", PrintConfiguration(each)), "n1", again,
                      origins, problems);
    CheckConfiguration(again, origins, problems);
    EXPECT_EQ(program::Text(problems), "");
    EXPECT_EQ(FieldsOf(again), FieldsOf(each));
    for (const auto& [key, value] : FieldsOf(each)) {
      EXPECT_EQ(origins.count(key), 1u) << key << " is not printed";
    }
  }
}

// docs/reference/agent-configuration.md: "| `key` | `default` | values | meaning |".
TEST(AgentConfiguration, TheReferencePageHasEveryKeyWithItsDefault) {
  std::ifstream page(ALIQUOT_SOURCE_DIR "/docs/reference/agent-configuration.md");
  ASSERT_TRUE(page.good());
  std::map<std::string, std::string> documented;
  for (std::string line; std::getline(page, line);) {
    std::istringstream cells(line);
    std::string nothing, key, value;
    std::getline(cells, nothing, '`');
    std::getline(cells, key, '`');
    std::getline(cells, nothing, '`');
    std::getline(cells, value, '`');
    if (line.rfind("| `", 0) == 0 && key.rfind("--", 0) != 0 && key != "apiVersion" &&
        key != "kind") {
      const auto duration = program::ParseDuration(value);  // the page may prefer 120s to 2m
      documented[key] = duration          ? program::FormatDuration(*duration)
                        : value == "\"\"" ? ""
                                          : value;
    }
  }
  EXPECT_EQ(documented, FieldsOf(Configuration()));
}

TEST(AgentConfiguration, TheShippedExampleHasEveryKeyAtItsDefault) {
  Configuration example;
  program::Origins origins;
  program::Problems problems;
  LoadConfiguration(ALIQUOT_SOURCE_DIR "/config/agent.yaml", "n1", example, origins, problems);
  example.node_name = "n1";  // comes from NODE_NAME
  CheckConfiguration(example, origins, problems);
  EXPECT_EQ(program::Text(problems), "");
  EXPECT_EQ(FieldsOf(example), FieldsOf(OnNode()));
  for (const auto& [key, value] : FieldsOf(Configuration())) {
    EXPECT_EQ(origins.count(key), 1u) << key << " is not in config/agent.yaml";
  }
}

TEST(AgentConfiguration, ReportsAllProblemsAtOnceWithTheirLines) {
  EXPECT_EQ(ProblemsOf("gpu:\n"
                       "  backend: cuda\n"
                       "  ignoredXids: [13, 0]\n"
                       "  profil: x\n"
                       "grant: {orphanGrace: 10ms}\n"
                       "listen: {monitor: '0.0.0.0:8082'}\n"),
            "agent.yaml:4: gpu.backend is \"cuda\"; choose among auto, nvml, simulated, none\n"
            "agent.yaml:5: gpu.ignoredXids holds \"0\"; write whole numbers from 1 to 65535\n"
            "agent.yaml:6: gpu.profil is not a known key; correct its spelling or remove it\n"
            "agent.yaml:7: grant.orphanGrace is \"10ms\"; write a duration from 1s to 24h, such "
            "as 1m\n"
            "agent.yaml:8: listen.monitor is \"0.0.0.0:8082\": the monitor asks nobody who they "
            "are, so it listens on loopback only; give 127.0.0.1 or [::1] as the host\n");
}

TEST(AgentConfiguration, RefusesAnotherKindOfDocument) {
  const test::TemporaryDirectory directory;
  const std::string file =
      directory.Write("a.yaml", "apiVersion: aliquot.io/v1alpha1\nkind: AllocatorConfiguration\n");
  Configuration configuration;
  program::Origins origins;
  program::Problems problems;
  LoadConfiguration(file, "n1", configuration, origins, problems);
  EXPECT_THAT(program::Text(problems), HasSubstr("choose among AgentConfiguration"));
}

TEST(AgentConfiguration, TheSimulatedMachineNeedsAProfileAndNothingElseTakesOne) {
  EXPECT_EQ(ProblemsOf("gpu: {backend: simulated, profile: p.yaml}\n"), "");
  EXPECT_EQ(ProblemsOf("gpu: {backend: simulated}\n"),
            "configuration: gpu.profile is empty although gpu.backend is simulated; give a machine "
            "profile\n");
  EXPECT_EQ(ProblemsOf("gpu: {backend: nvml, profile: p.yaml}\n"),
            "agent.yaml:3: gpu.profile is \"p.yaml\" although gpu.backend is nvml; leave it out, "
            "or set gpu.backend to simulated\n");
}

TEST(AgentConfiguration, EachCardIsIncludedOnce) {
  EXPECT_EQ(ProblemsOf("cards: {include: [GPU-a, GPU-b]}\n"), "");
  EXPECT_EQ(ProblemsOf("cards: {include: [GPU-a, GPU-a]}\n"),
            "agent.yaml:3: cards.include holds \"GPU-a\" twice or empty; name each card's UUID "
            "once\n");
  EXPECT_EQ(ProblemsOf("cards: {include: ['']}\n"),
            "agent.yaml:3: cards.include holds \"\"; write texts that are not empty\n");
}

TEST(AgentConfiguration, PathsThatARuntimeMountsAreAbsoluteAndStraight) {
  for (const char* key :
       {"grant.stateDirectory", "grant.dataDirectory", "grant.cdiDirectory", "gpu.driverRoot",
        "gpu.deviceRoot", "kubelet.pluginDirectory", "kubelet.podResourcesSocket"}) {
    const std::string name(key);
    const std::size_t dot = name.find('.');
    for (const char* path : {"relative/path", "", "/a/../b", "/.."}) {
      EXPECT_EQ(
          ProblemsOf(name.substr(0, dot) + ": {" + name.substr(dot + 1) + ": '" + path + "'}\n"),
          "agent.yaml:3: " + name + " is \"" + path + "\"; give an absolute path without \"..\"\n")
          << key;
    }
    EXPECT_EQ(ProblemsOf(name.substr(0, dot) + ": {" + name.substr(dot + 1) + ": /a..b/..c}\n"), "")
        << "names may begin with dots";
  }
}

TEST(AgentConfiguration, TheDriverByCdiNeedsGrantsByCdi) {
  EXPECT_EQ(ProblemsOf("driver: {delivery: cdi}\n"), "");
  EXPECT_EQ(ProblemsOf("driver: {delivery: cdi}\ngrant: {mode: cdi}\n"), "");
  EXPECT_EQ(ProblemsOf("driver: {delivery: cdi}\ngrant: {mode: devdir}\n"),
            "agent.yaml:3: driver.delivery is cdi although grant.mode is devdir; set grant.mode to "
            "cdi, or driver.delivery to mirror\n");
}

TEST(AgentConfiguration, RefusesControlCharactersInTexts) {
  EXPECT_EQ(ProblemsOf("addressesFile: \"a\\nb\"\n"),
            "agent.yaml:3: addressesFile is \"a?b\", which holds a control character; remove it\n");
}

TEST(AgentConfiguration, AFileThatIsNotThereIsNamed) {
  Configuration configuration;
  program::Origins origins;
  program::Problems problems;
  LoadConfiguration("/nowhere/agent.yaml", "n1", configuration, origins, problems);
  EXPECT_THAT(program::Text(problems), HasSubstr("/nowhere/agent.yaml"));
}

std::string ProblemsOf(const Configuration& configuration) {
  program::Problems problems;
  CheckConfiguration(configuration, {}, problems);
  return program::Text(problems);
}

TEST(AgentConfiguration, TheAuthenticatedListenerMayReachOthersAndHasACertificateWhole) {
  Configuration c;
  c.node_name = "n1";
  c.listen_authenticated = "0.0.0.0:8443";
  EXPECT_EQ(ProblemsOf(c), "");
  c.tls.certificate_file = "/tls.crt";
  EXPECT_THAT(ProblemsOf(c), HasSubstr("tls.keyFile is empty although tls.certificateFile"));
  c.tls.key_file = "/tls.key";
  EXPECT_EQ(ProblemsOf(c), "");
  c.listen_authenticated = "";
  EXPECT_THAT(ProblemsOf(c), HasSubstr("although listen.authenticated is empty"));
  c.listen_authenticated = "8443";
  EXPECT_THAT(ProblemsOf(c), HasSubstr("listen.authenticated"));
}

}  // namespace
}  // namespace aliquot::agent
