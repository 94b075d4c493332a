// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/string_map.h"
#include "ledger/claims.h"
#include "ledger/entry.h"
#include "ledger/snapshot.h"
#include "ledger/snapshot_board.h"
#include "model/allocation.h"
#include "model/node.h"
#include "model/pod.h"
#include "scoring/placer.h"
#include "topology/node_topology.h"

namespace aliquot::ledger {

// Longer than a bind and the settling of its outcome take by default (4 s, then a look-up 10 s
// later).
inline constexpr std::chrono::seconds kJoinedFor{60};

// Asks for cards for one pod on one node.
struct CommitRequest {
  model::PodKey key;
  std::string uid;
  std::string node;
  model::PodDemand demand;
  bool tolerates_cordon = true;
  // Of the pod: it gets no room that is kept for a pod of higher priority. Unset, it gets any.
  std::int64_t priority = std::numeric_limits<std::int64_t>::max();
  // What the policy may expect of the pods to come; nullptr = the outlook that the ledger has.
  std::shared_ptr<const scoring::Outlook> outlook;
  // Set: the reservation ends by itself at this time unless it is confirmed first. Unset, and
  // joining a reservation that has such a time: that time is put off by kJoinedFor, so that whoever
  // joined can settle what became of its bind before the cards go free.
  std::optional<SteadyTime> expires;

  // A view of this request.
  scoring::Ask AskWith(const scoring::Outlook& expected) const {
    return scoring::Ask(demand, tolerates_cordon, expected).OfPriority(priority);
  }
};

enum class CommitOutcome {
  kReserved,       // cards chosen and reserved now
  kAlreadyHeld,    // this UID holds cards on this node already: the same allocation again
  kHeldElsewhere,  // this UID holds cards on another node: `node`
  kInProgress,     // another thread is committing this UID at this moment
  kRefused,        // does not fit: `refusal`
};

struct CommitResult {
  CommitOutcome outcome = CommitOutcome::kRefused;
  scoring::Refusal refusal = scoring::Refusal::kNone;
  bool cut_short = false;        // the exact search ran out of steps
  bool bound = false;            // kAlreadyHeld: the API server has confirmed it
  std::string node;              // kHeldElsewhere: where
  model::Allocation allocation;  // kReserved, kAlreadyHeld
  std::vector<std::vector<int>>
      minors;  // per allocation.containers entry: the cards' minor numbers
};

// What a pod seen in the cluster meant to the ledger.
enum class PodEffect {
  kNone,            // nothing changed
  kPending,         // asks for cards, not bound yet
  kHeld,            // bound with cards that are counted
  kFreed,           // held cards and now does not
  kNeedsStamp,      // bound by somebody else, not started, no record: stamp it late
  kAdoptedByIndex,  // its record is unreadable or missing; counted by predicate-gpu-idx-* and its
                    // spec
  kCountedOnAll,    // unreadable and no index: its demand counts on every card of its node
  kClosedNode,      // runs without any record: its node takes nothing new
  kRecordChanged,   // somebody edited the record after commit: ignored
  kNotReadable,     // bound, but its demand breaks the resource model: counts nothing, reported
};

struct PodChange {
  PodEffect effect = PodEffect::kNone;
  std::string problem;  // one sentence for the effects that report something
};

struct LedgerCounts {
  std::int64_t nodes = 0;
  std::int64_t cards = 0;
  std::int64_t pods_bound = 0;
  std::int64_t pods_reserved = 0;
  std::int64_t pods_unstamped = 0;
  std::int64_t core_total = 0;  // percent over usable cards
  std::int64_t core_used = 0;
  std::int64_t mib_total = 0;
  std::int64_t mib_used = 0;
};

// Who holds what: in memory, fed by the cluster's nodes and pods, changed by our own commits.
//
// States of a pod's hold: reserved -> bound -> gone. Invariants
// (tests/unit/ledger/invariants_test.cc): our own commits never over-book a card; every hold has a
// live pod or an unexpired reservation; replaying the cluster from scratch gives the same ledger;
// releasing twice is harmless.
//
// Thread-safe. A write locks one node; reads take a snapshot. No call blocks on I/O. Lock order:
// the claims, one node, then the map of nodes, then pods, then the snapshot board. The placer, the
// catalog and the clock must outlive the ledger.
class Ledger {
 public:
  Ledger(const scoring::Placer& placer, topology::Catalog& catalog,
         const model::ResourceNames& names, const Clock& clock);
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  // Calls `listener` with a node's name when cards of it became free or the node changed: on the
  // thread that caused it, under no lock. To be set before several threads use the ledger.
  void OnRoom(std::function<void(std::string_view node)> listener) {
    on_room_ = std::move(listener);
  }

  // ---- what the cluster says ----

  // A node as it is now. An unreadable inventory keeps the pods' holds and refuses new ones.
  void SetNode(const model::Node& node);
  // Its pods' holds stay until the pods go: a node object may be deleted and made again under its
  // pods.
  void RemoveNode(std::string_view name);
  // What the pods that hold no cards request of processor and memory, by node: all of them, in
  // place of what was known before. Publishes only the nodes of which the figure changed.
  void SetOtherRequests(StringMap<model::HostAmount> by_node);
  // A pod as it is now, bound or not, ours or not.
  PodChange SetPod(const model::Pod& pod);
  // The pod is gone from the cluster (confirmed). False when it held nothing.
  bool RemovePod(std::string_view uid);
  // Pods that the ledger holds as bound and that are not in `seen`, a fresh full list. Candidates
  // only: one may have been made and bound while the list was on its way, so ask before removing
  // it.
  std::vector<std::pair<std::string, model::PodKey>> BoundNotIn(const StringSet& seen) const;

