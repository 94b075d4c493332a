// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/enforcement/board.h"
#include "agent/enforcement/overhead.h"
#include "agent/enforcement/process_end.h"
#include "agent/enforcement/process_table.h"
#include "agent/enforcement/time_correction.h"
#include "agent/enforcement/verdict.h"
#include "agent/enforcement/work_time.h"
#include "agent/gpu/backend.h"
#include "agent/grant/live_grants.h"
#include "agent/grant/state_layout.h"
#include "base/clock.h"
#include "observability/log.h"

namespace aliquot::agent {

// Something that people are to be told of a share.
struct ShareReport {
  std::shared_ptr<const GrantRecord> grant;
  std::string uuid;
  Verdict verdict = Verdict::kNoLibrary;
  std::string sentence;   // the same for the same state
  std::size_t ended = 0;  // processes that were ended for it in this look
};

struct WatchdogOptions {
  std::chrono::milliseconds busy{300};   // between looks while a held container is on a card
  std::chrono::milliseconds idle{1000};  // else
  std::int64_t context_mib = 512;        // ShareFacts::context_bytes
  bool kill = false;                     // configuration enforcement.onOvershoot
  ProcessTable::Options processes;
};

// Looks at the cards on which shares are held: who is on them by the driver's list, whose each
// process is by its control group, whether it has loaded the library, and what the driver counts
// against what was charged. Measures overhead and GPU time, which the lender hands on; finds what
// the library cannot hold, reports it and, where the policy says so, ends exactly those processes.
//
// Used by one thread, which may block in the driver for its time-out a card. Nothing is polled
// where nothing is held.
class Watchdog {
 public:
  // Container IDs (64 hex digits) to pod UID and container name.
  using Containers = std::map<std::string, std::pair<std::string, std::string>, std::less<>>;

  struct Parts {
    const LiveGrants& live;
    GpuBackend& backend;
    EnforcementBoard& board;
    const StateLayout& layout;
    const ProcessReader& reader;
    const Clock& clock;
    observability::Log& log;
    std::function<Containers()> containers;
    std::function<void(const ShareReport&)> report;
  };

  // All parts must outlive it.
  Watchdog(WatchdogOptions options, Parts parts);

  // One look at every card. Returns after how long the next one is due.
  std::chrono::milliseconds Look();
  // Processes on held cards whose /proc can't be seen: no host process namespace, or no right.
  bool blind() const { return blind_looks_ >= 3; }

 private:
  using Grant = std::shared_ptr<const GrantRecord>;
  struct Place {  // one card of one grant
    Grant grant;
    std::size_t card = 0;
  };
  struct Share {
    OverheadWindow overhead;
    TimeCorrection correction;
    std::set<pid_t> on_card;        // in the look before
    std::vector<Verdict> verdicts;  // of the look before
    std::string end_problem;        // of the last process that could not be ended
    ShareJudge judge;
  };
  struct Member {
    ProcessFacts facts;
    ProcessToEnd process;
    // Whether it may be ended: not where the pod's status knows the container by another ID. It is
    // then a container that was put beside it (kubectl debug), or a restart not shown yet.
    bool sure = true;
  };
  struct Held {
    std::uint64_t bytes = 0;
    bool readable = true;
    bool used = false;                          // a process has a slot
    std::unique_ptr<quota::UsageRegion> usage;  // nothing while no process of its own has a slot
  };
  using Worked = std::optional<std::map<pid_t, TimeCorrection::DriverTime>>;

  void LookAtAll(const std::map<std::string, std::vector<Place>>& cards);
  // False: the driver hangs.
  bool LookAt(const std::string& uuid, const std::vector<Place>& places);
  Held HeldOf(const Place& place) const;
  std::vector<std::vector<Member>> Attribute(const CardWork& work,
                                             const std::vector<Place>& places);
  const Place* PlaceOf(const ProcessOwner& owner, const std::vector<Place>& places);
  bool IsSure(const ProcessOwner& owner, const Place& place) const;
  std::optional<GivenLibrary> LibraryOf(const GrantRecord& grant);
  void Judge(const std::string& uuid, const Place& place, const Held& before, const Held& after,
             const std::vector<Member>& members);
  void Measure(const Place& place, const Held& before, const Held& after, const Worked& worked,
               const std::vector<Member>& members);
  void NoteVerdicts(const std::string& uuid, const Place& place,
                    const std::vector<Verdict>& verdicts);
  std::size_t End(const std::string& uuid, const Place& place, const ShareVerdict& verdict,
                  const std::vector<Member>& members);
  void Act(const std::string& uuid, const Place& place, const ShareVerdict& verdict,
           const std::vector<Member>& members);
  Share& ShareOf(const Place& place);
  void Forget(const std::set<std::string>& keys);
  void NoteDriver(const std::string& uuid, const Status& status);

  const WatchdogOptions options_;
  const Parts parts_;
  ProcessTable processes_;
  std::map<std::pair<std::string, std::size_t>, Share> shares_;  // by key and card
  std::map<std::string, WorkTime> work_time_;                    // by card
  std::map<std::string, std::string> driver_problem_;            // by card, of the last look
  std::map<FileIdentity, FileIdentity> in_maps_;                 // of libraries, by stat's
  std::map<pid_t, std::uint64_t> ended_;  // by us, with their starts; some go slowly
  std::string hung_;                      // the card of the last look's call that did not end
  Containers containers_;
  bool containers_fresh_ = false;
  bool busy_ = false;
  bool saw_ = false;     // a process in /proc, in this look
  bool missed_ = false;  // one that is not there
  int blind_looks_ = 0;
};

}  // namespace aliquot::agent
