// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "allocator/configuration.h"
#include "allocator/decision_core.h"
#include "program/problems.h"
#include "program/ticker.h"
#include "signing/signer.h"

namespace aliquot::allocator {

// The key with which records are signed, if one is configured: read at start, looked at again in
// tls.reloadInterval by a thread of its own, so that a slow disk holds up nothing else. Start once.
class RecordSigner {
 public:
  // Instruments must outlive it.
  RecordSigner(const Configuration& configuration, const Instruments& instruments);

  // False and a problem when a key is configured and cannot be used.
  bool Start(program::Problems& problems);

  // Null: records carry no signature. Lives as long as this object.
  const signing::Signer* signer() const { return signer_ ? &*signer_ : nullptr; }

 private:
  void Look();

  const std::chrono::milliseconds interval_;
  const Instruments instruments_;
  std::optional<signing::Signer> signer_;
  // Last: its thread uses the rest.
  std::unique_ptr<program::Ticker> ticker_;
};

}  // namespace aliquot::allocator
