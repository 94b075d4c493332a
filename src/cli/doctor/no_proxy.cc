// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor/no_proxy.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <vector>

#include "base/strings.h"

namespace aliquot::cli {
namespace {

using Bytes = std::vector<unsigned char>;

std::optional<Bytes> AddressOf(const std::string& text) {
  std::array<unsigned char, 16> bytes{};
  for (const auto& [family, size] : {std::pair{AF_INET, 4}, std::pair{AF_INET6, 16}}) {
    if (inet_pton(family, text.c_str(), bytes.data()) == 1) {
      return Bytes(bytes.begin(), bytes.begin() + size);
    }
  }
  return std::nullopt;
}

// The first `bits` are alike.
bool SameNetwork(const Bytes& a, const Bytes& b, std::size_t bits) {
  if (a.size() != b.size() || bits > a.size() * 8) {
    return false;
  }
  for (std::size_t bit = 0; bit < bits; ++bit) {
    const unsigned mask = 0x80U >> (bit % 8);
    if ((a[bit / 8] & mask) != (b[bit / 8] & mask)) {
      return false;
    }
  }
  return true;
}

bool HoldsAddress(const std::string& entry, const Bytes& host) {
  const auto slash = entry.find('/');
  const auto address = AddressOf(entry.substr(0, slash));
  if (!address) {
    return false;
  }
  const std::size_t bits =
      slash == std::string::npos
          ? address->size() * 8
          : static_cast<std::size_t>(std::strtoul(entry.c_str() + slash + 1, nullptr, 10));
  return SameNetwork(*address, host, bits);
}

bool HoldsName(std::string entry, const std::string& host) {
  const bool below_only = entry.front() == '.' || StartsWith(entry, "*.");
  if (StartsWith(entry, "*.")) {
    entry.erase(0, 1);
  }
  const std::string suffix = entry.front() == '.' ? entry : "." + entry;
  const bool below = host.size() > suffix.size() &&
                     host.compare(host.size() - suffix.size(), suffix.size(), suffix) == 0;
  return below || (!below_only && host == entry);
}

std::string WithoutPort(const std::string& entry) {
  const auto colon = entry.find(':');
  // More than one colon is an IPv6 address.
  return colon != std::string::npos && entry.find(':', colon + 1) == std::string::npos
             ? entry.substr(0, colon)
             : entry;
}

std::vector<std::string> Entries(const std::string& no_proxy) {
  std::vector<std::string> entries;
  std::string entry;
  for (const char each : no_proxy + ",") {
    if (each != ',') {
      if (std::isspace(static_cast<unsigned char>(each)) == 0) {
        entry += static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
      }
      continue;
    }
    entry = WithoutPort(entry);
    if (!entry.empty()) {
      entries.push_back(entry);
    }
    entry.clear();
  }
  return entries;
}

}  // namespace

bool LeavesOut(const std::string& no_proxy, const std::string& host) {
  const auto address = AddressOf(host);
  const std::vector<std::string> entries = Entries(no_proxy);
  return std::any_of(entries.begin(), entries.end(), [&](const std::string& entry) {
    return entry == "*" || (address ? HoldsAddress(entry, *address) : HoldsName(entry, host));
  });
}

}  // namespace aliquot::cli
