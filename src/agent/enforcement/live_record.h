// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/enforcement/process_look.h"
#include "base/status.h"
#include "quota/limits_record.h"

namespace aliquot::agent {

// The limits record of one grant, kept mapped so that its live part is written in place
// (src/quota/FORMAT.md, "How it changes"). The file lies in a directory of the agent's own, which
// containers have read-only, so nobody shortens it under the mapping. It is one page.
//
// One thread writes; not thread-safe.
class LiveRecord {
 public:
  // The error is one sentence that names the file.
  static Result<std::unique_ptr<LiveRecord>> Open(const std::string& path);
  ~LiveRecord();
  LiveRecord(const LiveRecord&) = delete;
  LiveRecord& operator=(const LiveRecord&) = delete;

  // Whether that file still lies at `path`: a start of the container puts a new one there.
  bool IsAt(const std::string& path) const;
  // What it says now, one entry a card of the record.
  std::vector<quota::LiveCard> Read() const;
  void Write(const std::vector<quota::LiveCard>& cards);

 private:
  LiveRecord(quota::LimitsRecord* record, const FileIdentity& identity)
      : record_(record), identity_(identity) {}

  quota::LimitsRecord* const record_;
  const FileIdentity identity_;
};

}  // namespace aliquot::agent
