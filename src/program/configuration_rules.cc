// SPDX-License-Identifier: Apache-2.0
#include "program/configuration_rules.h"

#include <algorithm>

#include "base/strings.h"

namespace aliquot::program {
namespace {

bool IsLoopback(const std::string& host) {
  const auto parts = Split(host, '.');
  const bool four_numbers =
      parts.size() == 4 && std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
        return ParseUnsigned(part).value_or(256) < 256;
      });
  return host == "::1" || (four_numbers && parts[0] == "127");
}

}  // namespace

void ConfigurationRules::Complain(std::string_view key, std::string_view sentence) {
  problems_.Add(WhereOf(origins_, key), std::string(key) + " " + std::string(sentence));
}

std::optional<http::ListenAddress> ConfigurationRules::CheckListenAddress(std::string_view key,
                                                                          const std::string& text) {
  const auto address = http::ParseListenAddress(text);
  if (!address.ok()) {
    Complain(key, "is \"" + Printable(text) + "\"; write host:port, [v6 address]:port or :port");
    return std::nullopt;
  }
  return *address;
}

void ConfigurationRules::CheckMonitorAddress(std::string_view key, const std::string& text) {
  const auto address = CheckListenAddress(key, text);
  if (address && !IsLoopback(address->host)) {
    Complain(key, "is \"" + Printable(text) +
                      "\": the monitor asks nobody who they are, so it listens on loopback only; "
                      "give 127.0.0.1 or [::1] as the host");
  }
}

void ConfigurationRules::CheckResourceNames(const model::ResourceNames& names) {
  CheckResourceName("resourceNames.core", names.core);
  CheckResourceName("resourceNames.memory", names.memory);
  if (names.core == names.memory) {
    Complain("resourceNames.memory", "is \"" + Printable(names.memory) +
                                         "\", which is resourceNames.core too; give two names");
  }
  if (names.prefix.empty() || !StartsWith(names.core, names.prefix) ||
      !StartsWith(names.memory, names.prefix)) {
    Complain("resourceNames.prefix", "is \"" + Printable(names.prefix) +
                                         "\"; give a text with which both resource names begin");
  }
}

// An extended resource name: a DNS subdomain, a slash and a short name; kubernetes.io is not for
// others.
void ConfigurationRules::CheckResourceName(std::string_view key, const std::string& name) {
  const std::size_t slash = name.find('/');
  const std::string domain = name.substr(0, std::min(slash, name.size()));
  const std::string last = slash == std::string::npos ? "" : name.substr(slash + 1);
  constexpr std::string_view kDomain = "abcdefghijklmnopqrstuvwxyz0123456789.-";
  constexpr std::string_view kLast =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  const bool valid = !domain.empty() && domain.size() <= 253 && !last.empty() &&
                     last.size() <= 63 && domain.find_first_not_of(kDomain) == std::string::npos &&
                     last.find_first_not_of(kLast) == std::string::npos;
  if (!valid || domain == "kubernetes.io" || StartsWith(domain, "requests.")) {
    Complain(key, "is \"" + Printable(name) +
                      "\"; give an extended resource name such as tencent.com/vcuda-core");
  }
}

}  // namespace aliquot::program
