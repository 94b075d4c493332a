// SPDX-License-Identifier: Apache-2.0
#include "cli/scheduler_config_cluster.h"

#include "cli/doctor/secret_data.h"
#include "cli/scheduler_config_pod.h"
#include "kubeclient/base64.h"
#include "kubeclient/pem.h"
#include "kubeclient/verbs.h"

namespace aliquot::cli {
namespace {

using nlohmann::json;

constexpr char kSecret[] = "aliquot-scheduler-client";

Status WithRemedy(const Status& status, const std::string& remedy) {
  return status.code() == StatusCode::kUnavailable
             ? status
             : Status(status.code(), status.message() + "; " + remedy);
}

Status ReadAddress(ApiReader& reader, const std::string& in, SchedulerConfig& config) {
  const std::string name(kExtenderService);
  const auto service = reader.Get(kubeclient::kGetService, in, name);
  if (!service.ok()) {
    return WithRemedy(service.status(),
                      "name Aliquot's namespace with -n, and use an account that "
                      "may get Services there");
  }
  const std::string address = TextAt(*service, "/spec/clusterIP");
  if (address.empty() || address == "None") {
    return FailedPrecondition("Service " + name + " in namespace " + in +
                              " has no ClusterIP; install the chart's Service");
  }
  config.address = ExtenderAddress(
      address, std::to_string(NumberAt(*service, "/spec/ports/0/port", kExtenderPort)), in);
  config.server_name = name + "." + in + ".svc";
  return Status::Ok();
}

Status ReadCertificates(ApiReader& reader, const std::string& in, SchedulerConfig& config) {
  const auto secret = reader.Get(kubeclient::kGetSecret, in, kSecret);
  if (!secret.ok()) {
    return WithRemedy(secret.status(), "use an account that may get Secret " +
                                           std::string(kSecret) + " in namespace " + in);
  }
  const std::string authority = SecretText(*secret, "ca.crt");
  const std::string certificate = SecretText(*secret, "tls.crt");
  const std::string key = SecretText(*secret, "tls.key");
  Status good = kubeclient::CheckCertificates(authority);
  if (good.ok()) {
    good = kubeclient::CheckKeyPair(certificate, key);
  }
  if (!good.ok()) {
    return FailedPrecondition("Secret " + std::string(kSecret) + " in namespace " + in +
                              " holds no client certificate yet (" + good.message() +
                              "); see the log of aliquot-allocator");
  }
  config.certificates = {true, kubeclient::EncodeBase64(authority),
                         kubeclient::EncodeBase64(certificate), kubeclient::EncodeBase64(key)};
  return Status::Ok();
}

}  // namespace

Status ReadInstallation(ApiReader& reader, const std::string& namespace_name,
                        SchedulerConfig& config) {
  const Status address = ReadAddress(reader, namespace_name, config);
  return address.ok() ? ReadCertificates(reader, namespace_name, config) : address;
}

}  // namespace aliquot::cli
