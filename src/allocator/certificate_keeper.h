// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "allocator/configuration.h"
#include "allocator/decision_core.h"
#include "program/problems.h"
#include "program/ticker.h"

namespace aliquot::allocator {

// Certificates and keys that the allocator makes itself, where the configuration says so: made
// before anything listens, looked at again every five seconds by a thread of its own. Start once.
class CertificateKeeper {
 public:
  // Both must outlive it.
  CertificateKeeper(const Configuration& configuration, const Instruments& instruments);
  ~CertificateKeeper();
  CertificateKeeper(const CertificateKeeper&) = delete;
  CertificateKeeper& operator=(const CertificateKeeper&) = delete;

  // Returns when everything is made, however long the API server takes to answer, or the end of
  // the program is asked for; false with a problem then, and when the cluster cannot be reached at
  // all as configured.
  bool Start(program::Problems& problems);

 private:
  struct Parts;
  void Look();

  const Configuration& configuration_;
  const Instruments instruments_;
  std::unique_ptr<Parts> parts_;
  // Last: its thread uses the rest.
  std::unique_ptr<program::Ticker> ticker_;
};

}  // namespace aliquot::allocator
