// SPDX-License-Identifier: Apache-2.0
#include "scoring/policy_registry.h"

#include <array>
#include <string>

#include "base/strings.h"
#include "scoring/binpack.h"
#include "scoring/composite.h"
#include "scoring/fgd.h"
#include "scoring/first_fit.h"
#include "scoring/fragmentation.h"
#include "scoring/spread.h"
#include "scoring/topology.h"

namespace aliquot::scoring {
namespace {

const std::array<const Policy*, 7>& Policies() {
  static const Composite composite;
  static const Fragmentation fragmentation;
  static const Binpack binpack;
  static const Spread spread;
  static const Topology topology;
  static const FirstFit first_fit;
  static const Fgd fgd;
  static const std::array<const Policy*, 7> all = {&composite, &fragmentation, &binpack, &spread,
                                                   &topology,  &first_fit,     &fgd};
  return all;
}

}  // namespace

const Policy* FindPolicy(std::string_view name) {
  for (const Policy* policy : Policies()) {
    if (policy->name() == name) {
      return policy;
    }
  }
  return nullptr;
}

Result<const Policy*> PolicyNamed(std::string_view name) {
  if (const Policy* policy = FindPolicy(name)) {
    return policy;
  }
  std::vector<std::string> names;
  for (const std::string_view each : PolicyNames()) {
    names.emplace_back(each);
  }
  return InvalidArgument("policy is \"" + Printable(name) + "\", not known; use one of " +
                         Join(names, ", "));
}

std::vector<std::string_view> PolicyNames() {
  std::vector<std::string_view> names;
  for (const Policy* policy : Policies()) {
    names.push_back(policy->name());
  }
  return names;
}

}  // namespace aliquot::scoring
