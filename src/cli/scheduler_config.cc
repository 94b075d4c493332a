// SPDX-License-Identifier: Apache-2.0
#include "cli/scheduler_config.h"

#include <algorithm>

#include "api/kubernetes_name.h"
#include "base/strings.h"

namespace aliquot::cli {
namespace {

constexpr std::string_view kScore = R"(
# 100: offer every node that passes the scheduler's own checks. By default a cluster of more than 100 nodes is cut to a window
# (from 50 % downwards) BEFORE extenders are asked; a pod that only a node outside the window can hold then stays pending.
percentageOfNodesToScore: 100
)";

constexpr std::string_view kExtenders = R"(
extenders:
  # A kube-scheduler in a static pod has no cluster DNS: it needs the ClusterIP of Service aliquot-extender here instead of a
  # name. The scheduler adds "/" and the verb.
  - urlPrefix: https://)";

constexpr std::string_view kCalls = R"(/scheduler
    filterVerb: filter
    prioritizeVerb: prioritize
    # Node and cards are written in one request, which is why the bind is ours. At most one extender of a scheduler may bind.
    bindVerb: bind
    # The scheduler proposes whom to evict by sums over a node; we pick the pods whose cards really make room, and strike out
    # nodes where nobody's eviction would help.
    preemptVerb: preempt

    # Our 0 .. 10 counts as score * weight * 10. The scheduler's own plugins reach 1,200 together with their default weights,
    # so 12 lets the best node win over all of them, and less would not.
    weight: 12

    # The whole call, connecting and reading the answer included. Filter answers within 1 s and bind within 4 s by themselves
    # (deadlines in config/allocator.yaml), so this only ends when the allocator is gone.
    httpTimeout: 5s

    # Names of nodes instead of whole Node objects: kilobytes instead of megabytes a call. We watch the nodes ourselves.
    nodeCacheCapable: true

    # A GPU pod must not be placed without us; other pods never come here (managedResources), so they don't suffer.
    ignorable: false

    enableHTTPS: true
    tlsConfig:
      # The name that the server's certificate must hold, also when urlPrefix has an address.
      serverName: )";

constexpr std::string_view kFiles = R"(
      # Without a CA kube-scheduler would not verify the server at all. It reads the CA at its start only, and the certificate
      # and its key again when they change. Files need a mount in the scheduler's pod; caData, certData and keyData take the
      # same, base64 encoded, in place.
      caFile: )";

constexpr std::string_view kInline = R"(
      # Without a CA kube-scheduler would not verify the server at all. All three are base64 of PEM. keyData is a private key:
      # who has it may place GPU pods, so this file is readable by the scheduler's user only.
      caData: )";

constexpr std::string_view kManaged = R"(

    # Only pods of which a container names one of these come here.
    managedResources:
      # false: the scheduler counts the resource itself as well. True would hide GPU shortage from preemption and send every
      # node of the cluster here, those without GPUs too.
      - name: )";

std::string Certificates(const ExtenderCertificates& certificates) {
  const std::string_view suffix = certificates.inline_data ? "Data: " : "File: ";
  std::string text(certificates.inline_data ? kInline : kFiles);
  text += certificates.authority;
  text.append("\n      cert").append(suffix).append(certificates.certificate);
  text.append("\n      key").append(suffix).append(certificates.key);
  return text;
}

std::string LeaderElection(const SchedulerConfig& config) {
  if (config.lease_namespace.empty()) {
    return {};
  }
  return "\n# One at a time schedules, by a lease of its own: the cluster's scheduler has another "
         "one.\n"
         "leaderElection:\n  leaderElect: true\n  resourceNamespace: " +
         config.lease_namespace + "\n  resourceName: " + config.lease_name + "\n";
}

bool IsQualifiedName(const std::string& name) {
  const auto slash = name.find('/');
  return slash != std::string::npos && api::IsDnsSubdomain(name.substr(0, slash)) &&
         name.size() > slash + 1 && std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '.' || c == '-' || c == '_' || c == '/';
         });
}

// A path or an address that YAML takes as plain text.
bool IsPlain(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < 0x7f && c != '#' && c != '"' && c != '\'' && c != '\\';
  });
}

}  // namespace

Status CheckSchedulerConfig(const SchedulerConfig& config) {
  for (const std::string* name : {&config.core_resource, &config.memory_resource}) {
    if (!IsQualifiedName(*name)) {
      return InvalidArgument("the resource is \"" + Printable(*name) +
                             "\"; give a name such as tencent.com/vcuda-core");
    }
  }
  if (!config.scheduler_name.empty() && !api::IsDnsSubdomain(config.scheduler_name)) {
    return InvalidArgument("--scheduler-name is \"" + Printable(config.scheduler_name) +
                           "\"; give lower-case letters, digits, '-' and '.'");
  }
  if (!config.lease_namespace.empty() && !api::IsDnsLabel(config.lease_namespace)) {
    return InvalidArgument("the namespace is \"" + Printable(config.lease_namespace) +
                           "\"; give the name of a namespace");
  }
  for (const std::string* text :
       {&config.address, &config.server_name, &config.certificates.authority,
        &config.certificates.certificate, &config.certificates.key}) {
    if (!IsPlain(*text)) {
      return InvalidArgument("\"" + Printable(*text) +
                             "\" cannot stand in the scheduler's configuration; give a path or an "
                             "address without blanks, quotes and '#'");
    }
  }
  return Status::Ok();
}

std::string ExtenderStanza(const SchedulerConfig& config) {
  std::string text(kScore);
  text.append(kExtenders).append(config.address).append(kCalls).append(config.server_name);
  text += Certificates(config.certificates);
  text.append(kManaged).append(config.core_resource).append("\n        ignoredByScheduler: false");
  text.append("\n      - name: ").append(config.memory_resource);
  text += "\n        ignoredByScheduler: false\n";
  return text.substr(1);  // the blank line is for what stands above
}

std::string SchedulerConfigFile(const SchedulerConfig& config) {
  std::string text = config.introduction;
  text += "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
  if (!config.kubeconfig.empty()) {
    text += "clientConnection:\n  kubeconfig: " + config.kubeconfig + "\n";
  }
  text += LeaderElection(config);
  if (!config.scheduler_name.empty()) {
    text += "\nprofiles:\n  - schedulerName: " + config.scheduler_name + "\n";
  }
  return text + "\n" + ExtenderStanza(config);
}

}  // namespace aliquot::cli
