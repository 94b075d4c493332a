// SPDX-License-Identifier: Apache-2.0
#include "allocator/configuration.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "allocator/configuration_fields.h"
#include "base/strings.h"
#include "program/map_reader.h"
#include "tests/unit/program/problems_of.h"

namespace aliquot::allocator {
namespace {

constexpr char kHead[] = "apiVersion: aliquot.io/v1alpha1\nkind: AllocatorConfiguration\n";

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
    Put(key, Join(values, ","));
  }
  void Integers(std::string_view key, std::vector<int>& values, int /*least*/,
                int /*most*/) override {
    std::string text;
    for (const int value : values) {
      text += std::to_string(value) + ",";
    }
    Put(key, text);
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

Configuration WithTls() {
  Configuration configuration;
  configuration.tls.certificate_file = "tls.crt";
  configuration.tls.key_file = "tls.key";
  configuration.tls.client_ca_file = "ca.crt";
  return configuration;
}

// What reading and checking this document reports.
std::string ProblemsOf(const std::string& body) {
  Configuration configuration = WithTls();
  program::Origins origins;
  program::Problems problems;
  ReadConfiguration(kHead + body, "a.yaml", configuration, origins, problems);
  CheckConfiguration(configuration, origins, problems);
  return program::Text(problems);
}

std::string CheckOf(const Configuration& configuration) {
  program::Problems problems;
  CheckConfiguration(configuration, {}, problems);
  return program::Text(problems);
}

TEST(Configuration, TheDefaultsNeedOnlyTheTlsFiles) {
  EXPECT_EQ(CheckOf(WithTls()), "");
  EXPECT_EQ(CheckOf(Configuration()),
            "configuration: tls.certificateFile is empty; give the path of a PEM file here or "
            "with --tls-cert\n"
            "configuration: tls.keyFile is empty; give the path of a PEM file here or with "
            "--tls-key\n"
            "configuration: tls.clientCAFile is empty; give the path of a PEM file here or with "
            "--client-ca\n");
}

TEST(Configuration, TheShippedExampleHasEveryKeyAtItsDefault) {
  Configuration example;
  program::Origins origins;
  program::Problems problems;
  LoadConfiguration(ALIQUOT_SOURCE_DIR "/config/allocator.yaml", example, origins, problems);
  CheckConfiguration(example, origins, problems);
  EXPECT_EQ(program::Text(problems), "");
  auto shipped = FieldsOf(example);
  auto defaults = FieldsOf(Configuration());
  for (const char* key : {"tls.certificateFile", "tls.keyFile", "tls.clientCAFile"}) {
    EXPECT_NE(shipped[key], "") << key;
    shipped.erase(key);
    defaults.erase(key);
  }
  EXPECT_EQ(shipped, defaults);
  for (const auto& [key, value] : FieldsOf(Configuration())) {
    EXPECT_EQ(origins.count(key), 1u) << key << " is not in config/allocator.yaml";
  }
}

// docs/reference/configuration.md: "| `key` | `default`[, required] | values | meaning |".
TEST(Configuration, TheReferencePageHasEveryKeyWithItsDefault) {
  std::ifstream page(ALIQUOT_SOURCE_DIR "/docs/reference/configuration.md");
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

TEST(Configuration, WhatIsPrintedReadsAsTheSameConfiguration) {
  Configuration configuration = WithTls();
  configuration.kubeconfig = "/it's: a #path";
  configuration.http.idle_timeout = std::chrono::milliseconds(90500);
  configuration.gpu_assigned_annotation = true;
  configuration.log_level = "debug";
  Configuration again;
  program::Origins origins;
  program::Problems problems;
  ReadConfiguration(PrintConfiguration(configuration), "printed", again, origins, problems);
  EXPECT_EQ(program::Text(problems), "");
  EXPECT_EQ(FieldsOf(again), FieldsOf(configuration));
}

TEST(Configuration, ReportsAllProblemsAtOnceWithTheirLines) {
  EXPECT_EQ(ProblemsOf("http:\n"
                       "  extenderThreads: 0\n"
                       "  extenderTreads: 4\n"
                       "deadlines: {bind: 4}\n"
                       "scoring: {policy: fastest}\n"
                       "logging: {level: info}\n"
                       "listen: {monitor: '0.0.0.0:8080'}\n"),
            "a.yaml:4: http.extenderThreads is \"0\"; write a whole number from 1 to 1024\n"
            "a.yaml:5: http.extenderTreads is not a known key; correct its spelling or remove it\n"
            "a.yaml:7: scoring.policy is \"fastest\"; choose among composite, "
            "fragmentation, binpack, spread, topology, first-fit, fgd\n"
            "a.yaml:6: deadlines.bind is \"4\"; write a duration from 100ms to 1m, such as 4s\n"
            "a.yaml:8: logging is not a known key; correct its spelling or remove it\n"
            "a.yaml:9: listen.monitor is \"0.0.0.0:8080\": the monitor asks nobody who they are, "
            "so it listens on loopback only; give 127.0.0.1 or [::1] as the host\n");
}

TEST(Configuration, RefusesAnotherVersionOrKind) {
  Configuration configuration;
  program::Origins origins;
  program::Problems problems;
  ReadConfiguration("apiVersion: aliquot.io/v2\nlog: {level: info}\n", "a.yaml", configuration,
                    origins, problems);
  EXPECT_EQ(program::Text(problems),
            "a.yaml:1: apiVersion is \"aliquot.io/v2\"; choose among aliquot.io/v1alpha1\n"
            "a.yaml:1: kind is missing; add it\n");
}

TEST(Configuration, AcceptsOnlyLoopbackForTheMonitor) {
  for (const char* address : {"127.0.0.1:0", "127.1.2.3:80", "[::1]:8080"}) {
    EXPECT_EQ(ProblemsOf(std::string("listen: {monitor: '") + address + "'}\n"), "") << address;
  }
  for (const char* address :
       {":8080", "[::]:8080", "10.0.0.1:8080", "localhost:8080", "127.0.0.1.example.org:80"}) {
    EXPECT_NE(ProblemsOf(std::string("listen: {monitor: '") + address + "'}\n"), "") << address;
  }
}

TEST(Configuration, ChecksTheRulesThatJoinValues) {
  EXPECT_EQ(ProblemsOf("kubeconfig: k\nclusterFile: c\n"),
            "a.yaml:4: clusterFile is \"c\" although kubeconfig is given too; keep one of them\n");
  EXPECT_EQ(ProblemsOf("http: {maxBufferedBytes: 4096}\n"),
            "a.yaml:3: http.maxBufferedBytes is 4096, less than one body of http.maxBodyBytes; "
            "give at least 16777216\n");
  EXPECT_EQ(ProblemsOf("admission: {schedulerName: 'No Name'}\n"),
            "a.yaml:3: admission.schedulerName is \"No Name\"; give the schedulerName of a "
            "kube-scheduler's profile, or nothing\n");
  EXPECT_EQ(ProblemsOf("search: {stepsPerRequest: 10}\n"),
            "a.yaml:3: search.stepsPerRequest is 10, less than search.stepsPerNode; give at least "
            "20000\n");
  EXPECT_EQ(ProblemsOf("tls: {admissionKeyFile: k}\n"),
            "configuration: tls.admissionCertificateFile is empty although tls.admissionKeyFile "
            "is given; give both or neither\n");
  EXPECT_EQ(ProblemsOf("clusterFile: c\nlisten: {authenticated: ':8445'}\n"),
            "a.yaml:4: listen.authenticated is \":8445\" although clusterFile is given; without an "
            "API server nobody can be asked who may read, leave it empty\n");
  EXPECT_EQ(ProblemsOf("listen: {admission: ':8443'}\n"),
            "a.yaml:3: listen.admission is \":8443\", which is listen.extender too; give each its "
            "own port\n");
}

TEST(Configuration, ChecksTheResourceNames) {
  EXPECT_EQ(ProblemsOf("resourceNames: {core: a.io/c, memory: a.io/m, prefix: a.io/}\n"), "");
  EXPECT_EQ(ProblemsOf("resourceNames: {core: cpu}\n"),
            "a.yaml:3: resourceNames.core is \"cpu\"; give an extended resource name such as "
            "tencent.com/vcuda-core\n"
            "configuration: resourceNames.prefix is \"tencent.com/vcuda-\"; give a text with which "
            "both resource names begin\n");
  EXPECT_NE(ProblemsOf("resourceNames: {core: tencent.com/vcuda-memory}\n"), "");
}

TEST(Configuration, RefusesControlCharactersInTexts) {
  EXPECT_EQ(ProblemsOf("addressesFile: \"a\\nb\"\n"),
            "a.yaml:3: addressesFile is \"a?b\", which holds a control character; remove it\n");
}

}  // namespace
}  // namespace aliquot::allocator
