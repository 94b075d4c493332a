// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "agent/gpu/nvml_backend.h"
#include "agent/gpu/nvml_card.h"
#include "agent/gpu/nvml_events.h"
#include "agent/gpu/nvml_session.h"
#include "base/mutex.h"

namespace aliquot::agent {

// A session and what is known of its cards. Immutable but for `last_sample`, which only Figures
// touches, and those run one at a time.
struct NvmlOpen {
  std::shared_ptr<NvmlSession> session;
  std::shared_ptr<NvmlEvents> events;
  std::map<std::string, nvml::Device> handles;  // by UUID
  bool left_out = false;                        // a card is missing: open anew at the next look
  std::vector<std::string> links;               // of those cards
  int looks = 0;                                // since the links were read
  mutable std::map<std::string, unsigned long long> last_sample;  // by UUID
};

// What the NVML back end does, without regard to calls that hang. Look, Check and Figures run one
// at a time (on one lane), Work on another; the rest may be called from anywhere. Held by
// shared_ptr, since a call that hangs outlives the back end.
class NvmlCore {
 public:
  explicit NvmlCore(NvmlOptions options);

  Result<Machine> Look();
  Result<std::vector<CardCheck>> Check();
  Result<CardFigures> Figures(const std::string& uuid);
  // On a lane of its own.
  Result<CardWork> Work(const std::string& uuid, std::uint64_t since_us);

  // Nothing while there is no session.
  std::shared_ptr<NvmlEvents> events();
  // Sleeps until there is a session, at most `timeout`.
  void WaitForSession(std::chrono::milliseconds timeout);
  // Forgets the session and all that was known; a look in progress does not bring its own back.
  // Who gets the session holds it: when the last one lets go, NVML is shut down.
  std::shared_ptr<const NvmlOpen> Forget();

  const NvmlOptions& options() const { return options_; }

 private:
  std::shared_ptr<const NvmlOpen> open();
  // Sets stop and gives up the session; waits a little for its end, so that a new one is new.
  void CloseForReopening();
  Result<Machine> LookWith(NvmlOpen& next);
  // The links' triangle; from the last look while the cards are the same, and for so many looks.
  void FillLinks(NvmlOpen& next, const std::vector<NvmlCard>& cards, bool same_cards) const;
  // A machine's device nodes, and the modes of cards that lack theirs.
  void FillNodes(Machine& machine) const;
  // False: Forget came in between.
  bool Publish(std::shared_ptr<const NvmlOpen> next, std::uint64_t generation);
  Status Unopened() const;
  // Forgets the session when the error says that there is no driver.
  void NoteError(const Status& status);

  const NvmlOptions options_;
  const std::vector<std::string> library_paths_;
  Mutex mutex_;
  CondVar changed_;
  std::shared_ptr<const NvmlOpen> open_ GUARDED_BY(mutex_);
  std::set<std::string> known_ GUARDED_BY(mutex_);   // UUIDs seen since the last Forget
  std::uint64_t generation_ GUARDED_BY(mutex_) = 0;  // counts Forget
};

}  // namespace aliquot::agent
