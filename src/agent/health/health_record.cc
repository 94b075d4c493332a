// SPDX-License-Identifier: Apache-2.0
#include "agent/health/health_record.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "model/gpu_uuid.h"

namespace aliquot::agent {
namespace {

constexpr int kVersion = 1;
constexpr std::size_t kMaxMarks = 1024;
constexpr int kMaxDepth = 4;

Status Unusable(const std::string& what) {
  return InvalidArgument("the health record " + what +
                         "; cards that waited for a reset are not known, remove the file");
}

// No value when the depth or the text is wrong.
nlohmann::json ParseShallow(std::string_view text) {
  return nlohmann::json::parse(
      text.begin(), text.end(),
      [](int depth, nlohmann::json::parse_event_t, nlohmann::json&) { return depth <= kMaxDepth; },
      /*allow_exceptions=*/false);
}

}  // namespace

std::string FormatHealthRecord(const HealthBook& book, std::string_view incarnation) {
  nlohmann::json marks = nlohmann::json::array();
  for (const auto& [uuid, xid] : book.NeedingReset()) {
    marks.push_back({uuid, xid});
  }
  const nlohmann::json record = {
      {"v", kVersion}, {"incarnation", std::string(incarnation)}, {"needReset", std::move(marks)}};
  return record.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Status RestoreHealth(std::string_view record, std::string_view incarnation, SteadyTime now,
                     HealthBook& book) {
  if (record.size() > kMaxHealthRecordBytes) {
    return Unusable("has " + std::to_string(record.size()) + " bytes, too many");
  }
  const nlohmann::json json = ParseShallow(record);
  if (!json.is_object() || !json.contains("v") || json["v"] != kVersion ||
      !json.contains("incarnation") || !json["incarnation"].is_string() ||
      !json.contains("needReset") || !json["needReset"].is_array() ||
      json["needReset"].size() > kMaxMarks) {
    return Unusable("is not of version 1 as this agent writes it");
  }
  std::vector<std::pair<std::string, std::uint64_t>> marks;
  for (const nlohmann::json& mark : json["needReset"]) {
    if (!mark.is_array() || mark.size() != 2 || !mark[0].is_string() ||
        !mark[1].is_number_unsigned() || !model::IsGpuUuid(mark[0].get_ref<const std::string&>())) {
      return Unusable("holds an entry that is not [UUID, XID]");
    }
    marks.emplace_back(mark[0].get<std::string>(), mark[1].get<std::uint64_t>());
  }
  if (json["incarnation"].get_ref<const std::string&>() != incarnation) {
    return Status::Ok();
  }
  for (const auto& [uuid, xid] : marks) {
    book.Restore(uuid, xid, now);
  }
  return Status::Ok();
}

}  // namespace aliquot::agent
