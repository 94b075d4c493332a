// SPDX-License-Identifier: Apache-2.0
#pragma once

// Makes and renews what the allocator proves itself with, and hands it to those who need it:
//
//   Secret aliquot-ca                ca.crt, ca.key; previous.crt, cross.crt during a replacement
//   Secret aliquot-scheduler-client  ca.crt, tls.crt, tls.key: kube-scheduler's
//   Secret aliquot-signing           signing.key; next.key, next-from during a replacement
//   ConfigMap aliquot-signing-keys   <key id>.pem: the public halves, for node agents
//   MutatingWebhookConfiguration     caBundle of every webhook
//   a directory                      server.key, extender.crt, admission.crt, client-ca.crt and
//                                    signing.key
//
// The objects exist already. One Look does all that is due and nothing else; a Look that fails
// or is killed anywhere leaves a state from which the next one goes on, because each thing is
// published before anybody uses it, and nothing but the Secrets is remembered. Two keepers agree:
// a write names the version that was read, and whose write comes second reads again.
//
// Files are replaced whole (a rename), the server's key is one for the life of the process, so that
// whoever re-reads them never sees two that do not fit. Not thread-safe.

#include <chrono>
#include <functional>
#include <string>

#include "base/clock.h"
#include "base/status.h"
#include "certificates/authority.h"
#include "certificates/cluster_objects.h"
#include "certificates/signing_keys.h"
#include "observability/log.h"

namespace aliquot::certificates {

struct CertificateOptions {
  std::string extender_service = "aliquot-extender";
  std::string admission_service = "aliquot-admission";
  std::string authority_secret = "aliquot-ca";
  std::string scheduler_secret = "aliquot-scheduler-client";
  std::string webhook_configuration = "aliquot";
  AuthorityRules authority;
  std::chrono::milliseconds leaf_lifetime{std::chrono::hours(90 * 24)};
};

struct SigningOptions {
  std::string secret = "aliquot-signing";
  std::string public_keys = "aliquot-signing-keys";
  std::chrono::milliseconds activation_delay{std::chrono::minutes(5)};
};

struct KeeperOptions {
  std::string namespace_name;
  std::string directory;
  bool certificates = false;  // whether each of the two is ours to keep
  bool signing = false;
  CertificateOptions certificate_options;
  SigningOptions signing_options;
};

// When what the allocator shows and trusts ends, for metrics; the epoch where it is not known yet.
struct Expiries {
  SystemTime authority;
  SystemTime server;
  SystemTime scheduler;
};

// What is made anew, for metrics.
enum class Made { kAuthority, kServer, kScheduler, kSigningKey };
// Called for each of them, the first ones included, whether it could be made and written, or was
// due and could not.
using CountMade = std::function<void(Made, bool ok)>;

class Keeper {
 public:
  // All must outlive it. `count` may be empty.
  Keeper(KeeperOptions options, ClusterObjects& objects, const Clock& clock,
         observability::Log& log, CountMade count = {});

  // The error is one sentence about the first thing that failed. Everything that does not need it
  // was done all the same.
  Status Look();

  const Expiries& expiries() const { return expiries_; }

 private:
  Status LookAtCertificates();
  // Hands `status` on.
  Status Count(Made made, Status status) const;
  Result<Authority> KeepAuthority();
  Status KeepSchedulerClient(const Authority& authority);
  Status KeepClientAuthorities(const Authority& authority);
  Status KeepServer(const Authority& authority);
  Status MakeServer(const Authority& authority);
  Status KeepBundle(const Authority& authority);
  Status LookAtSigning();
  Result<SigningKeys> KeepSigningKeys(const Data& published);
  Status Publish(const SigningKeys& keys);
  Status WriteFile(const std::string& name, const std::string& content);

  const KeeperOptions options_;
  ClusterObjects& objects_;
  const Clock& clock_;
  observability::Log& log_;
  const CountMade count_;
  Expiries expiries_;
  std::string server_key_;
  std::string served_by_;  // the authority that signed the leaves in the files
  SystemTime renew_server_at_;
  std::string accepted_;  // what the client-ca file holds
  bool had_signing_key_ = false;
};

}  // namespace aliquot::certificates
