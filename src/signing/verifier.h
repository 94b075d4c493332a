// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "signing/ed25519_key.h"
#include "signing/signer.h"

namespace aliquot::signing {

// Verifies signatures by a set of public keys: several at one time, so that the signer's key can be
// replaced (docs/adr/0011-signing.md). The files may change while the program runs.
//
// Thread-safe. Verifying holds no lock; the files are read by Refresh only.
class Verifier {
 public:
  static constexpr std::size_t kMaxKeys = 64;

  // Each path is a PEM file or a directory of such (key_file.h). Reads nothing yet.
  explicit Verifier(std::vector<std::string> paths) : paths_(std::move(paths)) {}

  // Reads the files; when anything differs from what was last looked at, takes their keys, all or
  // none. An error, one sentence that names the file and the remedy, leaves the old keys in use and
  // is returned once per content.
  Result<KeyChange> Refresh();

  // OK when `signature` is the text of a signature of exactly these bytes by one of the keys. Else
  // one sentence about the annotation aliquot.io/allocation-signature: none, malformed, of an
  // unknown key, or not of these bytes. The same for the same arguments and keys.
  Status Verify(std::string_view bytes, std::string_view signature) const;

  // Sorted; empty before the first successful Refresh.
  std::vector<std::string> key_ids() const;

 private:
  using Keys = std::map<std::string, Ed25519Key, std::less<>>;  // by id

  struct File {
    std::string path;
    std::string bytes;
  };
  Result<std::vector<File>> ReadFiles() const;
  static Result<Keys> KeysOf(const std::vector<File>& files);
  std::shared_ptr<const Keys> Current() const;

  const std::vector<std::string> paths_;
  // Held while the files are read, so that a slow look never puts older keys over newer ones.
  Mutex refresh_mutex_;
  std::string seen_ GUARDED_BY(refresh_mutex_);  // a digest, or the reason why there is none
  // Taken inside refresh_mutex_ or alone.
  mutable Mutex mutex_;
  std::shared_ptr<const Keys> current_ GUARDED_BY(mutex_) = std::make_shared<const Keys>();
};

}  // namespace aliquot::signing
