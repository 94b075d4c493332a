// SPDX-License-Identifier: Apache-2.0
#include "signing/verifier.h"

#include <optional>
#include <utility>

#include "signing/key_file.h"
#include "signing/signature_text.h"

namespace aliquot::signing {
namespace {

Status Unusable(const std::string& path, const Status& reason) {
  return Status(
      reason.code() == StatusCode::kNotFound ? StatusCode::kNotFound : StatusCode::kInvalidArgument,
      "public keys of '" + path + "' cannot be used: " + reason.message() +
          "; give Ed25519 keys in SubjectPublicKeyInfo PEM (openssl pkey -pubout)");
}

// Sizes keep the parts apart, so that no two sets of files look the same.
void Append(std::string& all, std::string_view part) {
  all += std::to_string(part.size()) + ":";
  all += part;
}

Status Refused(std::string what) {
  return Status(StatusCode::kUnauthenticated,
                "annotation aliquot.io/allocation-signature " + std::move(what));
}

}  // namespace

Result<std::vector<Verifier::File>> Verifier::ReadFiles() const {
  std::vector<File> files;
  for (const std::string& path : paths_) {
    const Result<std::vector<std::string>> names = KeyFilesAt(path);
    if (!names.ok()) {
      return Unusable(path, names.status());
    }
    if (files.size() + names->size() > kMaxKeys) {
      return Unusable(
          path, InvalidArgument("there are more than " + std::to_string(kMaxKeys) + " key files"));
    }
    for (const std::string& name : *names) {
      Result<std::string> bytes = ReadKeyFile(name);
      if (!bytes.ok()) {
        return Unusable(name, bytes.status());
      }
      files.push_back({name, *std::move(bytes)});
    }
  }
  return files;
}

Result<Verifier::Keys> Verifier::KeysOf(const std::vector<File>& files) {
  Keys keys;
  for (const File& file : files) {
    Result<std::vector<Ed25519Key>> parsed = ParsePublicKeys(file.bytes);
    if (!parsed.ok()) {
      return Unusable(file.path, parsed.status());
    }
    for (Ed25519Key& key : parsed.value()) {
      const auto known = keys.find(key.id());
      if (known != keys.end() && !known->second.SamePublicKey(key)) {
        return Unusable(file.path, InvalidArgument("two different keys have the id " + key.id()));
      }
      std::string id = key.id();
      keys.try_emplace(std::move(id), std::move(key));
    }
    if (keys.size() > kMaxKeys) {
      return Unusable(file.path,
                      InvalidArgument("there are more than " + std::to_string(kMaxKeys) + " keys"));
    }
  }
  return keys;
}

Result<KeyChange> Verifier::Refresh() {
  MutexLock refresh_lock(refresh_mutex_);
  const Result<std::vector<File>> files = ReadFiles();
  std::string seen;
  if (files.ok()) {
    for (const File& file : *files) {
      Append(seen, file.path);
      Append(seen, file.bytes);
    }
    seen = DigestOf(seen);
  } else {
    seen = files.status().message();
  }
  if (seen == seen_) {
    return KeyChange::kNone;
  }
  seen_ = std::move(seen);
  if (!files.ok()) {
    return files.status();
  }
  Result<Keys> keys = KeysOf(*files);
  if (!keys.ok()) {
    return keys.status();
  }
  MutexLock lock(mutex_);
  current_ = std::make_shared<const Keys>(*std::move(keys));
  return KeyChange::kTaken;
}

Status Verifier::Verify(std::string_view bytes, std::string_view signature) const {
  if (signature.empty()) {
    return Refused(
        "is missing, and this node accepts signed records only; give the allocator its key "
        "(signing.keyFile) and create the pod again");
  }
  if (signature.size() > kMaxSignatureTextBytes) {
    return Refused("is longer than " + std::to_string(kMaxSignatureTextBytes) +
                   " bytes; only the allocator may write it");
  }
  const std::optional<SignatureText> parsed = ParseSignature(signature);
  if (!parsed) {
    return Refused(
        "is malformed: it is 16 lower-case hex digits, a colon and the base64 of 64 bytes; only "
        "the allocator may write it");
  }
  const std::shared_ptr<const Keys> keys = Current();
  const auto key = keys->find(parsed->key_id);
  if (keys->empty()) {
    return Refused("is by key " + parsed->key_id +
                   ", and this node has no public key yet; right after an installation the kubelet "
                   "brings it within two minutes, and the container then starts by itself");
  }
  if (key == keys->end()) {
    return Refused("is by key " + parsed->key_id +
                   ", which this node does not know; give the node the public half of the "
                   "allocator's key");
  }
  if (!key->second.Verify(bytes, parsed->signature)) {
    return Refused("by key " + parsed->key_id +
                   " is not of this aliquot.io/allocation: one of the two was changed after the "
                   "bind; create the pod again");
  }
  return Status::Ok();
}

std::vector<std::string> Verifier::key_ids() const {
  std::vector<std::string> ids;
  const auto current = Current();
  for (const auto& [id, key] : *current) {
    ids.push_back(id);
  }
  return ids;
}

std::shared_ptr<const Verifier::Keys> Verifier::Current() const {
  MutexLock lock(mutex_);
  return current_;
}

}  // namespace aliquot::signing
