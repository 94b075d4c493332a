// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/credentials.h"

#include <array>
#include <fstream>
#include <utility>

#include "base/strings.h"
#include "kubeclient/pem.h"

namespace aliquot::kubeclient {

namespace {

constexpr std::size_t kMaxSecretBytes = 1u << 20;  // CA bundles have some 200 KB

Result<std::string> Read(const Secret& secret) {
  if (!secret.data.empty() || secret.file.empty()) return secret.data;
  std::ifstream file(secret.file, std::ios::binary);
  // Piece by piece: the text is kept, and would keep a buffer of the largest size with it.
  std::string text;
  std::array<char, 16384> piece{};
  do {
    file.read(piece.data(), piece.size());
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
  } while (file.good() && text.size() <= kMaxSecretBytes);
  if (!file.eof() && !file.good()) {
    return NotFound(Printable(secret.file, 200) + " cannot be read");
  }
  if (text.size() > kMaxSecretBytes) {
    return InvalidArgument(Printable(secret.file, 200) + " is over 1 MiB");
  }
  return text;
}

std::string NameOf(const Secret& secret, const char* field) {
  return secret.file.empty() ? std::string(field) : Printable(secret.file, 200);
}

// A token goes into a header line: nothing but visible ASCII may be in it.
bool IsToken(std::string_view token) {
  for (const char c : token) {
    if (c <= ' ' || c > '~') return false;
  }
  return !token.empty();
}

Status CheckSet(const ClientConfig& config, const CredentialSet& set) {
  if (!config.certificate_authority.empty()) {
    const Status status = CheckCertificates(set.ca_pem);
    if (!status.ok()) {
      return status.WithContext(NameOf(config.certificate_authority, "certificate-authority-data"));
    }
  }
  if (!config.client_certificate.empty()) {
    const Status status = CheckKeyPair(set.certificate_pem, set.key_pem);
    if (!status.ok()) {
      return status.WithContext(NameOf(config.client_certificate, "client-certificate-data"));
    }
  }
  if (!config.token.empty() && !IsToken(set.token)) {
    return InvalidArgument(NameOf(config.token, "token") + " holds no usable token");
  }
  return Status::Ok();
}

Result<CredentialSet> ReadSet(const ClientConfig& config) {
  CredentialSet set;
  const std::pair<const Secret*, std::string*> parts[] = {
      {&config.certificate_authority, &set.ca_pem},
      {&config.client_certificate, &set.certificate_pem},
      {&config.client_key, &set.key_pem},
      {&config.token, &set.token}};
  for (const auto& [secret, text] : parts) {
    Result<std::string> content = Read(*secret);
    if (!content.ok()) return content.status();
    *text = *std::move(content);
  }
  set.token = std::string(Trim(set.token));
  if (Status status = CheckSet(config, set); !status.ok()) return status;
  return set;
}

bool SameTls(const CredentialSet& a, const CredentialSet& b) {
  return a.ca_pem == b.ca_pem && a.certificate_pem == b.certificate_pem && a.key_pem == b.key_pem;
}

bool Same(const CredentialSet& a, const CredentialSet& b) {
  return SameTls(a, b) && a.token == b.token;
}

}  // namespace

Credentials::Credentials(ClientConfig config, const Clock& clock,
                         std::chrono::nanoseconds reload_interval)
    : config_(std::move(config)), clock_(clock), reload_interval_(reload_interval) {}

Result<std::unique_ptr<Credentials>> Credentials::Load(ClientConfig config, const Clock& clock,
                                                       std::chrono::nanoseconds reload_interval) {
  std::unique_ptr<Credentials> credentials(
      new Credentials(std::move(config), clock, reload_interval));
  MutexLock lock(credentials->mutex_);
  credentials->RefreshLocked();
  if (!credentials->current_) return credentials->problem_;
  return Result<std::unique_ptr<Credentials>>(std::move(credentials));
}

void Credentials::RefreshLocked() {
  last_look_ = clock_.SteadyNow();
  Result<CredentialSet> read = ReadSet(config_);
  problem_ = read.status();
  if (!read.ok() || (current_ && Same(*read, *current_))) return;
  CredentialSet next = *std::move(read);
  if (current_) next.tls_generation = current_->tls_generation + (SameTls(next, *current_) ? 0 : 1);
  current_ = std::make_shared<const CredentialSet>(std::move(next));
}

std::shared_ptr<const CredentialSet> Credentials::Current() {
  MutexLock lock(mutex_);
  if (clock_.SteadyNow() - last_look_ >= reload_interval_) RefreshLocked();
  return current_;
}

bool Credentials::Reload(const CredentialSet& rejected) {
  MutexLock lock(mutex_);
  RefreshLocked();
  return !Same(*current_, rejected);
}

Status Credentials::last_problem() const {
  MutexLock lock(mutex_);
  return problem_;
}

}  // namespace aliquot::kubeclient
