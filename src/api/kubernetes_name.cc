// SPDX-License-Identifier: Apache-2.0
#include "api/kubernetes_name.h"

#include <algorithm>

#include "base/strings.h"

namespace aliquot::api {
namespace {

bool IsLowerOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool IsLetterOrDigit(char c) { return IsLowerOrDigit(c) || (c >= 'A' && c <= 'Z'); }

bool IsNameCharacter(char c) { return IsLetterOrDigit(c) || c == '-' || c == '_' || c == '.'; }

bool IsLabelText(std::string_view text) {
  return !text.empty() && IsLowerOrDigit(text.front()) && IsLowerOrDigit(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return IsLowerOrDigit(c) || c == '-'; });
}

}  // namespace

bool IsDnsLabel(std::string_view text) { return text.size() <= 63 && IsLabelText(text); }

bool IsDnsSubdomain(std::string_view text) {
  if (text.empty() || text.size() > 253) {
    return false;
  }
  const auto labels = Split(text, '.');
  return std::all_of(labels.begin(), labels.end(), IsLabelText);
}

bool IsQualifiedName(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    if (!IsDnsSubdomain(text.substr(0, slash))) {
      return false;
    }
    text.remove_prefix(slash + 1);
  }
  return !text.empty() && text.size() <= 63 && IsLetterOrDigit(text.front()) &&
         IsLetterOrDigit(text.back()) && std::all_of(text.begin(), text.end(), IsNameCharacter);
}

bool IsUid(std::string_view text) {
  return !text.empty() && text.size() <= 128 &&
         std::all_of(text.begin(), text.end(), IsNameCharacter);
}

}  // namespace aliquot::api
