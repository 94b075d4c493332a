// SPDX-License-Identifier: Apache-2.0
#include "cli/scheduler_config_pod.h"

#include <algorithm>
#include <thread>

#include "base/strings.h"
#include "cli/text_file.h"
#include "kubeclient/pem.h"

namespace aliquot::cli {
namespace {

constexpr std::chrono::milliseconds kLookEvery{500};
constexpr std::size_t kMaxPemBytes = std::size_t{1} << 20;

}  // namespace

ExtenderCertificates CertificateFiles(const std::string& directory) {
  return {false, directory + "/ca.crt", directory + "/tls.crt", directory + "/tls.key"};
}

Status CheckCertificateDirectory(const std::string& directory) {
  const ExtenderCertificates files = CertificateFiles(directory);
  const auto authority = ReadTextFile(files.authority, kMaxPemBytes);
  const auto certificate = ReadTextFile(files.certificate, kMaxPemBytes);
  const auto key = ReadTextFile(files.key, kMaxPemBytes);
  for (const auto* file : {&authority, &certificate, &key}) {
    if (!file->ok()) {
      return file->status();
    }
  }
  if (const Status good = kubeclient::CheckCertificates(*authority); !good.ok()) {
    return good.WithContext(files.authority);
  }
  return kubeclient::CheckKeyPair(*certificate, *key)
      .WithContext(files.certificate + " and " + files.key);
}

Status AwaitCertificates(const std::string& directory, std::chrono::milliseconds wait,
                         const Clock& clock) {
  const SteadyTime deadline = clock.SteadyNow() + wait;
  for (;;) {
    const Status look = CheckCertificateDirectory(directory);
    if (look.ok()) {
      return look;
    }
    const SteadyTime now = clock.SteadyNow();
    if (now >= deadline) {
      return FailedPrecondition("kube-scheduler's client certificate is not there yet (" +
                                look.message() +
                                "); the allocator puts it into Secret aliquot-scheduler-client, "
                                "and the kubelet mounts it "
                                "when this container is started again; if this goes on, see the "
                                "log of aliquot-allocator");
    }
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(kLookEvery, deadline - now));
  }
}

std::string ExtenderAddress(const std::string& service_host, const std::string& service_port,
                            const std::string& namespace_name) {
  std::string host = service_host;
  if (host.empty()) {
    host = std::string(kExtenderService) + "." + namespace_name + ".svc";
  } else if (host.find(':') != std::string::npos) {
    host = "[" + host + "]";
  }
  const auto port = ParseUnsigned(service_port);
  const bool usable = port && *port > 0 && *port < 65536;
  return host + ":" + std::to_string(usable ? *port : kExtenderPort);
}

}  // namespace aliquot::cli
