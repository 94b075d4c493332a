// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/config.h"

#include <arpa/inet.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <string_view>

#include "base/strings.h"

namespace aliquot::kubeclient {

namespace {

std::string FromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

bool FileExists(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0;
}

// The host of "host", "host:port" or "[::1]:port"; nothing when the port is not 1..65535.
std::optional<std::string_view> HostOf(std::string_view authority) {
  std::string_view host = authority;
  std::string_view port;
  if (StartsWith(authority, "[")) {
    const std::size_t close = authority.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    host = authority.substr(1, close - 1);
    port = authority.substr(close + 1);
  } else if (const std::size_t colon = authority.rfind(':'); colon != std::string_view::npos) {
    host = authority.substr(0, colon);
    port = authority.substr(colon);
  }
  if (!port.empty()) {
    const auto number = port[0] == ':' ? ParseUnsigned(port.substr(1)) : std::nullopt;
    if (!number || *number < 1 || *number > 65535) return std::nullopt;
  }
  if (host.empty() || host.find_first_of(" @?#/\\\r\n\t") != std::string_view::npos) {
    return std::nullopt;
  }
  return host;
}

bool IsLoopback(std::string_view host) {
  in_addr address{};  // a DNS name may begin with "127." too
  const bool ipv4 = inet_pton(AF_INET, std::string(host).c_str(), &address) == 1;
  return host == "localhost" || host == "::1" || (ipv4 && ntohl(address.s_addr) >> 24 == 127);
}

Status CheckProxy(std::string_view url) {
  const std::size_t scheme = url.find("://");
  const std::string_view name = url.substr(0, scheme == std::string_view::npos ? 0 : scheme);
  bool good = name == "http" || name == "https" || name == "socks5";
  if (good) {
    std::string_view authority = url.substr(scheme + 3);
    authority = authority.substr(0, authority.find('/'));
    const std::size_t at = authority.rfind('@');
    good = HostOf(at == std::string_view::npos ? authority : authority.substr(at + 1)) &&
           url.find_first_of(" \r\n\t") == std::string_view::npos;
  }
  // The value is not shown: it may hold a password.
  return good ? Status::Ok()
              : InvalidArgument(
                    "proxy-url must be http://host:port, https://host:port or socks5://host:port");
}

}  // namespace

InClusterEnvironment InClusterEnvironment::FromProcess() {
  InClusterEnvironment environment;
  environment.host = FromEnvironment("KUBERNETES_SERVICE_HOST");
  environment.port = FromEnvironment("KUBERNETES_SERVICE_PORT");
  return environment;
}

Result<ClientConfig> LoadInCluster(const InClusterEnvironment& environment) {
  if (environment.host.empty() || environment.port.empty()) {
    return FailedPrecondition(
        "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set, so this is not a pod; "
        "give "
        "--kubeconfig or --cluster");
  }
  ClientConfig config;
  const bool ipv6 = environment.host.find(':') != std::string::npos;
  config.server = "https://" + (ipv6 ? "[" + environment.host + "]" : environment.host) + ":" +
                  environment.port;
  config.token.file = environment.root + "/token";
  config.certificate_authority.file = environment.root + "/ca.crt";
  for (const Secret* secret : {&config.token, &config.certificate_authority}) {
    if (!FileExists(secret->file)) {
      return FailedPrecondition(secret->file +
                                " does not exist; give the pod a service account token "
                                "(automountServiceAccountToken: true)");
    }
  }
  std::ifstream name(environment.root + "/namespace");
  std::getline(name, config.namespace_name);
  if (config.namespace_name.empty()) config.namespace_name = "default";
  if (Status status = CheckClientConfig(config); !status.ok()) return status;
  return config;
}

Status CheckClientConfig(const ClientConfig& config) {
  const std::string shown = "server \"" + Printable(config.server) + "\"";
  const bool https = StartsWith(config.server, "https://");
  if (!https && !StartsWith(config.server, "http://")) {
    return InvalidArgument(shown + " must begin with https://");
  }
  std::string_view authority = std::string_view(config.server).substr(https ? 8 : 7);
  authority = authority.substr(0, authority.find('/'));
  const auto host = HostOf(authority);
  if (!host)
    return InvalidArgument(shown + " must be https://host:port without user, query or blanks");
  if (config.client_certificate.empty() != config.client_key.empty()) {
    return InvalidArgument("client-certificate and client-key must be given together");
  }
  const bool has_credentials =
      !config.token.empty() || !config.client_certificate.empty() || config.exec.has_value();
  if (!https && (!IsLoopback(*host) || has_credentials)) {
    return InvalidArgument(
        shown +
        " is not encrypted; use https:// (http:// is taken only for this machine and "
        "without credentials)");
  }
  return config.proxy_url.empty() ? Status::Ok() : CheckProxy(config.proxy_url);
}

}  // namespace aliquot::kubeclient
