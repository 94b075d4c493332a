// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/profile_text.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/strings.h"

namespace aliquot::agent {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLowerHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f'); }
bool IsAlnum(char c) { return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool AllOf(std::string_view text, bool (*matches)(char)) {
  return !text.empty() && std::all_of(text.begin(), text.end(), matches);
}

constexpr std::size_t kMaxName = 96;

}  // namespace

bool IsVersion(std::string_view text) {
  const auto parts = Split(text, '.');
  return text.size() <= kMaxName &&
         std::all_of(parts.begin(), parts.end(), [](auto part) { return AllOf(part, IsDigit); });
}

bool IsPlainName(std::string_view text) {
  return text.size() <= kMaxName && AllOf(text, [](char c) { return c >= ' ' && c <= '~'; });
}

bool IsPciAddress(std::string_view text) {
  const auto parts = Split(text, ':');
  if (parts.size() != 3) {
    return false;
  }
  const auto slot = Split(parts[2], '.');
  return parts[0].size() >= 4 && parts[0].size() <= 8 && AllOf(parts[0], IsLowerHex) &&
         parts[1].size() == 2 && AllOf(parts[1], IsLowerHex) && slot.size() == 2 &&
         slot[0].size() == 2 && AllOf(slot[0], IsLowerHex) && slot[1].size() == 1 &&
         slot[1][0] >= '0' && slot[1][0] <= '7';
}

bool IsNodeName(std::string_view text) {
  return !text.empty() && text.size() <= kMaxName && IsAlnum(text[0]) &&
         AllOf(text, [](char c) { return IsAlnum(c) || c == '-' || c == '_' || c == '.'; });
}

bool IsNodePath(std::string_view text) {
  const auto parts = Split(text, '/');
  return text.size() <= kMaxName && std::all_of(parts.begin(), parts.end(), IsNodeName);
}

std::optional<mode_t> ParseFileMode(std::string_view text) {
  if (text.size() < 3 || text.size() > 4 ||
      !AllOf(text, [](char c) { return c >= '0' && c <= '7'; })) {
    return std::nullopt;
  }
  mode_t mode = 0;
  for (const char c : text) {
    mode = mode * 8 + static_cast<mode_t>(c - '0');
  }
  return mode <= 0777 ? std::optional<mode_t>(mode) : std::nullopt;
}

void RequireKind(program::MapReader& top, std::string_view kind) {
  top.MissingKey("apiVersion");
  top.Choice("apiVersion", "", {"aliquot.io/v1alpha1"});
  top.MissingKey("kind");
  top.Choice("kind", "", {kind});
}

Status FirstProblem(const program::Problems& problems) {
  std::string sentence = problems.lines().front();
  const std::size_t more = problems.count() - 1;
  if (more > 0) {
    sentence +=
        " (and " + std::to_string(more) + (more == 1 ? " more problem)" : " more problems)");
  }
  return InvalidArgument(std::move(sentence));
}

}  // namespace aliquot::agent
