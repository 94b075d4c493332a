// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/transport.h"

#include <strings.h>

#include <algorithm>

namespace aliquot::kubeclient {

const std::string* ApiReply::FindHeader(std::string_view name) const {
  const auto found = std::find_if(headers.begin(), headers.end(), [name](const Header& header) {
    return header.name.size() == name.size() &&
           strncasecmp(header.name.data(), name.data(), name.size()) == 0;
  });
  return found == headers.end() ? nullptr : &found->value;
}

}  // namespace aliquot::kubeclient
