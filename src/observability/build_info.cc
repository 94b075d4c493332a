// SPDX-License-Identifier: Apache-2.0
#include "observability/build_info.h"

#include <utility>

#include "observability/json_line.h"

namespace aliquot::observability {

std::string_view Version() { return ALIQUOT_VERSION; }
std::string_view Commit() { return ALIQUOT_COMMIT; }

std::string BuildInfoJson() {
  JsonLine line;
  line.AddText("version", Version());
  line.AddText("commit", Commit());
  return std::move(line).Finish();
}

}  // namespace aliquot::observability
