// SPDX-License-Identifier: Apache-2.0
// aliquotctl scheduler-config: how kube-scheduler is told of the allocator.
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>

#include "api/kubernetes_name.h"
#include "base/strings.h"
#include "certificates/private_file.h"
#include "cli/cluster_connection.h"
#include "cli/scheduler_config.h"
#include "cli/scheduler_config_cluster.h"
#include "cli/scheduler_config_pod.h"
#include "cli/text_file.h"
#include "cli/verb.h"
#include "program/map_reader.h"

namespace aliquot::cli {
namespace {

struct SchedulerConfigFlags {
  bool in_pod = false;
  std::string certificates = "/etc/aliquot/scheduler-client";
  std::string wait = "5m";
  std::string output;  // "": the standard output
  std::string lease_namespace = "aliquot-system";
  std::string lease_name = "aliquot-scheduler";
  bool stanza = false;
  ClusterFlags cluster;
  SchedulerConfig config;
};

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

Result<SchedulerConfig> InPod(const SchedulerConfigFlags& flags) {
  const auto wait = program::ParseDuration(flags.wait);
  if (!wait) {
    return InvalidArgument("--wait is \"" + flags.wait + "\"; give a duration such as 30s");
  }
  SchedulerConfig config = flags.config;
  config.lease_namespace = flags.lease_namespace;
  config.lease_name = flags.lease_name;
  config.address =
      ExtenderAddress(Environment("ALIQUOT_EXTENDER_SERVICE_HOST"),
                      Environment("ALIQUOT_EXTENDER_SERVICE_PORT"), flags.lease_namespace);
  config.server_name = std::string(kExtenderService) + "." + flags.lease_namespace + ".svc";
  config.certificates = CertificateFiles(flags.certificates);
  if (const Status good = CheckSchedulerConfig(config); !good.ok()) {
    return good;
  }
  if (const Status there = AwaitCertificates(flags.certificates, *wait, RealClock()); !there.ok()) {
    return there;
  }
  return config;
}

Result<SchedulerConfig> OfInstallation(const SchedulerConfigFlags& flags) {
  SchedulerConfig config = flags.config;
  const RealClock clock;
  const auto transport = Connect(flags.cluster, clock);
  if (!transport.ok()) {
    return transport.status();
  }
  ApiReader reader(**transport, clock);
  if (const Status read = ReadInstallation(reader, flags.lease_namespace, config); !read.ok()) {
    return read;
  }
  // A scheduler of the cluster, as kubeadm starts it.
  config.kubeconfig = "/etc/kubernetes/scheduler.conf";
  if (const Status good = CheckSchedulerConfig(config); !good.ok()) {
    return good;
  }
  return config;
}

// A file with a private key is its owner's only.
Status Write(const SchedulerConfigFlags& flags, const std::string& text) {
  if (flags.in_pod) {
    return WriteTextFile(flags.output, text);
  }
  const std::filesystem::path path(flags.output);
  const std::string directory = path.has_parent_path() ? path.parent_path().string() : ".";
  return certificates::ReplacePrivateFile(directory, path.filename().string(), text);
}

Status RunSchedulerConfig(const SchedulerConfigFlags& flags, Streams& streams) {
  if (!api::IsDnsLabel(flags.lease_namespace)) {
    return InvalidArgument("the namespace is \"" + Printable(flags.lease_namespace) +
                           "\"; give the name of a namespace");
  }
  const auto config = flags.in_pod ? InPod(flags) : OfInstallation(flags);
  if (!config.ok()) {
    return config.status();
  }
  const std::string text = flags.stanza ? ExtenderStanza(*config) : SchedulerConfigFile(*config);
  if (!flags.output.empty()) {
    return Write(flags, text);
  }
  streams.out << text;
  if (config->certificates.inline_data) {
    streams.err << "keyData above is a private key: keep the output where only kube-scheduler's "
                   "user can read it\n";
  }
  return Status::Ok();
}

}  // namespace

void AddSchedulerConfigVerb(CLI::App& app, Run& run) {
  auto flags = std::make_shared<SchedulerConfigFlags>();
  CLI::App* verb =
      app.add_subcommand("scheduler-config",
                         "print what makes a stock kube-scheduler place GPU pods by the allocator");
  AddClusterFlags(*verb, flags->cluster, /*in_cluster=*/false);
  verb->add_flag("--stanza", flags->stanza,
                 "the extender alone, to merge into a configuration that is there");
  verb->add_flag("--in-pod", flags->in_pod,
                 "as the bundled scheduler's init container: certificates and address of this pod");
  verb->add_option("--certificates", flags->certificates,
                   "in a pod: where Secret aliquot-scheduler-client is mounted, here and in the "
                   "scheduler's container")
      ->type_name("DIR")
      ->capture_default_str();
  verb->add_option("--wait", flags->wait, "in a pod: how long to wait for the certificate")
      ->type_name("DURATION")
      ->capture_default_str();
  verb->add_option("--output", flags->output, "the file to write (the standard output)")
      ->type_name("FILE");
  verb->add_option("--scheduler-name", flags->config.scheduler_name,
                   "the schedulerName of its pods (default-scheduler)")
      ->type_name("NAME");
  verb->add_option("-n,--namespace,--lease-namespace", flags->lease_namespace,
                   "where Aliquot is installed; in a pod also where the scheduler's Lease is")
      ->type_name("NS")
      ->capture_default_str();
  verb->add_option("--lease-name", flags->lease_name, "in a pod: name of the scheduler's Lease")
      ->type_name("NAME")
      ->capture_default_str();
  verb->add_option("--resource-core", flags->config.core_resource, "name of the share's resource")
      ->type_name("NAME")
      ->capture_default_str();
  verb->add_option("--resource-memory", flags->config.memory_resource,
                   "name of the memory's resource")
      ->type_name("NAME")
      ->capture_default_str();
  verb->callback([flags, &run] {
    run = [flags](Streams& streams) { return RunSchedulerConfig(*flags, streams); };
  });
}

}  // namespace aliquot::cli
