// SPDX-License-Identifier: Apache-2.0
#include "agent/grant_settings.h"

#include <array>
#include <cstdlib>
#include <string_view>

#include "base/strings.h"

namespace aliquot::agent {
namespace {

// The first release that has CDI without being told to.
struct RuntimeWithCdi {
  std::string_view prefix;
  int major;
  int minor;
};
constexpr std::array kWithCdi{RuntimeWithCdi{"containerd://", 2, 0},
                              RuntimeWithCdi{"cri-o://", 1, 23}};

bool AtLeast(const std::string& version, int major, int minor) {
  char* end = nullptr;
  const long has_major = std::strtol(version.c_str(), &end, 10);
  const long has_minor = *end == '.' ? std::strtol(end + 1, nullptr, 10) : 0;
  return has_major > major || (has_major == major && has_minor >= minor);
}

}  // namespace

GrantMode GrantModeOf(const Configuration& configuration) {
  const bool cdi = configuration.grant.mode == "cdi" ||
                   (configuration.grant.mode == "auto" && configuration.driver_delivery == "cdi");
  return cdi ? GrantMode::kCdi : GrantMode::kDevdir;
}

DriverDelivery::Way DeliveryWayOf(const Configuration& configuration) {
  if (configuration.driver_delivery == "mirror") {
    return DriverDelivery::Way::kMirror;
  }
  return configuration.driver_delivery == "cdi" ? DriverDelivery::Way::kCdi
                                                : DriverDelivery::Way::kNone;
}

EditOptions EditOptionsOf(const Configuration& configuration) {
  EditOptions options;
  options.mode = GrantModeOf(configuration);
  options.state_directory = configuration.grant.state_directory;
  options.driver = DeliveryWayOf(configuration);
  options.library = !configuration.library_path.empty();
  return options;
}

std::string CdiProblem(const std::string& container_runtime) {
  if (container_runtime.empty()) {
    return "";
  }
  for (const RuntimeWithCdi& known : kWithCdi) {
    if (container_runtime.compare(0, known.prefix.size(), known.prefix) == 0 &&
        AtLeast(container_runtime.substr(known.prefix.size()), known.major, known.minor)) {
      return "";
    }
  }
  return "the container runtime " + Printable(container_runtime) +
         " is not known to take CDI devices (containerd from 2.0, CRI-O from 1.23 do) and would "
         "start containers without their card; set grant.mode to devdir, or replace the runtime";
}

}  // namespace aliquot::agent
