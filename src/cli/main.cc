// SPDX-License-Identifier: Apache-2.0
// aliquotctl: one verb a file (verb.h); this only wires it to the process.
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <iostream>

#include "cli/verb.h"

int main(int argc, char** argv) {
  try {
    aliquot::cli::Streams streams{std::cout, std::cerr, isatty(STDERR_FILENO) == 1};
    return aliquot::cli::RunCommandLine(argc, argv, streams);
  } catch (const std::exception& error) {
    // Nothing above throws on purpose; out of memory may.
    static_cast<void>(std::fprintf(stderr, "aliquotctl ends: %s\n", error.what()));
    return aliquot::cli::kProblem;
  }
}
