// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "agent/grant/vendor_cdi.h"

namespace aliquot::agent {

// How the driver's own libraries reach a container (configuration `driver.delivery`), and whether
// they can just now. Plain values.
struct DriverDelivery {
  enum class Way {
    kNone,    // nothing is handed over: images bring their own, or the cards are simulated
    kMirror,  // a read-only directory of hard links or copies, driver_mirror.h
    kCdi,     // NVIDIA's own CDI specification is merged into ours, vendor_cdi.h
  };

  Way way = Way::kNone;
  // Why nothing can be handed over, one sentence; "" = it can.
  std::string sentence;
  std::string version;                        // kMirror: the driver's version
  std::string directory;                      // kMirror: lib64/ and bin/ of that version
  std::shared_ptr<const VendorEdits> vendor;  // kCdi

  bool usable() const { return sentence.empty(); }
};

}  // namespace aliquot::agent
