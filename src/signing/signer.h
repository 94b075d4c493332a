// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/status.h"
#include "signing/ed25519_key.h"

namespace aliquot::signing {

// Whether a look at the key files found something new.
enum class KeyChange { kNone, kTaken };

// Signs with the one private key of a file, which may be replaced while the program runs: whoever
// verifies must know the new public key before the file changes (docs/adr/0011-signing.md).
//
// Thread-safe. Signing holds no lock; the file is read by Refresh only.
class Signer {
 public:
  // Reads nothing yet.
  explicit Signer(std::string key_file) : key_file_(std::move(key_file)) {}

  // Reads the file; when its content differs from what was last looked at, takes its key. An error,
  // one sentence that names the file and the remedy, leaves the old key in use and is returned once
  // per content.
  Result<KeyChange> Refresh();

  // "<key id>:<base64 of the signature>" over exactly these bytes. Deterministic. An error before
  // the first successful Refresh.
  Result<std::string> Sign(std::string_view bytes) const;

  // "" before the first successful Refresh.
  std::string key_id() const;

 private:
  std::shared_ptr<const Ed25519Key> Current() const;

  const std::string key_file_;
  // Held while the file is read, so that a slow look never puts an older key over a newer one.
  Mutex refresh_mutex_;
  std::string seen_ GUARDED_BY(refresh_mutex_);  // a digest, or the reason why there is none
  // Taken inside refresh_mutex_ or alone.
  mutable Mutex mutex_;
  std::shared_ptr<const Ed25519Key> current_ GUARDED_BY(mutex_);
};

}  // namespace aliquot::signing
