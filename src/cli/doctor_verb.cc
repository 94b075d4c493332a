// SPDX-License-Identifier: Apache-2.0
// aliquotctl doctor: checks an installation end to end and says what to do about what it finds.
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <string>

#include "api/kubernetes_name.h"
#include "base/strings.h"
#include "cli/cluster_connection.h"
#include "cli/doctor/checks.h"
#include "cli/doctor/observe.h"
#include "cli/doctor/report.h"
#include "cli/verb.h"

namespace aliquot::cli {
namespace {

struct DoctorFlags {
  ClusterFlags cluster;
  ObserveOptions observe;
  std::string try_in;  // "": default outside a cluster, nowhere in it
  std::string output = "table";
};

// Nothing can be judged when the server answers nobody or does not know us.
Status CanLook(const Observation& seen) {
  const Status& first = seen.allocator.status();
  const bool nobody =
      first.code() == StatusCode::kUnavailable || first.code() == StatusCode::kUnauthenticated;
  return nobody ? first : Status::Ok();
}

Status RunDoctor(const DoctorFlags& flags, Streams& streams) {
  ObserveOptions options = flags.observe;
  options.try_in = flags.try_in;
  if (options.try_in.empty() && !flags.cluster.in_cluster) {
    options.try_in = "default";
  }
  for (const std::string* name : {&options.namespace_name, &options.try_in}) {
    if (!name->empty() && !api::IsDnsLabel(*name)) {
      return InvalidArgument("the namespace is \"" + Printable(*name) +
                             "\"; give the name of a namespace");
    }
  }
  const RealClock clock;
  const auto transport = Connect(flags.cluster, clock);
  if (!transport.ok()) {
    return transport.status();
  }
  ApiReader reader(**transport, clock);
  const Observation seen = Observe(reader, clock, options);
  if (const Status can = CanLook(seen); !can.ok()) {
    return can;
  }
  const Findings findings = Diagnose(seen);
  streams.out << (flags.output == "json" ? FindingsJson(findings) : FindingsTable(findings));
  streams.end = AnyFailed(findings) ? kNotHeld : kDone;
  return Status::Ok();
}

}  // namespace

void AddDoctorVerb(CLI::App& app, Run& run) {
  auto flags = std::make_shared<DoctorFlags>();
  CLI::App* verb = app.add_subcommand(
      "doctor", "check an installation end to end, with a remedy for what is found");
  AddClusterFlags(*verb, flags->cluster, /*in_cluster=*/true);
  verb->add_option("-n,--namespace", flags->observe.namespace_name, "where Aliquot is installed")
      ->type_name("NS")
      ->capture_default_str();
  verb->add_option("--try-in", flags->try_in,
                   "namespace in which a GPU pod is tried, as a dry run (default; in a pod: none)")
      ->type_name("NS");
  verb->add_option("--resource-core", flags->observe.names.core, "name of the share's resource")
      ->type_name("NAME")
      ->capture_default_str();
  verb->add_option("--resource-memory", flags->observe.names.memory,
                   "name of the memory's resource")
      ->type_name("NAME")
      ->capture_default_str();
  verb->add_option("--resource-prefix", flags->observe.names.prefix,
                   "that both begin with and the webhook looks for")
      ->type_name("PREFIX")
      ->capture_default_str();
  verb->add_option("-o,--output", flags->output, "for people or for programs")
      ->check(CLI::IsMember({"json", "table"}))
      ->type_name("json|table")
      ->capture_default_str();
  verb->callback(
      [flags, &run] { run = [flags](Streams& streams) { return RunDoctor(*flags, streams); }; });
}

}  // namespace aliquot::cli