  // ---- our own decisions: bind, webhook stamp and late stamp all end here ----

  CommitResult Commit(const CommitRequest& request);
  // The cluster confirmed the reservation of this UID. Harmless when there is none.
  void Confirm(std::string_view uid);
  // Gives a reservation back. Harmless when there is none; never touches a bound hold.
  void Release(std::string_view uid);
  // Releases every reservation whose time has come, and ends every claim; how many reservations.
  int ReleaseExpired();

  // ---- room that preemption makes for a pod, kept from pods of lower priority ----

  // In place of all earlier claims of this pod. They end when it is bound or gone, when its
  // nomination is taken back or goes to another node, and at their time when no nomination is seen.
  void ClaimRoom(const ClaimRequest& request);
  // Chooses the cards anew for pods of which only the nomination is known (after a restart). To be
  // called once every pod has been seen.
  void RenewClaims();

  // ---- what is expected of the pods to come ----

  // Ranks from now on are by this outlook.
  void SetOutlook(std::shared_ptr<const scoring::Outlook> outlook) {
    board_.SetOutlook(std::move(outlook));
  }

  // ---- reads ----

  std::shared_ptr<const Snapshot> Read() const { return board_.Read(); }
  std::uint64_t generation() const { return board_.generation(); }
  // Where a pod's cards are, for explain and tests.
  std::optional<HoldView> FindHold(std::string_view uid) const;
  // The holds of one node, sorted by pod key.
  std::vector<HoldView> HoldsOf(std::string_view node) const;
  // What a preemption needs to know of a node; nothing when it is not known.
  std::optional<NodeForPreemption> ForPreemption(std::string_view node) const;
  LedgerCounts Counts() const;

 private:
  struct NodeSlot;
  using SlotPtr = std::shared_ptr<NodeSlot>;

  // Never nullptr.
  std::shared_ptr<const scoring::Outlook> OutlookFor(const CommitRequest& request) const;
  SlotPtr FindSlot(std::string_view name) const EXCLUDES(nodes_mutex_);
  SlotPtr FindOrMakeSlot(std::string_view name) EXCLUDES(nodes_mutex_);
  model::HostAmount OthersOn(const std::string& name) const EXCLUDES(nodes_mutex_);
  // The node of this UID's hold once no commit of it is under way; "" when it has none.
  std::string PlaceOf(std::string_view uid) const EXCLUDES(pods_mutex_);

  PodChange SetBoundPod(const model::Pod& pod);
  std::optional<PodChange> SeenAgain(NodeSlot& slot, const model::Pod& pod);
  PodChange AddSeen(const model::Pod& pod);
  CommitResult AlreadyHeld(const CommitRequest& request, const std::string& node);
  CommitResult ReserveOn(NodeSlot& slot, const CommitRequest& request);
  enum class DropWhich { kAny, kReservedOnly, kExpiredOnly };
  bool Drop(std::string_view uid, DropWhich which);
  // The node on which a hold was dropped, or "".
  std::string DropHold(std::string_view uid, DropWhich which);
  // True when it changed something.
  bool ReplaceFacts(const std::string& name, std::shared_ptr<const scoring::NodeFacts> facts);

  // A pod with claims, or that is nominated.
  struct Claimant {
    std::int64_t priority = 0;
    StringSet nodes;                    // where it has claims
    std::string nominated;              // the node its nomination was seen for
    std::string nominated_before;       // as ClaimRequest's
    std::optional<SteadyTime> expires;  // until the nomination is seen
    // Only the nomination is known: what to choose cards for.
    std::optional<CommitRequest> to_choose;
  };

  // The watch shows a pod that is not bound.
  void FollowNomination(const model::Pod& pod) EXCLUDES(claims_mutex_);
  void EndClaims(std::string_view uid) EXCLUDES(claims_mutex_);
  void EndExpiredClaims() EXCLUDES(claims_mutex_);
  // Nominated, but the claim is not ours: it is from before our start.
  void ClaimByNomination(const model::Pod& pod, Claimant& claimant) REQUIRES(claims_mutex_);
  void ChooseClaim(const std::string& uid, Claimant& claimant) REQUIRES(claims_mutex_);
  // Takes its claims off all nodes but `kept`; their names.
  std::vector<std::string> DropClaims(std::string_view uid, Claimant& claimant,
                                      std::string_view kept) REQUIRES(claims_mutex_);
  void PutClaim(const std::string& node, PlacedClaim claim) REQUIRES(claims_mutex_);
  void TellRoom(const std::vector<std::string>& nodes) const;

  // Takes a retired node out of the map. Called under its lock.
  void Forget(const NodeSlot& slot) EXCLUDES(nodes_mutex_);

  const scoring::Placer& placer_;
  topology::Catalog& catalog_;
  const model::ResourceNames names_;
  const Clock& clock_;

  mutable Mutex nodes_mutex_;
  StringMap<SlotPtr> slots_ GUARDED_BY(nodes_mutex_);
  // As last set: for nodes that come later.
  StringMap<model::HostAmount> other_requests_ GUARDED_BY(nodes_mutex_);

  mutable Mutex pods_mutex_;
  mutable CondVar commit_done_;
  StringMap<PodPlace> places_ GUARDED_BY(pods_mutex_);
  StringSet expiring_ GUARDED_BY(pods_mutex_);
  StringSet unstamped_ GUARDED_BY(pods_mutex_);

  mutable Mutex claims_mutex_;
  StringMap<Claimant> claimants_ GUARDED_BY(claims_mutex_);
  // Their number: nearly always 0, and then nobody takes the lock.
  std::atomic<std::size_t> claimant_count_{0};

  SnapshotBoard board_;
  std::function<void(std::string_view)> on_room_ = [](std::string_view) {};
};

}  // namespace aliquot::ledger
