// SPDX-License-Identifier: Apache-2.0
#include "allocator/certificate_keeper.h"

#include <thread>
#include <utility>

#include "certificates/keeper.h"
#include "kubeclient/config.h"
#include "kubeclient/curl_transport.h"
#include "kubeclient/kubeconfig.h"
#include "program/lifecycle.h"

namespace aliquot::allocator {
namespace {

constexpr std::chrono::seconds kInterval{5};
constexpr std::chrono::milliseconds kRetry{500};

certificates::KeeperOptions OptionsOf(const Configuration& c, std::string namespace_name) {
  certificates::KeeperOptions options;
  options.namespace_name = std::move(namespace_name);
  options.directory = c.managed_tls.directory;
  options.certificates = c.tls.mode == "managed";
  options.signing = c.signing_mode == "managed";
  certificates::CertificateOptions& own = options.certificate_options;
  own.extender_service = c.managed_tls.extender_service;
  own.admission_service = c.managed_tls.admission_service;
  own.authority_secret = c.managed_tls.authority_secret;
  own.scheduler_secret = c.managed_tls.scheduler_secret;
  own.webhook_configuration = c.managed_tls.webhook_configuration;
  own.authority.lifetime = c.managed_tls.authority_lifetime;
  own.authority.renew_before = c.managed_tls.authority_renew_before;
  own.leaf_lifetime = c.managed_tls.leaf_lifetime;
  options.signing_options.secret = c.managed_signing.secret;
  options.signing_options.public_keys = c.managed_signing.config_map;
  options.signing_options.activation_delay = c.managed_signing.activation_delay;
  return options;
}

observability::Rotation RotationOf(certificates::Made made) {
  using observability::Rotation;
  switch (made) {
    case certificates::Made::kAuthority:
      return Rotation::kAuthority;
    case certificates::Made::kServer:
      return Rotation::kServer;
    case certificates::Made::kScheduler:
      return Rotation::kScheduler;
    case certificates::Made::kSigningKey:
      break;
  }
  return Rotation::kSigningKey;
}

}  // namespace

Configuration WithManagedFiles(Configuration configuration) {
  const std::string at = configuration.managed_tls.directory + "/";
  if (configuration.tls.mode == "managed") {
    configuration.tls.certificate_file = at + "extender.crt";
    configuration.tls.key_file = at + "server.key";
    configuration.tls.admission_certificate_file = at + "admission.crt";
    configuration.tls.admission_key_file = at + "server.key";
    configuration.tls.client_ca_file = at + "client-ca.crt";
  }
  if (configuration.signing_mode == "managed") {
    configuration.signing_key_file = at + "signing.key";
  }
  return configuration;
}

struct CertificateKeeper::Parts {
  Parts(certificates::KeeperOptions options, std::unique_ptr<kubeclient::CurlTransport> made,
        const Instruments& instruments)
      : transport(std::move(made)),
        objects(options.namespace_name, *transport, instruments.clock),
        keeper(std::move(options), objects, instruments.clock, instruments.log,
               [&metrics = instruments.metrics](certificates::Made what, bool ok) {
                 metrics.CountRotation(RotationOf(what), ok);
               }) {}

  std::unique_ptr<kubeclient::CurlTransport> transport;
  certificates::ClusterObjects objects;
  certificates::Keeper keeper;
};

CertificateKeeper::CertificateKeeper(const Configuration& configuration,
                                     const Instruments& instruments)
    : configuration_(configuration), instruments_(instruments) {}

CertificateKeeper::~CertificateKeeper() = default;

bool CertificateKeeper::Start(program::Problems& problems) {
  if (configuration_.tls.mode != "managed" && configuration_.signing_mode != "managed") {
    return true;
  }
  const auto config =
      configuration_.kubeconfig.empty()
          ? kubeclient::LoadInCluster(kubeclient::InClusterEnvironment::FromProcess())
          : kubeclient::LoadKubeconfig(configuration_.kubeconfig);
  if (!config.ok()) {
    problems.Add("certificates", config.status().message());
    return false;
  }
  auto transport = kubeclient::CurlTransport::Create(*config, instruments_.clock);
  if (!transport.ok()) {
    problems.Add("certificates", transport.status().message());
    return false;
  }
  const std::string& given = configuration_.managed_tls.namespace_name;
  parts_ = std::make_unique<Parts>(
      OptionsOf(configuration_, given.empty() ? config->namespace_name : given),
      *std::move(transport), instruments_);
  Status made = parts_->keeper.Look();
  while (!made.ok()) {
    instruments_.log.Warn("allocator", "waiting for certificates and keys",
                          {{"reason", made.message()}});
    if (program::EndRequested()) {
      problems.Add("certificates",
                   "the end was asked for before they were made: " + made.message());
      return false;
    }
    std::this_thread::sleep_for(kRetry);
    made = parts_->keeper.Look();
  }
  Look();
  ticker_ = std::make_unique<program::Ticker>(kInterval, [this] { Look(); });
  return true;
}

void CertificateKeeper::Look() {
  using observability::Certificate;
  const Status kept = parts_->keeper.Look();
  instruments_.metrics.SetDegraded(observability::Degraded::kCertificatesNotKept, !kept.ok());
  if (!kept.ok()) {
    instruments_.log.Warn("allocator", "certificates or keys cannot be kept; those in use stay",
                          {{"reason", kept.message()}});
  }
  if (configuration_.tls.mode == "managed") {
    const certificates::Expiries& ends = parts_->keeper.expiries();
    instruments_.metrics.SetCertificateEnd(Certificate::kAuthority, ends.authority);
    instruments_.metrics.SetCertificateEnd(Certificate::kServer, ends.server);
    instruments_.metrics.SetCertificateEnd(Certificate::kScheduler, ends.scheduler);
  }
}

}  // namespace aliquot::allocator
