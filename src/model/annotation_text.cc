// SPDX-License-Identifier: Apache-2.0
#include "model/annotation_text.h"

#include <algorithm>

#include "base/strings.h"

namespace aliquot::model {

Status MalformedAnnotation(std::string_view key, std::string_view value,
                           const std::string& remedy) {
  return InvalidArgument("annotation " + std::string(key) + " is \"" + Printable(value) + "\"; " +
                         remedy);
}

Status CheckAnnotationWord(std::string_view key, std::string_view value,
                           const std::vector<std::string_view>& words) {
  if (std::find(words.begin(), words.end(), value) != words.end()) {
    return Status::Ok();
  }
  std::string list;
  for (const std::string_view word : words) {
    list += list.empty() ? "" : word == words.back() ? " or " : ", ";
    list += word;
  }
  return MalformedAnnotation(key, value, "use " + list);
}

}  // namespace aliquot::model
