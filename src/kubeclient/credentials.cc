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

std::string NameOf(const ClientConfig& config, const Secret& secret, const char* field) {
  return config.exec ? config.exec->where : NameOf(secret, field);
}

Status CheckSet(const ClientConfig& config, const CredentialSet& set) {
  if (!config.certificate_authority.empty()) {
    const Status status = CheckCertificates(set.ca_pem);
    if (!status.ok()) {
      return status.WithContext(NameOf(config.certificate_authority, "certificate-authority-data"));
    }
  }
  if (!config.client_certificate.empty() || !set.certificate_pem.empty()) {
    const Status status = CheckKeyPair(set.certificate_pem, set.key_pem);
    if (!status.ok()) {
      return status.WithContext(
          NameOf(config, config.client_certificate, "client-certificate-data"));
    }
  }
  if ((!config.token.empty() || !set.token.empty()) && !IsToken(set.token)) {
    return InvalidArgument(NameOf(config, config.token, "token") + " holds no usable token");
  }
  return Status::Ok();
}

// What the configuration names itself; a plugin's part is not in it.
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
  return set;
}

bool SameTls(const CredentialSet& a, const CredentialSet& b) {
  return a.ca_pem == b.ca_pem && a.certificate_pem == b.certificate_pem && a.key_pem == b.key_pem;
}

bool Same(const CredentialSet& a, const CredentialSet& b) {
  return SameTls(a, b) && a.token == b.token;
}

}  // namespace

Credentials::Credentials(ClientConfig config, const Clock& clock, PluginHost plugin_host,
                         std::chrono::nanoseconds reload_interval)
    : config_(std::move(config)),
      clock_(clock),
      plugin_host_(std::move(plugin_host)),
      reload_interval_(reload_interval) {}

Result<std::unique_ptr<Credentials>> Credentials::Load(ClientConfig config, const Clock& clock,
                                                       PluginHost plugin_host,
                                                       std::chrono::nanoseconds reload_interval) {
  std::unique_ptr<Credentials> credentials(
      new Credentials(std::move(config), clock, std::move(plugin_host), reload_interval));
  MutexLock lock(credentials->mutex_);
  credentials->RefreshLocked(/*rejected=*/false);
  if (!credentials->current_) return credentials->problem_;
  return Result<std::unique_ptr<Credentials>>(std::move(credentials));
}

Result<CredentialSet> Credentials::MakeSet(bool rejected) {
  Result<CredentialSet> set = ReadSet(config_);
  if (set.ok() && config_.exec) {
    const bool expired =
        plugin_answer_ && plugin_answer_->expires && *plugin_answer_->expires <= clock_.SystemNow();
    if (!plugin_answer_ || rejected || expired) {
      Result<ExecCredential> answer = RunExecPlugin(config_, set->ca_pem, plugin_host_);
      if (!answer.ok()) return answer.status();
      plugin_answer_ = *std::move(answer);
    }
    set->token = plugin_answer_->token;
    set->certificate_pem = plugin_answer_->certificate_pem;
    set->key_pem = plugin_answer_->key_pem;
  }
  if (!set.ok()) return set;
  if (Status status = CheckSet(config_, *set); !status.ok()) return status;
  return set;
}

void Credentials::RefreshLocked(bool rejected) {
  Result<CredentialSet> read = MakeSet(rejected);
  last_look_ =
      clock_.SteadyNow();  // after a plugin that took its time: whoever waited has its answer
  problem_ = read.status();
  if (!read.ok() || (current_ && Same(*read, *current_))) return;
  CredentialSet next = *std::move(read);
  if (current_) next.tls_generation = current_->tls_generation + (SameTls(next, *current_) ? 0 : 1);
  current_ = std::make_shared<const CredentialSet>(std::move(next));
}

std::shared_ptr<const CredentialSet> Credentials::Current() {
  MutexLock lock(mutex_);
  if (clock_.SteadyNow() - last_look_ >= reload_interval_) RefreshLocked(/*rejected=*/false);
  return current_;
}

bool Credentials::Reload(const CredentialSet& rejected) {
  MutexLock lock(mutex_);
  // A plugin is not asked again for what another caller has got from it meanwhile.
  if (!config_.exec || Same(*current_, rejected)) RefreshLocked(/*rejected=*/true);
  return !Same(*current_, rejected);
}

Status Credentials::last_problem() const {
  MutexLock lock(mutex_);
  return problem_;
}

}  // namespace aliquot::kubeclient
