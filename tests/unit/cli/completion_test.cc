// SPDX-License-Identifier: Apache-2.0
// What `aliquotctl __complete` offers for half-typed command lines.
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <sstream>

#include "cli/complete/names.h"
#include "cli/complete/question.h"
#include "cli/complete/scripts.h"
#include "cli/verb.h"

namespace aliquot::cli {
namespace {

using Words = std::vector<std::string>;
using Names = CompletionQuestion::Names;

// The verbs as the program has them.
struct Parser {
  Parser() {
    AddGetVerb(app, run);
    AddVerifyVerb(app, run);
    AddWhyVerb(app, run);
    AddTopologyVerb(app, run);
    AddCompletionVerb(app, run);
  }

  CLI::App app{"", "aliquotctl"};
  Run run;
};

CompletionQuestion Asked(const Words& words) {
  const Parser parser;
  return AskedBy(parser.app, words);
}

Words Offered(const Words& words) {
  Words offered;
  for (const Candidate& candidate : Asked(words).candidates) {
    offered.push_back(candidate.word);
  }
  std::sort(offered.begin(), offered.end());
  return offered;
}

TEST(Completion, VerbsAreOfferedWithTheirDescriptionsUntilOneIsGiven) {
  EXPECT_EQ(Offered({""}), (Words{"completion", "get", "topology", "verify", "why"}));
  EXPECT_EQ(Offered({"v"}), Words{"verify"});
  EXPECT_NE(Asked({"get"}).candidates.at(0).description, "");
  EXPECT_EQ(Offered({"no-verb", ""}), Words());
  EXPECT_EQ(Offered({}), Offered({""}));
}

TEST(Completion, FlagsOfTheVerbAreOfferedAndValuesOfThoseThatHaveAList) {
  const Words flags = Offered({"verify", "--"});
  EXPECT_TRUE(std::count(flags.begin(), flags.end(), "--container"));
  EXPECT_FALSE(std::count(flags.begin(), flags.end(), "--ranked"));
  EXPECT_EQ(Offered({"get", "pods", "-o", ""}), (Words{"json", "table", "wide", "yaml"}));
  EXPECT_EQ(Offered({"get", "--output", "j", "--ignored"}), Words());
  EXPECT_EQ(Offered({"get", "--output", "j"}), Words{"json"});
  const CompletionQuestion joined = Asked({"get", "--output=w"});
  ASSERT_EQ(joined.candidates.size(), 1u);
  EXPECT_EQ(joined.before + joined.candidates[0].word, "--output=wide");
  EXPECT_EQ(Offered({"get", ""}), (Words{"cards", "nodes", "pods"}));
  EXPECT_EQ(Offered({"completion", "z"}), Words{"zsh"});
}

TEST(Completion, NamesAreThoseOfWhatIsAskedAbout) {
  EXPECT_EQ(Asked({"why", ""}).names, Names::kPods);
  EXPECT_EQ(Asked({"verify", "t"}).names, Names::kGpuPods);
  EXPECT_EQ(Asked({"get", "pods", ""}).names, Names::kGpuPods);
  EXPECT_EQ(Asked({"get", "-A", "nodes", ""}).names, Names::kNodes);
  EXPECT_EQ(Asked({"get", "cards", "n"}).names, Names::kNodes);
  EXPECT_EQ(Asked({"get", "nodes", "n1", ""}).names, Names::kNone);
  EXPECT_EQ(Asked({"why", "p", ""}).names, Names::kNone);
  EXPECT_EQ(Asked({"why", "-n", ""}).names, Names::kNamespaces);
  EXPECT_EQ(Asked({"verify", "--agent-namespace", ""}).names, Names::kNamespaces);
  EXPECT_EQ(Asked({"why", "--context=a"}).names, Names::kContexts);
  EXPECT_EQ(Asked({"why", "--context=a"}).before, "--context=");
  EXPECT_EQ(Asked({"why", "--context=a"}).typed, "a");
}

TEST(Completion, FilesAreTheShells) {
  EXPECT_TRUE(Asked({"why", "--kubeconfig", ""}).files);
  EXPECT_TRUE(Asked({"topology", ""}).files);
  EXPECT_FALSE(Asked({"why", ""}).files);
  EXPECT_FALSE(Asked({"topology", "--count", ""}).files);
}

TEST(Completion, WhatIsTypedAlreadyFindsTheCluster) {
  const CompletionQuestion asked =
      Asked({"why", "--kubeconfig=/k", "-nteam", "--context", "c", "--all-nodes", ""});
  EXPECT_EQ(asked.kubeconfig, "/k");
  EXPECT_EQ(asked.namespace_name, "team");
  EXPECT_EQ(asked.context, "c");
  EXPECT_FALSE(asked.in_cluster);
  EXPECT_EQ(asked.names, Names::kPods);
}

TEST(Completion, ContextsAreReadFromTheKubeconfigAndNothingIsSaidOfABadOne) {
  const std::string path = testing::TempDir() + "contexts";
  std::ofstream(path) << "contexts:\n- name: b\n- name: arn:aws:a\n- {}\n";
  CompletionQuestion asked;
  asked.names = Names::kContexts;
  asked.kubeconfig = path;
  const RealClock clock;
  EXPECT_EQ(NamesFor(asked, clock), (Words{"arn:aws:a", "b"}));
  asked.typed = "b";
  EXPECT_EQ(NamesFor(asked, clock), Words{"b"});
  std::ofstream(path) << ": [";
  EXPECT_EQ(NamesFor(asked, clock), Words());
  asked.names = Names::kPods;
  EXPECT_EQ(NamesFor(asked, clock), Words());
  asked.names = Names::kNone;
  EXPECT_EQ(NamesFor(asked, clock), Words());
}

TEST(Completion, EachShellHasItsScript) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    EXPECT_NE(CompletionScript(shell).find("__complete"), std::string_view::npos) << shell;
  }
  EXPECT_EQ(CompletionScript("csh"), "");
}

// ---- the program by its other names ----

std::string OutOf(std::vector<const char*> arguments) {
  std::ostringstream out, err;
  Streams streams{out, err, false};
  EXPECT_EQ(RunCommandLine(static_cast<int>(arguments.size()), arguments.data(), streams), kDone);
  EXPECT_EQ(err.str(), "");
  return out.str();
}

TEST(Names, AsKubectlsPluginTheUsageSaysSo) {
  EXPECT_NE(
      OutOf({"/usr/bin/kubectl-aliquot", "get", "--help"}).find("Usage: kubectl aliquot get "),
      std::string::npos);
  EXPECT_NE(OutOf({"out/bin/aliquotctl", "get", "--help"}).find("Usage: aliquotctl get "),
            std::string::npos);
  EXPECT_NE(OutOf({"kubectl-aliquot", "--help"}).find("Usage: kubectl aliquot "),
            std::string::npos);
}

TEST(Names, AsKubectlsCompletionTheWordsAreCompleted) {
  EXPECT_EQ(OutOf({"/usr/bin/kubectl_complete-aliquot", "get", "n"}), "nodes\n:4\n");
  EXPECT_EQ(OutOf({"aliquotctl", "__complete", "get", "n"}), "nodes\n:4\n");
  EXPECT_EQ(OutOf({"aliquotctl", "__complete", "convert", ""}), ":0\n");
}

}  // namespace
}  // namespace aliquot::cli
