// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/string_map.h"
#include "extender/task_pool.h"
#include "ledger/ledger.h"
#include "model/cluster.h"
#include "observability/decision_log.h"
#include "observability/metrics.h"

namespace aliquot::extender {

struct BindDeskOptions {
  // A request is answered, and a Binding given up, this long after the request came.
  std::chrono::nanoseconds answer_within = std::chrono::seconds(4);
  // An unknown outcome is looked up this long after the Binding was given up: a late POST may still
  // land.
  std::chrono::nanoseconds settle_after = std::chrono::seconds(10);
  // Bindings that may be on their way at once. Each may hang until its deadline.
  int threads = 24;
};

struct BindAnswer {
  enum class Kind {
    kBound,
    kRefused,      // a proper no: does not fit, is elsewhere, is gone
    kFailed,       // the API server did not take it
    kUnconfirmed,  // no word from the API server yet; the reservation stays
  };
  Kind kind = Kind::kFailed;
  std::string sentence;  // "" when bound
  std::string cards;     // for the log, as observability::Decision::cards; "" when none were chosen
};

// A Binding ready to go.
struct Outgoing {
  model::BindOrder order;
  // This bind made the reservation and gives it back if it fails. A reservation that somebody else
  // made (webhook stamp, late stamp) is theirs to end.
  bool owns_reservation = true;
  std::string cards;  // for the log
};

// One bind that is not decided yet. Its members belong to the desk and are guarded by the desk's
// mutex, except those that are set once before it is shared.
class PendingBind {
 public:
  const model::PodKey& key() const { return key_; }
  const std::string& uid() const { return uid_; }
  const std::string& node() const { return node_; }

 private:
  friend class BindDesk;

  enum class State {
    kPreparing,  // cards are being chosen
    kQueued,     // waits for a thread; nothing was sent
    kPosting,    // sent, no reply yet
    kUnsettled,  // no word from the API server: the reservation stays
    kSettling,   // the pod is being looked up
    kEnding,     // decided; the ledger is being told
    kEnded
  };

  model::PodKey key_;
  std::string uid_;
  std::string node_;
  SteadyTime deadline_;

  std::string record_;  // the allocation we send
  std::string cards_;
  bool owns_reservation_ = false;
  State state_ = State::kPreparing;
  SteadyTime settle_at_;
  bool told_unconfirmed_ = false;
  BindAnswer end_;
  CondVar changed_;
};

// The binds on their way: at most one a pod UID, each with its reservation in the ledger, until the
// API server's reply, the watch or a look-up decides it. Never waits for the API server on the
// caller's thread. Thread-safe; no lock is held over a call to the cluster or the ledger.
// Everything referred to must outlive it.
class BindDesk {
 public:
  using Ticket = std::shared_ptr<PendingBind>;

  BindDesk(ledger::Ledger& ledger, model::ClusterWriter& writer, const Clock& clock,
           observability::Metrics& metrics, observability::DecisionLog& log,
           const BindDeskOptions& options);

  const BindDeskOptions& options() const { return options_; }

  // The bind of this UID: a new one (`mine`: the caller must Send or End it), or the one on its
  // way, which may be to another node.
  struct Opened {
    Ticket ticket;
    bool mine = false;
  };
  Opened Open(const model::PodKey& key, std::string_view uid, std::string_view node,
              SteadyTime deadline);

  // Runs on one of the desk's threads, for calls that a bind needs before it can be sent.
  void Run(std::function<void()> task) { pool_.Submit(std::move(task)); }
  // Sends the Binding, unless the watch has decided the bind meanwhile. Pre: the UID's cards are
  // reserved.
  void Send(const Ticket& ticket, Outgoing outgoing);
  // Ends a bind that was not sent. Pre: nothing is reserved for it, or the hold is bound.
  void End(const Ticket& ticket, BindAnswer answer);

  // Waits for its end, at most until `deadline`.
  BindAnswer Await(const Ticket& ticket, SteadyTime deadline);

  // What the watch shows; the ledger must have been told before.
  void PodSeenBound(std::string_view uid, std::string_view node);
  void PodGone(std::string_view uid);
  // Gives up what was not sent in time, looks up what is unsettled, wakes those who waited long
  // enough. To be called every 100 ms or so; does not block.
  void Tick();

  int pending() const;
  // Forgets what was not sent and waits for Bindings on their way.
  void Stop() { pool_.Stop(); }

 private:
  using State = PendingBind::State;
  // What the ledger hears at the end of a bind.
  enum class Tell { kNothing, kConfirm, kGiveBack };

  void EndByWatch(std::string_view uid, Tell tell, const std::string* node);
  bool TakeBack(const Ticket& ticket) {
    return MoveFrom(State::kQueued, State::kPreparing, ticket);
  }
  void Post(const Ticket& ticket, const model::BindOrder& order);
  void LookUp(const Ticket& ticket, const std::string& otherwise);
  bool MoveFrom(State from, State to, const Ticket& ticket);
  void Unsettled(State from, const Ticket& ticket, SteadyTime settle_at);
  // Only the first of two ends counts.
  void Finish(const Ticket& ticket, Tell tell, BindAnswer answer);
  void ReportLateEnd(const PendingBind& bind, const BindAnswer& answer) const;

  ledger::Ledger& ledger_;
  model::ClusterWriter& writer_;
  const Clock& clock_;
  observability::Metrics& metrics_;
  observability::DecisionLog& log_;
  const BindDeskOptions options_;

  mutable Mutex mutex_;
  StringMap<Ticket> by_uid_ GUARDED_BY(mutex_);
  // Last, so that its threads end before what they use.
  TaskPool pool_;
};

}  // namespace aliquot::extender
