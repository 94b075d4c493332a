// SPDX-License-Identifier: Apache-2.0
#include "allocator/configuration.h"

#include "allocator/configuration_fields.h"

namespace aliquot::allocator {

void ReadConfiguration(std::string_view text, const std::string& file, Configuration& configuration,
                       program::Origins& origins, program::Problems& problems) {
  program::ReadConfigurationText(
      text, file, kConfigurationKind,
      [&](program::FieldVisitor& visitor) { VisitFields(configuration, visitor); }, origins,
      problems);
}

void LoadConfiguration(const std::string& file, Configuration& configuration,
                       program::Origins& origins, program::Problems& problems) {
  program::ReadConfigurationFile(
      file, kConfigurationKind,
      [&](program::FieldVisitor& visitor) { VisitFields(configuration, visitor); }, origins,
      problems);
}

std::string PrintConfiguration(const Configuration& configuration) {
  Configuration copy = configuration;  // the visitors share one signature; the printer writes none
  return program::PrintFields(kConfigurationKind,
                              [&](program::FieldVisitor& visitor) { VisitFields(copy, visitor); });
}

}  // namespace aliquot::allocator
