// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/verify/verify_rows.h"

namespace aliquot::agent {

// Collects the rows of one container. Not thread-safe.
class RowWriter {
 public:
  explicit RowWriter(std::string container) : container_(std::move(container)) {}

  void About(std::string subject) { subject_ = std::move(subject); }
  void Ok(const char* check, std::string says) {
    Add(check, VerifyRow::Outcome::kOk, std::move(says));
  }
  void Failed(const char* check, std::string says) {
    Add(check, VerifyRow::Outcome::kFailed, std::move(says));
  }
  void Unknown(const char* check, std::string says) {
    Add(check, VerifyRow::Outcome::kUnknown, std::move(says));
  }
  std::vector<VerifyRow> Take() { return std::move(rows_); }

 private:
  void Add(const char* check, VerifyRow::Outcome outcome, std::string says) {
    rows_.push_back({container_, check, subject_, outcome, std::move(says)});
  }

  const std::string container_;
  std::string subject_;
  std::vector<VerifyRow> rows_;
};

// The checks of what lies on this node, and of each process. Pure.
void JudgeGrant(const SeenContainer& seen, RowWriter& rows);
void JudgeMemory(const SeenContainer& seen, std::uint64_t context_bytes, RowWriter& rows);
void JudgeProcess(const SeenContainer& seen, const SeenProcess& process,
                  const std::vector<MachineCard>& machine, RowWriter& rows);

// Of a limits record: what lies above the live values, which change while the container runs.
std::string_view FixedPart(std::string_view record);

// A share of a card that the enforcement library holds.
bool HeldByLibrary(const SeenContainer& seen);

}  // namespace aliquot::agent
