// SPDX-License-Identifier: Apache-2.0
#include "http/listen_address.h"

#include <optional>

#include "base/strings.h"

namespace aliquot::http {
namespace {

Status BadAddress(std::string_view text, std::string_view fault) {
  return InvalidArgument("listen address '" + Printable(text) + "' " + std::string(fault) +
                         "; write host:port, [IPv6 address]:port or :port");
}

}  // namespace

Result<ListenAddress> ParseListenAddress(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return BadAddress(text, "has no port");
  std::string_view host = text.substr(0, colon);
  const std::string_view port_text = text.substr(colon + 1);

  const bool bracketed = host.size() >= 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (bracketed && host.find(':') == std::string_view::npos) {
    return BadAddress(text, "has brackets around what is no IPv6 address");
  }
  if (!bracketed && host.find_first_of(":[]") != std::string_view::npos) {
    return BadAddress(text, "has an IPv6 address without brackets");
  }
  const std::optional<std::int64_t> port = ParseUnsigned(port_text);
  if (!port || *port > 65535) return BadAddress(text, "has no port between 0 and 65535");

  ListenAddress address;
  address.host.assign(host);
  address.port = static_cast<std::uint16_t>(*port);
  return address;
}

std::string FormatHostPort(std::string_view host, std::uint16_t port) {
  std::string text;
  const bool brackets = host.find(':') != std::string_view::npos;
  if (brackets) text.push_back('[');
  text.append(host);
  if (brackets) text.push_back(']');
  text.push_back(':');
  text += std::to_string(port);
  return text;
}

}  // namespace aliquot::http
