// SPDX-License-Identifier: Apache-2.0
// What aliquot-agent costs on a node, measured from outside: the real program beside a kubelet and
// an API server that are simulated in this process. Prints one JSON object
// (bench/agent/agent_figures.h).
#include <CLI/CLI.hpp>
#include <exception>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/agent/agent_figures.h"
#include "bench/agent/plugin_caller.h"

int main(int argc, char** argv) {
  namespace bench = aliquot::bench;
  CLI::App app("Measures aliquot-agent.", "agent_bench");
  bench::AgentUnderTest under_test;
  under_test.this_program = std::filesystem::read_symlink("/proc/self/exe");
  app.add_option("--agent", under_test.program, "the program aliquot-agent");
  app.add_option("--profile", under_test.profile, "a machine profile of 8 cards");
  int seconds = 60;
  CLI::App* idle = app.add_subcommand("idle", "memory and processor time while nothing happens");
  idle->add_option("--seconds", seconds);
  int rounds = 10;
  CLI::App* starts = app.add_subcommand("starts", "Allocate and PreStartContainer");
  starts->add_option("--rounds", rounds);
  std::string socket;
  CLI::App* empty = app.add_subcommand("empty-plugin", "serves a plugin that does nothing");
  empty->add_option("socket", socket)->required();
  app.require_subcommand(1);
  CLI11_PARSE(app, argc, argv);
  try {
    if (empty->parsed()) {
      bench::ServeEmptyPlugin(socket);
    }
    const nlohmann::json figures = idle->parsed() ? bench::MeasureIdle(under_test, seconds)
                                                  : bench::MeasureStarts(under_test, rounds);
    std::cout << figures.dump() << '\n';
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "agent_bench: " << error.what() << '\n';
    return 1;
  }
}
