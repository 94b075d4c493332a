// SPDX-License-Identifier: Apache-2.0
#include "allocator/record_signer.h"

namespace aliquot::allocator {

RecordSigner::RecordSigner(const Configuration& configuration, const Instruments& instruments)
    : interval_(configuration.tls.reload_interval), instruments_(instruments) {
  if (!configuration.signing_key_file.empty()) {
    signer_.emplace(configuration.signing_key_file);
  }
}

bool RecordSigner::Start(program::Problems& problems) {
  if (!signer_) {
    instruments_.log.Info("allocator", "records are not signed: signing.keyFile is empty");
    return true;
  }
  const auto read = signer_->Refresh();
  if (!read.ok()) {
    problems.Add("start", "signing.keyFile: " + read.status().message() +
                              ", or leave signing.keyFile empty to write records unsigned");
    return false;
  }
  instruments_.log.Info("allocator", "records are signed", {{"key", signer_->key_id()}});
  ticker_ = std::make_unique<program::Ticker>(interval_, [this] { Look(); });
  return true;
}

void RecordSigner::Look() {
  const auto change = signer_->Refresh();
  if (!change.ok()) {
    instruments_.metrics.SetDegraded(observability::Degraded::kSigningKeyReloadFailed, true);
    instruments_.log.Warn("allocator", "the new signing key cannot be used; the old one stays",
                          {{"key", signer_->key_id()}, {"reason", change.status().message()}});
  } else if (*change == signing::KeyChange::kTaken) {
    instruments_.metrics.SetDegraded(observability::Degraded::kSigningKeyReloadFailed, false);
    instruments_.log.Info("allocator", "the signing key was replaced",
                          {{"key", signer_->key_id()}});
  }
}

}  // namespace aliquot::allocator
