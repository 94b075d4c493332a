// SPDX-License-Identifier: Apache-2.0
#include "signing/signer.h"

#include <utility>

#include "signing/key_file.h"
#include "signing/signature_text.h"

namespace aliquot::signing {
namespace {

Status Unusable(const std::string& file, const Status& reason) {
  return InvalidArgument("private key file '" + file + "' cannot be used: " + reason.message() +
                         "; give one Ed25519 key in PKCS#8 PEM (openssl genpkey -algorithm "
                         "ed25519)");
}

}  // namespace

Result<KeyChange> Signer::Refresh() {
  MutexLock refresh_lock(refresh_mutex_);
  Result<std::string> bytes = ReadKeyFile(key_file_);
  const std::string seen = bytes.ok() ? DigestOf(*bytes) : bytes.status().message();
  if (seen == seen_) {
    if (bytes.ok()) {
      Wipe(bytes.value());
    }
    return KeyChange::kNone;
  }
  seen_ = seen;
  if (!bytes.ok()) {
    return Unusable(key_file_, bytes.status());
  }
  Result<Ed25519Key> key = ParsePrivateKey(*bytes);
  Wipe(bytes.value());
  if (!key.ok()) {
    return Unusable(key_file_, key.status());
  }
  MutexLock lock(mutex_);
  current_ = std::make_shared<const Ed25519Key>(*std::move(key));
  return KeyChange::kTaken;
}

Result<std::string> Signer::Sign(std::string_view bytes) const {
  const std::shared_ptr<const Ed25519Key> key = Current();
  if (key == nullptr) {
    return FailedPrecondition("no private key has been read from '" + key_file_ + "' yet");
  }
  const Result<SignatureBytes> signature = key->Sign(bytes);
  if (!signature.ok()) {
    return signature.status();
  }
  return FormatSignature({key->id(), *signature});
}

std::string Signer::key_id() const {
  const std::shared_ptr<const Ed25519Key> key = Current();
  return key == nullptr ? "" : key->id();
}

std::shared_ptr<const Ed25519Key> Signer::Current() const {
  MutexLock lock(mutex_);
  return current_;
}

}  // namespace aliquot::signing
