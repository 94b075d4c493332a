// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"

// The allocator's metrics, aliquot_allocator_*: docs/reference/metrics.md lists every name, and a
// test compares that page, tests/golden/metrics.txt and what is really rendered. No label ever
// holds a pod or a node.

namespace aliquot::observability {

enum class Verb { kFilter, kPrioritize, kBind, kPreempt, kMutate, kTranslate, kStamp };

enum class RequestOutcome {
  kOk,           // filter: some node fits; prioritize: ranked; bind: bound; preempt: victims named;
                 // mutate, translate, stamp: admitted
  kRefused,      // a proper no: nothing fits, or the pod is denied
  kInvalid,      // the request could not be used
  kUnconfirmed,  // bind: no word from the API server yet
  kDeadline,     // our own deadline passed
  kNotReady,     // the lists are not complete yet
  kError,        // our own fault, or the API server's
};

enum class Listener { kExtender, kAdmission, kMonitor, kAuthenticated };

enum class ApiWrite { kBinding, kPodPatch, kPodCondition, kEvent };
enum class ApiOutcome { kDone, kNotFound, kConflict, kRefused, kUnknown };

enum class WatchedResource { kPods, kNodes, kDisruptionBudgets };

enum class StampOutcome { kDone, kNoRoom, kFailed };  // of the late stamp

// How a bound pod without a usable record of ours was counted (ledger::PodEffect).
enum class RecordProblem {
  kAdoptedByIndex,
  kCountedOnAll,
  kClosedNode,
  kRecordChanged,
  kNotReadable
};

// Degraded states: while one holds its gauge is 1 and a warning is in the log.
enum class Degraded {
  kNotSynced,
  kApiServerUnreachable,
  kTlsReloadFailed,
  kUnconfirmedBinds,
  kSigningKeyReloadFailed,
  kCertificatesNotKept
};

// Whose end people must know ahead.
enum class Certificate { kAuthority, kServer, kScheduler };

// What the allocator makes anew.
enum class Rotation { kAuthority, kServer, kScheduler, kSigningKey };

struct LedgerFigures {
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

// Thread-safe. Every series is made at construction, so a call costs a few atomic operations (a
// histogram takes its own short lock) and no look-up, and every series is there, at 0, from the
// first scrape on. The clock must outlive it.
class Metrics {
 public:
  explicit Metrics(const Clock& clock);
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  void CountRequest(Verb verb, RequestOutcome outcome, std::chrono::nanoseconds duration);
  void CountFilterCacheHit();
  void CountSearchCutShort();

  void SetConnections(Listener listener, std::size_t open);
  void CountConnectionFailure(Listener listener);
  void CountHttpResponse(Listener listener, int status);
  void CountTlsReload(Listener listener, bool ok);

  void CountApiWrite(ApiWrite kind, ApiOutcome outcome, std::chrono::nanoseconds duration);
  void CountLateStamp(StampOutcome outcome);
  void CountRecordProblem(RecordProblem problem);

  // The watch delivered something, be it a bookmark: its lag counts from now.
  void WatchHeard(WatchedResource resource);
  void CountWatchRestart(WatchedResource resource);
  void CountRelist(WatchedResource resource);

  void SetDegraded(Degraded state, bool on);
  void SetLedger(const LedgerFigures& figures);
  // 0 until it is called: the certificates are not ours to keep.
  void SetCertificateEnd(Certificate certificate, SystemTime end);
  void CountRotation(Rotation kind, bool ok);
  // The log's running total (JsonLog::dropped).
  void SetLogLinesDropped(std::uint64_t total);

  // Text exposition format 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats). Content
  // type: "text/plain; version=0.0.4; charset=utf-8".
  std::string Render();

 private:
  struct Series;
  const Clock& clock_;
  std::unique_ptr<Series> series_;
};

}  // namespace aliquot::observability
