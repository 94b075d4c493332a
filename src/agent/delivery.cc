// SPDX-License-Identifier: Apache-2.0
#include "agent/delivery.h"

#include <set>
#include <utility>

#include "agent/grant/vendor_cdi.h"
#include "agent/grant_settings.h"

namespace aliquot::agent {
namespace {

// Where the CDI rules look, and NVIDIA's toolkit writes; ours lie there as well and are of another
// kind.
const std::vector<std::string>& VendorDirectories() {
  static const std::vector<std::string> directories{"/etc/cdi", "/var/run/cdi"};
  return directories;
}

}  // namespace

DriverDelivery Delivery::Make(const std::string& driver_version) const {
  DriverDelivery delivery;
  delivery.way = DeliveryWayOf(configuration_);
  switch (delivery.way) {
    case DriverDelivery::Way::kNone:
      break;
    case DriverDelivery::Way::kMirror:
      return MirrorDriver(files_, configuration_.gpu.driver_root, driver_version,
                          configuration_.grant.data_directory);
    case DriverDelivery::Way::kCdi: {
      auto vendor = FindVendorSpec(VendorDirectories());
      if (vendor.ok()) {
        delivery.vendor = std::make_shared<const VendorEdits>(*std::move(vendor));
      } else {
        delivery.sentence = vendor.status().message();
      }
      break;
    }
  }
  return delivery;
}

DriverDelivery Delivery::For(const std::string& driver_version,
                             const std::string& container_runtime) {
  if (!container_runtime.empty()) {
    container_runtime_ = container_runtime;
  }
  const std::string key = driver_version + " " + container_runtime_;
  // What failed is tried again: a driver container may still be filling its root.
  const SteadyTime now = clock_.SteadyNow();
  if (key == made_for_ && (made_.usable() || now < next_try_)) {
    return made_;
  }
  next_try_ = now + kRetry;
  made_ = Make(driver_version);
  if (made_.usable() && GrantModeOf(configuration_) == GrantMode::kCdi) {
    made_.sentence = CdiProblem(container_runtime_);
  }
  made_for_ = key;
  if (made_.way == DriverDelivery::Way::kMirror && made_.usable()) {
    std::set<std::string> keep{made_.version};
    for (const std::string& directory : store_.DriverDirectories()) {
      keep.insert(directory.substr(directory.rfind('/') + 1));
    }
    RemoveAllBut(files_, configuration_.grant.data_directory + "/driver", keep);
  }
  return made_;
}

}  // namespace aliquot::agent
