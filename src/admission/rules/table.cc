// SPDX-License-Identifier: Apache-2.0
#include "admission/rules/rule.h"

namespace aliquot::admission {

const std::vector<Rule>& Rules() {
  static const std::vector<Rule> rules = {
      {"preset-node", RefusePresetNode},
      {"unknown-annotations", RefuseUnknownAnnotations},
      {"misplaced-resources", RefuseMisplacedResources},
      {"demand", CheckDemand},
      {"privileged", RefusePrivileged},
      {"annotation-values", CheckAnnotationValues},
      {"ignored-amounts", WarnIgnoredAmounts},
      {"large-shares", WarnLargeShares},
      {"host-paths", WarnHostPaths},
      {"strip-own-keys", StripOwnKeys},
      {"label", SetLabel},
      {"hide-devices", HideDevices},
      {"scheduler", SetScheduler},
      {"toleration", AddToleration},
  };
  return rules;
}

}  // namespace aliquot::admission
