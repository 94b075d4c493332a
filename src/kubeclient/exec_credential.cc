// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/exec_credential.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "kubeclient/base64.h"

namespace aliquot::kubeclient {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxAnswerBytes = 1u << 20;
constexpr std::size_t kMaxHintBytes = 1000;

std::string NameOf(const ExecPlugin& plugin) {
  return "plugin \"" + Printable(plugin.command, 200) + "\"";
}

Status Problem(const ExecPlugin& plugin, const std::string& sentence) {
  return FailedPrecondition(plugin.where + ": " + NameOf(plugin) + " " + sentence);
}

// metav1.Time: RFC 3339. Fractions of a second are dropped.
std::optional<SystemTime> ParseTime(const std::string& text) {
  std::tm parts{};
  const char* rest = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (rest == nullptr) return std::nullopt;
  if (*rest == '.') rest += 1 + std::strspn(rest + 1, "0123456789");
  long east = 0;
  if (*rest == '+' || *rest == '-') {
    std::tm offset{};
    const char* end = strptime(rest + 1, "%H:%M", &offset);
    if (end == nullptr || *end != '\0') return std::nullopt;
    east = (*rest == '+' ? 60L : -60L) * (offset.tm_hour * 60L + offset.tm_min);
  } else if (std::strcmp(rest, "Z") != 0) {
    return std::nullopt;
  }
  const std::time_t seconds = timegm(&parts) - east;
  // The clock counts nanoseconds, from 1677 to 2262. "9999-12-31" stands for never, "0001-01-01" is
  // Go's time that was never set.
  if (seconds >= std::chrono::system_clock::to_time_t(SystemTime::max())) return SystemTime::max();
  if (seconds <= std::chrono::system_clock::to_time_t(SystemTime::min())) return SystemTime::min();
  return std::chrono::system_clock::from_time_t(seconds);
}

// A field of text; null and "" count as missing. False when it is no text.
bool ReadText(const Json& object, const char* key, std::string& value) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return true;
  if (!found->is_string()) return false;
  value = found->get<std::string>();
  return true;
}

Status CheckVersion(const Json& answer, const ExecPlugin& plugin) {
  std::string kind;
  std::string version;
  if (!ReadText(answer, "kind", kind) || kind != "ExecCredential") {
    return Problem(plugin, "printed an object of another kind than ExecCredential");
  }
  if (!ReadText(answer, "apiVersion", version) || version != plugin.api_version) {
    const bool harmless = StartsWith(version, "client.authentication.k8s.io/");
    return Problem(
        plugin,
        "answered with " +
            (harmless ? "apiVersion " + Printable(version) : std::string("another apiVersion")) +
            "; set apiVersion, now " + plugin.api_version + ", to what the plugin speaks");
  }
  return Status::Ok();
}

// The sentence about a command that gave no answer.
Status NoAnswer(const ExecPlugin& plugin, const CommandStart& start, const CommandEnd& end) {
  switch (end.kind) {
    case CommandEnd::Kind::kNotFound: {
      std::string hint = plugin.install_hint;
      std::replace_if(
          hint.begin(), hint.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; },
          ' ');
      hint = std::string(Trim(Printable(hint, kMaxHintBytes)));
      return Problem(plugin, "is not there; " + (hint.empty() ? "install it" : hint));
    }
    case CommandEnd::Kind::kNotStarted:
      return Problem(plugin, "could not be started: " + std::string(std::strerror(end.number)));
    case CommandEnd::Kind::kOutOfTime:
      return Problem(
          plugin,
          "gave no answer within " +
              std::to_string(std::chrono::ceil<std::chrono::seconds>(start.time_limit).count()) +
              " s and was ended");
    case CommandEnd::Kind::kTooTalkative:
      return Problem(plugin, "printed over 1 MiB and was ended");
    case CommandEnd::Kind::kSignalled:
      return Problem(plugin, "was ended by signal " + std::to_string(end.number));
    case CommandEnd::Kind::kExited:
      break;
  }
  return Problem(plugin, "ended with exit status " + std::to_string(end.number) +
                             "; what it said, if anything, stands above");
}

}  // namespace

