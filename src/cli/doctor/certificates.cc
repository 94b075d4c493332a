// SPDX-License-Identifier: Apache-2.0
// Do the callers of the allocator trust what it shows, and for how long yet?
#include <utility>

#include "certificates/issuer.h"
#include "cli/doctor/api_reader.h"
#include "cli/doctor/checks.h"
#include "cli/doctor/secret_data.h"
#include "kubeclient/pem.h"

namespace aliquot::cli {
namespace {

using nlohmann::json;

constexpr char kClient[] = "scheduler-certificate";
constexpr char kExtender[] = "extender-certificate";
constexpr char kAdmission[] = "admission-certificate";
constexpr int kWarnDays = 60;

// How kube-scheduler gets a new certificate.
std::string Renewed(const Observation& seen) {
  return seen.scheduler.ok()
             ? Kubectl(seen, "rollout restart deployment/aliquot-scheduler")
             : "print the stanza again with aliquotctl scheduler-config and restart kube-scheduler "
               "with it";
}

// cert-manager marks the Secrets that it fills.
bool OfCertManager(const Object& secret) {
  return secret.ok() &&
         !MemberAt(*secret, "/metadata/annotations/cert-manager.io~1certificate-name").is_null();
}

// Of the certificate's life, judged as kube-scheduler's: who runs one as a static pod must copy the
// new certificate by hand.
Finding Life(const Observation& seen, const std::string& certificate) {
  const SystemTime now = seen.now;
  const auto validity = certificates::ReadValidity(certificate);
  if (!validity.ok()) {
    return {kClient, Verdict::kFailed, validity.status().message(), AllocatorLog(seen)};
  }
  const auto days =
      std::chrono::duration_cast<std::chrono::hours>(validity->until - now).count() / 24;
  if (validity->until <= now || validity->from > now) {
    return {kClient, Verdict::kFailed,
            "kube-scheduler's client certificate is not valid now: the allocator refuses its calls",
            Kubectl(seen, "annotate secret aliquot-ca aliquot.io/rotate=now --overwrite") +
                " makes a new one; then " + Renewed(seen) +
                "; where it is valid from later on, set the clock"};
  }
  const std::string left =
      "kube-scheduler's client certificate ends in " + std::to_string(days) + " days";
  if (days < kWarnDays) {
    return {kClient, Verdict::kWarning, left,
            "the allocator renews it with its authority a year before the end, and did not: " +
                AllocatorLog(seen) + "; then " + Renewed(seen)};
  }
  return {kClient, Verdict::kOk, left, ""};
}

Finding Client(const Observation& seen) {
  const Object& secret = seen.scheduler_secret;
  if (secret.status().code() == StatusCode::kNotFound) {
    return {kClient, Verdict::kUnknown,
            "there is no Secret aliquot-scheduler-client; certificates are given by hand or by "
            "cert-manager",
            ""};
  }
  if (!secret.ok()) {
    return {kClient, Verdict::kUnknown, secret.status().message(), ""};
  }
  const std::string certificate = SecretText(*secret, "tls.crt");
  if (certificate.empty()) {
    return {kClient, Verdict::kFailed, "Secret aliquot-scheduler-client holds no certificate yet",
            AllocatorLog(seen)};
  }
  const Status pair = kubeclient::CheckKeyPair(certificate, SecretText(*secret, "tls.key"));
  const Status authority = kubeclient::CheckCertificates(SecretText(*secret, "ca.crt"));
  for (const Status* each : {&pair, &authority}) {
    if (!each->ok()) {
      return {kClient, Verdict::kFailed, "Secret aliquot-scheduler-client: " + each->message(),
              Kubectl(seen,
                      "patch secret aliquot-scheduler-client --type=merge -p "
                      "'{\"data\":null}'") +
                  ": the allocator makes it again; then " + Renewed(seen)};
    }
  }
  return Life(seen, certificate);
}

Finding Served(const Observation& seen, const char* check, const std::string& service,
               const std::optional<ProbeOutcome>& outcome, const std::string& caller) {
  if (!outcome) {
    return {check, Verdict::kUnknown,
            "Service " + service + " was not called: its address or what " + caller +
                " trusts is not known",
            ""};
  }
  switch (outcome->kind) {
    case ProbeOutcome::Kind::kGood:
      return {check, Verdict::kOk, caller + " trusts what Service " + service + " shows", ""};
    case ProbeOutcome::Kind::kUntrusted:
      return {check, Verdict::kFailed,
              caller + " does not trust what Service " + service + " shows: " + outcome->says,
              "wait half a minute after a start or a rotation; after that " + AllocatorLog(seen)};
    case ProbeOutcome::Kind::kRefused:
      return {
          check, Verdict::kFailed,
          "Service " + service + " answers, and ends the call of " + caller + ": " + outcome->says,
          "the client certificate in Secret aliquot-scheduler-client is of no authority that the "
          "allocator trusts; " +
              AllocatorLog(seen)};
    case ProbeOutcome::Kind::kUnreachable:
      break;
  }
  return {check, Verdict::kUnknown,
          "Service " + service + " can't be called from here: " + outcome->says,
          "helm -n " + seen.namespace_name + " test RELEASE calls it from inside the cluster"};
}

}  // namespace

void CheckCertificatesOf(const Observation& seen, Findings& findings) {
  Finding client = Client(seen);
  if (client.verdict != Verdict::kOk && OfCertManager(seen.scheduler_secret)) {
    client.remedy = "cert-manager makes it, and the reason is in " +
                    Kubectl(seen, "describe certificate aliquot-scheduler-client") +
                    "; once it is made anew " + Renewed(seen);
  }
  findings.push_back(std::move(client));
  findings.push_back(
      Served(seen, kExtender, "aliquot-extender", seen.extender_probe, "kube-scheduler"));
  findings.push_back(
      Served(seen, kAdmission, "aliquot-admission", seen.admission_probe, "the API server"));
}

}  // namespace aliquot::cli
