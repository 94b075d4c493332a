// SPDX-License-Identifier: Apache-2.0
#include "scoring/outlook.h"

namespace aliquot::scoring {

const Outlook& Outlook::Unknown() {
  static const Outlook unknown;
  return unknown;
}

}  // namespace aliquot::scoring
