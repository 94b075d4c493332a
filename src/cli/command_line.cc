// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <ostream>
#include <string_view>

#include "base/clock.h"
#include "cli/complete/complete.h"
#include "cli/verb.h"
#include "observability/build_info.h"

namespace aliquot::cli {
namespace {

// What the program is called by, without the directory.
std::string_view CalledBy(int argc, const char* const* argv) {
  const std::string_view path = argc > 0 ? argv[0] : "";
  return path.substr(path.rfind('/') + 1);
}

void AddVerbs(CLI::App& app, Run& run) {
  AddConvertVerb(app, run);
  AddTopologyVerb(app, run);
  AddGetVerb(app, run);
  AddTopVerb(app, run);
  AddSimulateVerb(app, run);
  AddVerifyVerb(app, run);
  AddWhyVerb(app, run);
  AddDoctorVerb(app, run);
  AddSchedulerConfigVerb(app, run);
  AddVersionVerb(app, run);
  AddCompletionVerb(app, run);
}

}  // namespace

int RunCommandLine(int argc, const char* const* argv, Streams& streams) {
  // kubectl finds its plugins by these names (kubernetes.io/docs/tasks/extend-kubectl).
  const std::string_view called = CalledBy(argc, argv);
  CLI::App app(
      "Asks how Aliquot places the GPU shares of Kubernetes pods, and whether they are held.",
      called == "kubectl-aliquot" ? "kubectl aliquot" : "aliquotctl");
  bool version = false;
  app.add_flag("--version", version, "print version and commit, and exit");
  Run run;
  AddVerbs(app, run);
  app.require_subcommand(0, 1);
  const bool by_kubectl = called == "kubectl_complete-aliquot";
  if (by_kubectl || (argc > 1 && std::string_view(argv[1]) == "__complete")) {
    const RealClock clock;
    Complete(app, {argv + (by_kubectl ? 1 : 2), argv + argc}, clock, streams);
    return kDone;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    streams.out << app.help();
    return kDone;
  } catch (const CLI::ParseError& error) {
    streams.err << error.what() << "; --help lists every flag\n";
    return kProblem;
  }
  if (version) {
    streams.out << observability::Version() << ' ' << observability::Commit() << '\n';
    return kDone;
  }
  if (!run) {
    streams.err << "no verb is given; use get, why, simulate, verify, topology or doctor, --help "
                   "says more\n";
    return kProblem;
  }
  const Status status = run(streams);
  if (!status.ok()) {
    streams.err << status.message() << '\n';
    return kProblem;
  }
  streams.out.flush();
  if (!streams.out) {
    streams.err << "the answer could not be written; is the disk full or the pipe closed?\n";
    return kProblem;
  }
  return streams.end;
}

}  // namespace aliquot::cli
