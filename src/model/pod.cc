// SPDX-License-Identifier: Apache-2.0
#include "model/pod.h"

namespace aliquot::model {

const std::string* Pod::Annotation(std::string_view annotation_key) const {
  const auto found = annotations.find(annotation_key);
  return found == annotations.end() ? nullptr : &found->second;
}

}  // namespace aliquot::model
