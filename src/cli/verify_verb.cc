// SPDX-License-Identifier: Apache-2.0
// aliquotctl verify: the checks that a suspicious operator would make of one pod, by its agent.
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <string>

#include "api/kubernetes_name.h"
#include "base/clock.h"
#include "base/strings.h"
#include "cli/agent_pages.h"
#include "cli/cluster_connection.h"
#include "cli/text_file.h"
#include "cli/verb.h"
#include "cli/verify_report.h"

namespace aliquot::cli {
namespace {

constexpr std::size_t kMaxPageBytes = std::size_t{16} << 20;

struct VerifyFlags {
  std::string pod;
  std::string namespace_name;  // "": the context's
  std::string container;
  std::string output = "table";
  ClusterFlags cluster;
  std::string from;
  AgentAccess access;
};

Status CheckNames(const VerifyFlags& flags, const std::string& namespace_name) {
  if (!api::IsDnsSubdomain(flags.pod)) {
    return InvalidArgument("POD is \"" + Printable(flags.pod) + "\"; give the name of a pod");
  }
  for (const std::string* name : {&namespace_name, &flags.access.namespace_name}) {
    if (!api::IsDnsLabel(*name)) {
      return InvalidArgument("the namespace is \"" + Printable(*name) +
                             "\"; give the name of a namespace");
    }
  }
  if (!flags.container.empty() && !api::IsDnsLabel(flags.container)) {
    return InvalidArgument("--container is \"" + Printable(flags.container) +
                           "\"; give the name of a container");
  }
  return Status::Ok();
}

Result<std::string> AskAgent(const VerifyFlags& flags) {
  const auto config = LoadClientConfig(flags.cluster);
  if (!config.ok()) {
    return config.status();
  }
  const std::string namespace_name =
      flags.namespace_name.empty() ? config->namespace_name : flags.namespace_name;
  if (const Status good = CheckNames(flags, namespace_name); !good.ok()) {
    return good;
  }
  const RealClock clock;
  const auto transport = Connect(*config, clock);
  if (!transport.ok()) {
    return transport.status();
  }
  return AgentPages(**transport, clock, flags.access)
      .Verify({namespace_name, flags.pod}, flags.container);
}

Status RunVerify(const VerifyFlags& flags, Streams& streams) {
  if (flags.pod.empty() == flags.from.empty()) {
    return InvalidArgument("say which pod, or with --from which saved page, and not both");
  }
  const auto page = flags.from.empty() ? AskAgent(flags) : ReadTextFile(flags.from, kMaxPageBytes);
  if (!page.ok()) {
    return page.status();
  }
  const auto report = ParseVerifyReport(*page);
  if (!report.ok()) {
    return report.status();
  }
  streams.out << (flags.output == "json" ? std::string(Trim(*page)) + "\n" : VerifyTable(*report));
  streams.end = report->ok() ? kDone : kNotHeld;
  return Status::Ok();
}

}  // namespace

void AddVerifyVerb(CLI::App& app, Run& run) {
  auto flags = std::make_shared<VerifyFlags>();
  CLI::App* verb = app.add_subcommand(
      "verify", "look, through the agent of its node, whether a pod is held to its share");
  verb->add_option("POD", flags->pod, "the pod's name");
  verb->add_option("-n,--namespace", flags->namespace_name, "of the pod (the context's)")
      ->type_name("NS");
  verb->add_option("--container", flags->container, "this container only")->type_name("C");
  verb->add_option("-o,--output", flags->output, "the agent's own page, or a table")
      ->check(CLI::IsMember({"json", "table"}))
      ->type_name("json|table")
      ->capture_default_str();
  AddClusterFlags(*verb, flags->cluster, /*in_cluster=*/false);
  AddAgentFlags(*verb, flags->access);
  verb->add_option("--from", flags->from, "a page saved with -o json instead; - is the input")
      ->type_name("FILE");
  verb->callback(
      [flags, &run] { run = [flags](Streams& streams) { return RunVerify(*flags, streams); }; });
}

}  // namespace aliquot::cli
