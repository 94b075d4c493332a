// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "allocator/configuration.h"
#include "allocator/configuration_fields.h"
#include "api/kubernetes_name.h"
#include "base/strings.h"
#include "http/listen_address.h"
#include "program/configuration_rules.h"

namespace aliquot::allocator {
namespace {

class Checker {
 public:
  Checker(const Configuration& configuration, const program::Origins& origins,
          program::Problems& problems)
      : c_(configuration), rules_(origins, problems) {}

  void CheckAll() {
    CheckCluster();
    rules_.CheckResourceNames(c_.resource_names);
    CheckAddresses();
    CheckTls();
    CheckAdmission();
    CheckLimits();
  }

 private:
  void Complain(std::string_view key, std::string_view sentence) { rules_.Complain(key, sentence); }

  void CheckCluster() {
    if (!c_.kubeconfig.empty() && !c_.cluster_file.empty()) {
      Complain("clusterFile", "is \"" + Printable(c_.cluster_file) +
                                  "\" although kubeconfig is given too; keep one of them");
    }
  }

  void CheckAddresses() {
    rules_.CheckListenAddress("listen.extender", c_.listen.extender);
    rules_.CheckListenAddress("listen.admission", c_.listen.admission);
    rules_.CheckMonitorAddress("listen.monitor", c_.listen.monitor);
    if (!c_.listen.authenticated.empty()) {
      rules_.CheckListenAddress("listen.authenticated", c_.listen.authenticated);
      if (!c_.cluster_file.empty()) {
        Complain("listen.authenticated",
                 "is \"" + Printable(c_.listen.authenticated) +
                     "\" although clusterFile is given; without an API server nobody can be asked "
                     "who may read, leave it empty");
      }
    }
    CheckDistinct();
  }

  void CheckDistinct() {
    const std::array<std::pair<std::string_view, const std::string*>, 4> all = {
        {{"listen.extender", &c_.listen.extender},
         {"listen.admission", &c_.listen.admission},
         {"listen.monitor", &c_.listen.monitor},
         {"listen.authenticated", &c_.listen.authenticated}}};
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const auto address = http::ParseListenAddress(*all[i].second);
        if (address.ok() && address->port != 0 && *all[i].second == *all[j].second) {
          Complain(all[i].first, "is \"" + *all[i].second + "\", which is " +
                                     std::string(all[j].first) + " too; give each its own port");
        }
      }
    }
  }

  void CheckTls() {
    CheckManaged();
    if (c_.tls.mode == "managed") {
      RefuseFile("tls.certificateFile", c_.tls.certificate_file, "tls.mode");
      RefuseFile("tls.keyFile", c_.tls.key_file, "tls.mode");
      RefuseFile("tls.clientCAFile", c_.tls.client_ca_file, "tls.mode");
      RefuseFile("tls.admissionCertificateFile", c_.tls.admission_certificate_file, "tls.mode");
      RefuseFile("tls.admissionKeyFile", c_.tls.admission_key_file, "tls.mode");
      return;
    }
    RequireFile("tls.certificateFile", c_.tls.certificate_file, "--tls-cert");
    RequireFile("tls.keyFile", c_.tls.key_file, "--tls-key");
    RequireFile("tls.clientCAFile", c_.tls.client_ca_file, "--client-ca");
    if (c_.tls.admission_certificate_file.empty() != c_.tls.admission_key_file.empty()) {
      const bool key_is_missing = c_.tls.admission_key_file.empty();
      Complain(key_is_missing ? "tls.admissionKeyFile" : "tls.admissionCertificateFile",
               std::string("is empty although tls.admission") +
                   (key_is_missing ? "CertificateFile" : "KeyFile") +
                   " is given; give both or neither");
    }
  }

  void CheckManaged() {
    const bool tls = c_.tls.mode == "managed";
    const bool signing = c_.signing_mode == "managed";
    if (signing) RefuseFile("signing.keyFile", c_.signing_key_file, "signing.mode");
    if (!tls && !signing) return;
    if (!c_.cluster_file.empty()) {
      Complain(tls ? "tls.mode" : "signing.mode",
               "is \"managed\" although clusterFile is given; a cluster file has no Secrets to "
               "keep anything in, give files");
    }
    if (c_.managed_tls.directory.empty() || c_.managed_tls.directory.front() != '/') {
      Complain("managedTls.directory", "is \"" + Printable(c_.managed_tls.directory) +
                                           "\"; give an absolute path that only this process "
                                           "can read");
    }
    if (c_.managed_tls.authority_renew_before >= c_.managed_tls.authority_lifetime) {
      Complain("managedTls.caRenewBefore",
               "is not less than managedTls.caLifetime; the authority would be replaced at once, "
               "for ever");
    }
  }

  void CheckAdmission() {
    const std::string& name = c_.admission.scheduler_name;
    if (!name.empty() && !api::IsDnsSubdomain(name)) {
      Complain("admission.schedulerName",
               "is \"" + Printable(name) +
                   "\"; give the schedulerName of a kube-scheduler's profile, or nothing");
    }
  }

  void RefuseFile(std::string_view key, const std::string& path, std::string_view mode) {
    if (!path.empty()) {
      Complain(key, "is \"" + Printable(path) + "\" although " + std::string(mode) +
                        " is \"managed\"; leave it empty, or set the mode to use files");
    }
  }

  void RequireFile(std::string_view key, const std::string& path, std::string_view flag) {
    if (path.empty()) {
      Complain(key, "is empty; give the path of a PEM file here or with " + std::string(flag));
    }
  }

  void CheckLimits() {
    if (c_.http.max_buffered_bytes < c_.http.max_body_bytes) {
      Complain("http.maxBufferedBytes",
               "is " + std::to_string(c_.http.max_buffered_bytes) +
                   ", less than one body of http.maxBodyBytes; give at least " +
                   std::to_string(c_.http.max_body_bytes));
    }
    if (c_.search.steps_per_request < c_.search.steps_per_node) {
      Complain("search.stepsPerRequest", "is " + std::to_string(c_.search.steps_per_request) +
                                             ", less than search.stepsPerNode; give at least " +
                                             std::to_string(c_.search.steps_per_node));
    }
  }

  const Configuration& c_;
  program::ConfigurationRules rules_;
};

}  // namespace

void CheckConfiguration(const Configuration& configuration, const program::Origins& origins,
                        program::Problems& problems) {
  Configuration copy = configuration;  // the visitors share one signature; this one changes nothing
  program::RefuseControlCharacters(
      [&](program::FieldVisitor& visitor) { VisitFields(copy, visitor); }, origins, problems);
  Checker(configuration, origins, problems).CheckAll();
}

}  // namespace aliquot::allocator
