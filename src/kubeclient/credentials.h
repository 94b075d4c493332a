// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/status.h"
#include "kubeclient/config.h"
#include "kubeclient/exec_credential.h"

namespace aliquot::kubeclient {

// One consistent set of what proves us to the server and the server to us. Immutable.
struct CredentialSet {
  std::string ca_pem;           // "" = the system's CAs
  std::string certificate_pem;  // "" = none
  std::string key_pem;
  std::string token;                 // "" = none
  std::uint64_t tls_generation = 1;  // grows when the CA, the certificate or the key changes
};

// Holds the present set and re-reads the files: when the last look is older than `reload_interval`,
// and at once on Reload (the server said 401). A new set that cannot be used (an empty token, a key
// that does not belong to the certificate, both seen in the middle of a rotation) is left alone
// until the next look. Thread-safe. Reads files under its lock; no network.
//
// A credential plugin runs when the first set is made, on Reload, and at a look after what it gave
// has expired. It runs under the lock: nobody has anything to send before it is done.
class Credentials {
 public:
  static constexpr std::chrono::seconds kReloadInterval{10};

  // An error when the first set cannot be read.
  static Result<std::unique_ptr<Credentials>> Load(
      ClientConfig config, const Clock& clock, PluginHost plugin_host = {},
      std::chrono::nanoseconds reload_interval = kReloadInterval);

  std::shared_ptr<const CredentialSet> Current();
  // Looks at the files now, or asks the plugin; true when the set differs from `rejected`, so that
  // another try makes sense.
  bool Reload(const CredentialSet& rejected);
  // Why the newest files are not in use; OK when they are.
  Status last_problem() const;

 private:
  Credentials(ClientConfig config, const Clock& clock, PluginHost plugin_host,
              std::chrono::nanoseconds reload_interval);
  // `rejected`: what the plugin gave is of no use, whatever it said of its end.
  void RefreshLocked(bool rejected) REQUIRES(mutex_);
  Result<CredentialSet> MakeSet(bool rejected) REQUIRES(mutex_);

  const ClientConfig config_;
  const Clock& clock_;
  const PluginHost plugin_host_;
  const std::chrono::nanoseconds reload_interval_;
  mutable Mutex mutex_;
  std::shared_ptr<const CredentialSet> current_ GUARDED_BY(mutex_);
  std::optional<ExecCredential> plugin_answer_ GUARDED_BY(mutex_);
  SteadyTime last_look_ GUARDED_BY(mutex_){};
  Status problem_ GUARDED_BY(mutex_);
};

}  // namespace aliquot::kubeclient
