// SPDX-License-Identifier: Apache-2.0
#include "cli/why/scheduler_message.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "base/strings.h"

namespace aliquot::cli {
namespace {

constexpr std::string_view kOpening = "0/";
constexpr std::string_view kAvailable = " nodes are available:";

std::size_t Digits(std::string_view text) {
  std::size_t count = 0;
  while (count < text.size() && std::isdigit(static_cast<unsigned char>(text[count])) != 0) {
    ++count;
  }
  return count;
}

// "3 reason" in two; nothing for a text without a number.
std::optional<SchedulerReason> Counted(std::string_view text) {
  const std::size_t digits = Digits(text);
  const auto nodes = ParseUnsigned(text.substr(0, digits));
  if (digits == 0 || !nodes || digits + 1 >= text.size() || text[digits] != ' ') {
    return std::nullopt;
  }
  return SchedulerReason{*nodes, std::string(text.substr(digits + 1))};
}

// Where the next counted reason begins. A comma alone does not end one: a taint or an extender's
// sentence may have some.
std::size_t EndOfReason(std::string_view text) {
  for (std::size_t at = text.find(", "); at != std::string_view::npos;
       at = text.find(", ", at + 1)) {
    if (Counted(text.substr(at + 2))) {
      return at;
    }
  }
  return text.size();
}

// Without what PostFilter plugins add, and without the full stop.
std::string_view BeforePostFilter(std::string_view text) {
  text = Trim(text.substr(0, text.find(". ")));
  if (!text.empty() && text.back() == '.') {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace

SchedulerMessage ParseSchedulerMessage(std::string_view text) {
  SchedulerMessage message;
  text = Trim(text);
  const std::size_t opening = StartsWith(text, kOpening) ? kOpening.size() : 0;
  const std::size_t digits = opening == 0 ? 0 : Digits(text.substr(opening));
  const auto nodes = ParseUnsigned(text.substr(opening, digits));
  if (digits == 0 || !nodes || !StartsWith(text.substr(opening + digits), kAvailable)) {
    message.for_all = text;
    return message;
  }
  message.nodes = *nodes;
  std::string_view rest = BeforePostFilter(text.substr(opening + digits + kAvailable.size()));
  if (!Counted(rest)) {
    message.for_all = rest;
    return message;
  }
  while (!rest.empty()) {
    const std::size_t end = EndOfReason(rest);
    // An extender may refuse a node without a word: "1 , 2 Insufficient cpu".
    if (auto reason = Counted(rest.substr(0, end))) {
      message.reasons.push_back(*std::move(reason));
    }
    rest = end < rest.size() ? rest.substr(end + 2) : std::string_view();
  }
  std::stable_sort(
      message.reasons.begin(), message.reasons.end(),
      [](const SchedulerReason& a, const SchedulerReason& b) { return a.nodes > b.nodes; });
  return message;
}

std::string SchedulerMessage::Text() const {
  if (!for_all.empty()) {
    return for_all;
  }
  std::vector<std::string> parts;
  for (const SchedulerReason& reason : reasons) {
    parts.push_back(std::to_string(reason.nodes) + " " + reason.text);
  }
  return Join(parts, ", ");
}

}  // namespace aliquot::cli
