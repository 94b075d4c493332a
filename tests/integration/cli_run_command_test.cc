// SPDX-License-Identifier: Apache-2.0
// A plugin's process: how it is started, what it finds, and how its end is told.
#include "cli/run_command.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>

#include "tests/support/test_certificates.h"

namespace aliquot::cli {
namespace {

using kubeclient::CommandEnd;
using kubeclient::CommandStart;
using Kind = CommandEnd::Kind;

CommandStart Shell(const std::string& script) {
  CommandStart start;
  start.command = "sh";
  start.arguments = {"-c", script};
  start.time_limit = std::chrono::seconds(30);
  start.max_output_bytes = 1u << 20;
  return start;
}

std::string OutputOf(const CommandStart& start) {
  const CommandEnd end = RunCommand(start);
  EXPECT_EQ(end.kind, Kind::kExited);
  EXPECT_EQ(end.number, 0);
  return end.output;
}

TEST(RunCommand, TakesAllOfTheOutputAndTheExitStatus) {
  EXPECT_EQ(OutputOf(Shell("printf 'a\\nb'")), "a\nb");
  // More than a pipe holds.
  EXPECT_EQ(OutputOf(Shell("head -c 300000 /dev/zero")).size(), 300000u);
  const CommandEnd end = RunCommand(Shell("exit 7"));
  EXPECT_EQ(end.kind, Kind::kExited);
  EXPECT_EQ(end.number, 7);
}

TEST(RunCommand, ASignalIsTold) {
  const CommandEnd end = RunCommand(Shell("kill -9 $$"));
  EXPECT_EQ(end.kind, Kind::kSignalled);
  EXPECT_EQ(end.number, SIGKILL);
}

TEST(RunCommand, VariablesAreAddedToOursAndWin) {
  setenv("ALIQUOT_TEST_KEPT", "kept", 1);
  setenv("ALIQUOT_TEST_REPLACED", "old", 1);
  CommandStart start = Shell("echo $ALIQUOT_TEST_KEPT $ALIQUOT_TEST_REPLACED $ALIQUOT_TEST_TWICE");
  start.environment = {{"ALIQUOT_TEST_REPLACED", "new"},
                       {"ALIQUOT_TEST_TWICE", "first"},
                       {"ALIQUOT_TEST_TWICE", "last"}};
  EXPECT_EQ(OutputOf(start), "kept new last\n");
  unsetenv("ALIQUOT_TEST_KEPT");
  unsetenv("ALIQUOT_TEST_REPLACED");
}

TEST(RunCommand, WordsReachItUnchanged) {
  CommandStart start = Shell("printf '<%s>' \"$@\"");
  start.arguments.insert(start.arguments.end(), {"name", "a b", "$HOME", ""});
  EXPECT_EQ(OutputOf(start), "<a b><$HOME><>");
}

TEST(RunCommand, ItHasNoInputUnlessItIsPassedAndNoOtherFileOfOurs) {
  const int file = open("/dev/null", O_RDONLY);  // not closed on exec
  EXPECT_EQ(OutputOf(Shell("cat; ls /proc/self/fd | wc -l")), "4\n") << "0, 1, 2 and ls's own";
  close(file);
}

TEST(RunCommand, OneThatHangsIsEndedAtItsTime) {
  for (const char* script : {"exec sleep 600", "trap '' TERM; while :; do sleep 0.1; done"}) {
    CommandStart start = Shell(script);
    start.time_limit = std::chrono::milliseconds(300);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(RunCommand(start).kind, Kind::kOutOfTime) << script;
    const auto took = std::chrono::steady_clock::now() - begin;
    EXPECT_GE(took, start.time_limit);
    EXPECT_LT(took, std::chrono::seconds(20));
  }
}

TEST(RunCommand, OneThatClosesItsOutputIsStillWaitedFor) {
  const CommandEnd end = RunCommand(Shell("echo said; exec >&-; sleep 0.3; exit 4"));
  EXPECT_EQ(end.kind, Kind::kExited);
  EXPECT_EQ(end.number, 4);
}

TEST(RunCommand, WhatItLeavesRunningIsNotWaitedFor) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(OutputOf(Shell("sleep 25 & echo done")), "done\n");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(RunCommand, TooMuchOutputEndsIt) {
  EXPECT_EQ(RunCommand(Shell("exec cat /dev/zero")).kind, Kind::kTooTalkative);
  CommandStart start = Shell("printf 12345");
  start.max_output_bytes = 4;
  EXPECT_EQ(RunCommand(start).kind, Kind::kTooTalkative);
}

TEST(RunCommand, TheCommandIsFoundByPathOrByItsOwn) {
  const test::TemporaryDirectory directory;
  const std::string script = directory.Write("aliquot-test-plugin", "#!/bin/sh\necho found\n");
  CommandStart start = Shell("");
  start.arguments.clear();
  start.command = "aliquot-test-plugin";
  EXPECT_EQ(RunCommand(start).kind, Kind::kNotFound);
  const std::string path = std::getenv("PATH");
  setenv("PATH", (":.:" + directory.path() + ":" + path).c_str(), 1);
  const CommandEnd refused = RunCommand(start);
  EXPECT_EQ(refused.kind, Kind::kNotStarted) << "it is there, but not executable";
  EXPECT_EQ(refused.number, EACCES);
  chmod(script.c_str(), 0755);
  EXPECT_EQ(OutputOf(start), "found\n");
  setenv("PATH", path.c_str(), 1);
  start.command = script;
  EXPECT_EQ(OutputOf(start), "found\n");
  start.command = directory.PathOf("absent");
  EXPECT_EQ(RunCommand(start).kind, Kind::kNotFound);
}

}  // namespace
}  // namespace aliquot::cli
