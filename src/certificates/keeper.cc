// SPDX-License-Identifier: Apache-2.0
#include "certificates/keeper.h"

#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "certificates/private_file.h"

namespace aliquot::certificates {
namespace {

constexpr char kComponent[] = "certificates";
constexpr int kTries = 3;  // at a write that somebody else's came before
constexpr char kSchedulerName[] = "aliquot-scheduler";

std::string ValueOf(const Data& data, const std::string& key) {
  const auto found = data.find(key);
  return found == data.end() ? std::string() : found->second;
}

std::optional<std::string> OrRemoved(const std::string& value) {
  return value.empty() ? std::nullopt : std::optional<std::string>(value);
}

Authority AuthorityOf(const Data& data) {
  return {{ValueOf(data, "ca.crt"), ValueOf(data, "ca.key")},
          ValueOf(data, "previous.crt"),
          ValueOf(data, "cross.crt"),
          ValueOf(data, "rotated-for")};
}

std::map<std::string, std::optional<std::string>> DataOf(const Authority& authority) {
  return {{"ca.crt", authority.current.certificate},
          {"ca.key", authority.current.key},
          {"previous.crt", OrRemoved(authority.previous)},
          {"cross.crt", OrRemoved(authority.cross)},
          {"rotated-for", OrRemoved(authority.rotated_for)}};
}

SigningKeys SigningKeysOf(const Data& data) {
  SigningKeys keys{
      ValueOf(data, "signing.key"), ValueOf(data, "next.key"), {}, ValueOf(data, "rotated-for")};
  std::int64_t seconds = 0;
  const std::string from = ValueOf(data, "next-from");
  std::from_chars(from.data(), from.data() + from.size(), seconds);
  keys.next_from = SystemTime(std::chrono::seconds(seconds));
  return keys;
}

std::map<std::string, std::optional<std::string>> DataOf(const SigningKeys& keys) {
  const auto from =
      std::chrono::duration_cast<std::chrono::seconds>(keys.next_from.time_since_epoch());
  return {
      {"signing.key", keys.current},
      {"next.key", OrRemoved(keys.next)},
      {"next-from",
       keys.next.empty() ? std::nullopt : std::optional<std::string>(std::to_string(from.count()))},
      {"rotated-for", OrRemoved(keys.rotated_for)}};
}

std::vector<std::string> NamesOf(const std::string& service, const std::string& namespace_name) {
  const std::string full = service + "." + namespace_name;
  return {full + ".svc", full, service, full + ".svc.cluster.local"};
}

// Keeps the first failure, and goes on.
void Note(Status& first, const Status& status) {
  if (first.ok() && !status.ok()) first = status;
}

}  // namespace

Keeper::Keeper(KeeperOptions options, ClusterObjects& objects, const Clock& clock,
               observability::Log& log, CountMade count)
    : options_(std::move(options)),
      objects_(objects),
      clock_(clock),
      log_(log),
      count_(std::move(count)) {}

Status Keeper::Count(Made made, Status status) const {
  if (count_) count_(made, status.ok());
  return status;
}

Status Keeper::Look() {
  Status first;
  if (options_.certificates) Note(first, LookAtCertificates());
  if (options_.signing) Note(first, LookAtSigning());
  return first;
}

Status Keeper::LookAtCertificates() {
  const auto authority = KeepAuthority();
  if (!authority.ok()) return authority.status();
  // First those who check, then what they check.
  Status first = KeepBundle(*authority);
  // A listener reads its files again within a second: who connects with a certificate of a new
  // authority is not accepted before, so that certificate is handed out by the next look.
  const bool accepted = accepted_.empty() || accepted_ == TrustBundle(*authority);
  Note(first, KeepClientAuthorities(*authority));
  if (accepted) Note(first, KeepSchedulerClient(*authority));
  Note(first, KeepServer(*authority));
  return first;
}

Status Keeper::KeepClientAuthorities(const Authority& authority) {
  const std::string bundle = TrustBundle(authority);
  const Status written = WriteFile("client-ca.crt", bundle);
  if (written.ok()) accepted_ = bundle;
  return written;
}

Result<Authority> Keeper::KeepAuthority() {
  const CertificateOptions& options = options_.certificate_options;
  Status last;
  for (int i = 0; i < kTries; ++i) {
    const auto object = objects_.Read(DataKind::kSecret, options.authority_secret);
    if (!object.ok()) return object.status();
    const Authority held = AuthorityOf(object->data);
    auto next = NextAuthority(held, object->rotate, options.authority, clock_.SystemNow());
    if (!next.ok()) {
      return Count(Made::kAuthority,
                   next.status().WithContext("Secret " + options.authority_secret +
                                             " cannot be used; put back what it held, or remove "
                                             "its keys to have an authority made anew"));
    }
    if (const auto validity = ReadValidity(next->current.certificate); validity.ok()) {
      expiries_.authority = validity->until;
    }
    if (*next == held) return next;
    last = objects_.Write(DataKind::kSecret, options.authority_secret, object->resource_version,
                          DataOf(*next));
    const bool anew = next->current.certificate != held.current.certificate;
    if (anew && last.code() != StatusCode::kAborted) last = Count(Made::kAuthority, last);
    if (last.ok()) {
      const bool made = held.empty();
      const bool replaced = !made && anew;
      if (made && served_by_.empty()) log_.Info(kComponent, "a certificate authority was made");
      if (made && !served_by_.empty()) {
        log_.Warn(
            kComponent,
            "the certificate authority was taken out of its Secret; another one was made, and "
            "what the first one certified is no longer believed",
            {{"secret", options.authority_secret}});
      }
      if (replaced) log_.Info(kComponent, "the certificate authority is being replaced");
      return next;
    }
    if (last.code() != StatusCode::kAborted) return last;
  }
  return last;
}

Status Keeper::KeepSchedulerClient(const Authority& authority) {
  const CertificateOptions& options = options_.certificate_options;
  const SystemTime now = clock_.SystemNow();
  Status last;
  for (int i = 0; i < kTries; ++i) {
    const auto object = objects_.Read(DataKind::kSecret, options.scheduler_secret);
    if (!object.ok()) return object.status();
    const std::string bundle = TrustBundle(authority);
    KeyedCertificate client{ValueOf(object->data, "tls.crt"), ValueOf(object->data, "tls.key")};
    const bool usable = IsIssuedBy(client, authority.current.certificate);
    if (!usable) {
      auto key = MakeKey();
      if (!key.ok()) return Count(Made::kScheduler, key.status());
      // As long as the authority: in stock mode people copy it into a file.
      auto leaf =
          IssueLeaf({kSchedulerName, {}, {now - options.authority.backdate, expiries_.authority}},
                    *key, authority.current);
      if (!leaf.ok()) return Count(Made::kScheduler, leaf.status());
      client = {*std::move(leaf), *std::move(key)};
    }
    if (const auto validity = ReadValidity(client.certificate); validity.ok()) {
      expiries_.scheduler = validity->until;
    }
    if (usable && ValueOf(object->data, "ca.crt") == bundle) return Status::Ok();
    last = objects_.Write(
        DataKind::kSecret, options.scheduler_secret, object->resource_version,
        {{"ca.crt", bundle}, {"tls.crt", client.certificate}, {"tls.key", client.key}});
    if (!usable && last.code() != StatusCode::kAborted) last = Count(Made::kScheduler, last);
    if (last.ok()) {
      log_.Info(kComponent, "the scheduler's certificate was written",
                {{"secret", options.scheduler_secret}});
    }
    if (last.code() != StatusCode::kAborted) return last;
  }
  return last;
}

Status Keeper::KeepServer(const Authority& authority) {
  const std::string served_by = TrustBundle(authority) + authority.cross;
  if (served_by == served_by_ && clock_.SystemNow() < renew_server_at_) return Status::Ok();
  Status made = Count(Made::kServer, MakeServer(authority));
  if (made.ok()) served_by_ = served_by;
  return made;
}

Status Keeper::MakeServer(const Authority& authority) {
  const CertificateOptions& options = options_.certificate_options;
  const SystemTime now = clock_.SystemNow();
  if (server_key_.empty()) {
    auto key = MakeKey();
    if (!key.ok()) return key.status();
    server_key_ = *std::move(key);
  }
  if (Status written = WriteFile("server.key", server_key_); !written.ok()) return written;
  const Validity validity{now - options.authority.backdate, now + options.leaf_lifetime};
  for (const auto& [file, service] : {std::pair("extender.crt", options.extender_service),
                                      std::pair("admission.crt", options.admission_service)}) {
    const auto leaf = IssueLeaf({service, NamesOf(service, options_.namespace_name), validity},
                                server_key_, authority.current);
    if (!leaf.ok()) return leaf.status();
    if (Status written = WriteFile(file, *leaf + ChainBehind(authority)); !written.ok()) {
      return written;
    }
    if (const auto made = ReadValidity(*leaf); made.ok()) expiries_.server = made->until;
  }
  // Two thirds of its life, so that a month without this program's attention does no harm.
  renew_server_at_ = now + (expiries_.server - now) * 2 / 3;
  log_.Info(kComponent, "server certificates were made");
  return Status::Ok();
}

Status Keeper::KeepBundle(const Authority& authority) {
  const std::string& name = options_.certificate_options.webhook_configuration;
  const auto webhooks = objects_.ReadWebhooks(name);
  if (!webhooks.ok()) return webhooks.status();
  const std::string bundle = TrustBundle(authority);
  bool same = true;
  for (const auto& webhook : *webhooks) same = same && webhook.ca_bundle == bundle;
  if (same) return Status::Ok();
  const Status written = objects_.WriteBundle(name, *webhooks, bundle);
  if (written.ok()) log_.Info(kComponent, "the API server was told our authority");
  // Others' changes came between: the next look sees them.
  return written.code() == StatusCode::kAborted
             ? Unavailable(written.message() + "; looked at again")
             : written;
}

Status Keeper::LookAtSigning() {
  const auto published = objects_.Read(DataKind::kConfigMap, options_.signing_options.public_keys);
  if (!published.ok()) return published.status();
  const auto keys = KeepSigningKeys(published->data);
  if (!keys.ok()) return keys.status();
  if (Status done = Publish(*keys); !done.ok()) return done;
  had_signing_key_ = true;
  return WriteFile("signing.key", keys->current);
}

Result<SigningKeys> Keeper::KeepSigningKeys(const Data& published) {
  const SigningOptions& options = options_.signing_options;
  Status last;
  for (int i = 0; i < kTries; ++i) {
    const auto object = objects_.Read(DataKind::kSecret, options.secret);
    if (!object.ok()) return object.status();
    const SigningKeys held = SigningKeysOf(object->data);
    auto next = NextSigningKeys(held, published, object->rotate, options.activation_delay,
                                clock_.SystemNow());
    if (!next.ok()) {
      return Count(Made::kSigningKey,
                   next.status().WithContext("Secret " + options.secret +
                                             " cannot be used; put back what it held, or remove "
                                             "its keys to have a key made anew"));
    }
    if (*next == held) return next;
    last =
        objects_.Write(DataKind::kSecret, options.secret, object->resource_version, DataOf(*next));
    const bool anew = held.current.empty() || (next->next != held.next && !next->next.empty());
    if (anew && last.code() != StatusCode::kAborted) last = Count(Made::kSigningKey, last);
    if (last.ok()) {
      if (held.current.empty() && !had_signing_key_) {
        log_.Info(kComponent, "a key that signs records was made");
      } else if (held.current.empty()) {
        log_.Warn(kComponent,
                  "the key that signs records was taken out of its Secret; another one was made",
                  {{"secret", options.secret}});
      }
      if (next->next != held.next) {
        log_.Info(kComponent, next->next.empty() ? "the new signing key is in use"
                                                 : "a new signing key was made");
      }
      return next;
    }
    if (last.code() != StatusCode::kAborted) return last;
  }
  return last;
}

Status Keeper::Publish(const SigningKeys& keys) {
  const SigningOptions& options = options_.signing_options;
  const auto halves = PublicHalves(keys);
  if (!halves.ok()) return halves.status();
  const auto object = objects_.Read(DataKind::kConfigMap, options.public_keys);
  if (!object.ok()) return object.status();
  std::map<std::string, std::optional<std::string>> missing;
  for (const auto& [name, pem] : *halves) {
    if (ValueOf(object->data, name) != pem) missing[name] = pem;
  }
  if (missing.empty()) return Status::Ok();
  const Status written =
      objects_.Write(DataKind::kConfigMap, options.public_keys, object->resource_version, missing);
  if (written.ok()) {
    log_.Info(kComponent, "public keys were published", {{"config_map", options.public_keys}});
  }
  return written;
}

Status Keeper::WriteFile(const std::string& name, const std::string& content) {
  return ReplacePrivateFile(options_.directory, name, content);
}

}  // namespace aliquot::certificates
