// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "agent/configuration.h"
#include "agent/grant/driver_delivery.h"
#include "agent/grant/driver_mirror.h"
#include "agent/grant/file_system.h"
#include "agent/grant/grant_store.h"
#include "base/clock.h"

namespace aliquot::agent {

// Keeps the driver's libraries ready to be handed over: made once for each version of the driver,
// old ones removed when no grant names them. Used by one thread; may take seconds when the driver
// has changed (it copies).
class Delivery {
 public:
  // How long what could not be made is not tried again: a look goes through the directories of a
  // whole distribution.
  static constexpr std::chrono::seconds kRetry{5};

  // All must outlive it.
  Delivery(const Configuration& configuration, const FileSystem& files, const GrantStore& store,
           const Clock& clock)
      : configuration_(configuration), files_(files), store_(store), clock_(clock) {}

  // `driver_version` is that of the loaded driver, "" = there is none (then nothing can be handed
  // over, but nothing is said: the cards are not offered anyway). `container_runtime` as the node
  // object names it, "" = it does not: then the last one holds, since a runtime that is down for a
  // moment is the same one, and devices that are withdrawn meanwhile fail pods for good.
  DriverDelivery For(const std::string& driver_version, const std::string& container_runtime);

 private:
  DriverDelivery Make(const std::string& driver_version) const;

  const Configuration& configuration_;
  const FileSystem& files_;
  const GrantStore& store_;
  const Clock& clock_;
  std::string container_runtime_;  // the last that was told
  std::string made_for_;
  SteadyTime next_try_;
  DriverDelivery made_;
};

}  // namespace aliquot::agent
