// SPDX-License-Identifier: Apache-2.0
// Do the callers of the allocator trust what it shows, and for how long yet?
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

constexpr char kSeeLog[] = "the log of aliquot-allocator says why it did not fill it";

// Of the certificate's life, judged as kube-scheduler's: who runs one as a static pod must copy the
// new certificate by hand.
Finding Life(const std::string& certificate, SystemTime now) {
  const auto validity = certificates::ReadValidity(certificate);
  if (!validity.ok()) {
    return {kClient, Verdict::kFailed, validity.status().message(), kSeeLog};
  }
  const auto days =
      std::chrono::duration_cast<std::chrono::hours>(validity->until - now).count() / 24;
  if (validity->until <= now || validity->from > now) {
    return {kClient, Verdict::kFailed,
            "kube-scheduler's client certificate is not valid now: the allocator refuses its calls",
            "ask for a new one with annotation aliquot.io/rotate on Secret aliquot-ca, then give "
            "kube-scheduler the new files; where it is valid from later on, set the clock"};
  }
  const std::string left =
      "kube-scheduler's client certificate ends in " + std::to_string(days) + " days";
  if (days < kWarnDays) {
    return {kClient, Verdict::kWarning, left,
            "in stock mode print the stanza again with aliquotctl scheduler-config and restart "
            "kube-scheduler with it once the allocator has renewed the authority"};
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
            kSeeLog};
  }
  const Status pair = kubeclient::CheckKeyPair(certificate, SecretText(*secret, "tls.key"));
  const Status authority = kubeclient::CheckCertificates(SecretText(*secret, "ca.crt"));
  for (const Status* each : {&pair, &authority}) {
    if (!each->ok()) {
      return {kClient, Verdict::kFailed, "Secret aliquot-scheduler-client: " + each->message(),
              "empty its data: the allocator makes it again"};
    }
  }
  return Life(certificate, seen.now);
}

Finding Served(const char* check, const std::string& service,
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
              "wait half a minute after a start or a rotation; then see the log of "
              "aliquot-allocator"};
    case ProbeOutcome::Kind::kRefused:
      return {
          check, Verdict::kFailed,
          "Service " + service + " answers, and ends the call of " + caller + ": " + outcome->says,
          "see whether the client certificate is of the authority that the allocator trusts"};
    case ProbeOutcome::Kind::kUnreachable:
      break;
  }
  return {check, Verdict::kUnknown,
          "Service " + service + " can't be called from here: " + outcome->says,
          "run helm test: its pod calls the Service from inside the cluster"};
}

}  // namespace

void CheckCertificatesOf(const Observation& seen, Findings& findings) {
  findings.push_back(Client(seen));
  findings.push_back(Served(kExtender, "aliquot-extender", seen.extender_probe, "kube-scheduler"));
  findings.push_back(
      Served(kAdmission, "aliquot-admission", seen.admission_probe, "the API server"));
}

}  // namespace aliquot::cli