std::string FormatExecInfo(const ClientConfig& config, const std::string& ca_pem,
                           bool interactive) {
  const ExecPlugin& plugin = *config.exec;
  Json spec = {{"interactive", interactive}};
  if (plugin.provide_cluster_info) {
    Json cluster = {{"server", config.server}};
    if (!config.tls_server_name.empty()) cluster["tls-server-name"] = config.tls_server_name;
    if (!ca_pem.empty()) cluster["certificate-authority-data"] = EncodeBase64(ca_pem);
    if (!config.proxy_url.empty()) cluster["proxy-url"] = config.proxy_url;
    if (!plugin.cluster_config.empty()) {
      cluster["config"] = Json::parse(plugin.cluster_config, nullptr, false);
    }
    spec["cluster"] = std::move(cluster);
  }
  const Json info = {
      {"apiVersion", plugin.api_version}, {"kind", "ExecCredential"}, {"spec", std::move(spec)}};
  return info.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<ExecCredential> ParseExecCredential(std::string_view json, const ExecPlugin& plugin) {
  const Json answer = Json::parse(json, nullptr, false);
  if (!answer.is_object()) {
    return Problem(plugin, "printed something else than one ExecCredential in JSON");
  }
  if (Status good = CheckVersion(answer, plugin); !good.ok()) return good;
  const auto status = answer.find("status");
  if (status == answer.end() || !status->is_object()) {
    return Problem(plugin, "printed an ExecCredential without status");
  }
  ExecCredential made;
  std::string expires;
  const std::pair<const char*, std::string*> fields[] = {
      {"token", &made.token},
      {"clientCertificateData", &made.certificate_pem},
      {"clientKeyData", &made.key_pem},
      {"expirationTimestamp", &expires}};
  for (const auto& [name, value] : fields) {
    if (!ReadText(*status, name, *value)) {
      return Problem(plugin,
                     "printed an ExecCredential whose status." + std::string(name) + " is no text");
    }
  }
  if (made.certificate_pem.empty() != made.key_pem.empty()) {
    return Problem(plugin, "gave only one of clientCertificateData and clientKeyData");
  }
  if (made.token.empty() && made.certificate_pem.empty()) {
    return Problem(plugin, "gave neither a token nor a client certificate");
  }
  if (!expires.empty()) {
    made.expires = ParseTime(expires);
    if (!made.expires) {
      return Problem(plugin, "gave an expirationTimestamp that is not a time of RFC 3339");
    }
  }
  return made;
}

Result<ExecCredential> RunExecPlugin(const ClientConfig& config, const std::string& ca_pem,
                                     const PluginHost& host) {
  using Interactive = ExecPlugin::Interactive;
  const ExecPlugin& plugin = *config.exec;
  if (!host.run)
    return Problem(plugin, "is not run by this program, which has no person before it");
  if (plugin.interactive == Interactive::kAlways && !host.input_is_terminal) {
    return Problem(
        plugin,
        "needs a person (interactiveMode Always), and standard input is no terminal; run "
        "this at a terminal");
  }
  CommandStart start;
  start.command = plugin.command;
  start.arguments = plugin.arguments;
  start.environment = plugin.environment;
  start.passes_input = plugin.interactive != Interactive::kNever && host.input_is_terminal;
  start.environment.emplace_back("KUBERNETES_EXEC_INFO",
                                 FormatExecInfo(config, ca_pem, start.passes_input));
  start.time_limit = host.input_is_terminal ? kPluginTimeAtTerminal : kPluginTime;
  start.max_output_bytes = kMaxAnswerBytes;
  const CommandEnd end = host.run(start);
  if (end.kind != CommandEnd::Kind::kExited || end.number != 0) {
    return NoAnswer(plugin, start, end);
  }
  return ParseExecCredential(end.output, plugin);
}

}  // namespace aliquot::kubeclient
