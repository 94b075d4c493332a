// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>

#include "api/status_codec.h"
#include "base/clock.h"
#include "base/status.h"
#include "kubeclient/backoff.h"
#include "kubeclient/cancellation.h"
#include "kubeclient/transport.h"

// Keeps up with one kind of object: a list in pages, then a watch that resumes where it stopped,
// and a new list when the server has forgotten that place. Source of the protocol:
// kubernetes.io/docs/reference/using-api/api-concepts, "Efficient detection of changes".

namespace aliquot::kubeclient {

// Takes the raw JSON and knows its type. Called from the ListWatch's thread only. An error makes
// the ListWatch report it and start over with a list, after a delay.
class ListWatchSink {
 public:
  virtual ~ListWatchSink() = default;

  struct Page {
    std::string resource_version;
    std::string continue_token;  // "" on the last page
    std::size_t objects = 0;
  };
  struct Event {
    enum class Kind { kObject, kBookmark, kError } kind = Kind::kObject;
    std::string resource_version;  // kObject, kBookmark
    api::ApiStatus error;          // kError
  };

  // A list begins, or begins again: forget what the last one had delivered so far.
  virtual void ListStarted() = 0;
  virtual Result<Page> PageReceived(std::string_view json) = 0;
  virtual void ListFinished() = 0;
  virtual Result<Event> EventReceived(std::string_view json) = 0;
};

// For metrics and logs. `resource` is ListWatchOptions::resource. Must be thread-safe when shared.
class ListWatchObserver {
 public:
  virtual ~ListWatchObserver() = default;

  virtual void Listed(std::string_view resource, std::size_t objects,
                      std::chrono::nanoseconds took) = 0;
  // An event or a bookmark came.
  virtual void Heard(std::string_view resource) = 0;
  virtual void WatchRestarted(std::string_view resource, std::string_view reason) = 0;
  // A full list follows because the watch could not be resumed.
  virtual void Relisting(std::string_view resource, std::string_view reason) = 0;
  virtual void Failed(std::string_view resource, const Status& problem) = 0;
};

struct ListWatchOptions {
  std::string resource;  // for messages, "pods"
  ApiVerb list;
  ApiVerb watch;
  std::string label_selector;  // "" = all
  std::string field_selector;  // "" = all; "spec.nodeName=n1"
  int page_limit = 500;
  std::size_t max_page_bytes = 64u << 20;  // a larger page is asked for again at half the limit
  std::size_t max_event_bytes = 8u << 20;  // the API server takes objects of up to 3 MiB
  std::chrono::milliseconds page_timeout{30000};
  // The server is asked to end each watch after a random time between these, so that the watches of
  // many clients do not return together.
  std::chrono::seconds watch_min{300};
  std::chrono::seconds watch_max{600};
  // Bookmarks come about every minute; a watch without a byte for this long is taken for dead.
  std::chrono::milliseconds silence{150000};
  BackoffOptions backoff;
};

class ListWatch {
 public:
  // All references must outlive it.
  ListWatch(ListWatchOptions options, Transport& transport, ListWatchSink& sink,
            ListWatchObserver& observer, const Clock& clock, UniformSource uniform);
  ~ListWatch();
  ListWatch(const ListWatch&) = delete;
  ListWatch& operator=(const ListWatch&) = delete;

  void Start();
  // Ends the request in flight and the thread. Safe to call twice.
  void Stop();

  // A full list has been delivered.
  bool synced() const { return synced_.load(std::memory_order_acquire); }
  // When the last page, event or bookmark came; the clock's epoch before the first. Our state is at
  // most `now - last_heard()` older than the server's, as bookmarks tell even when nothing happens.
  SteadyTime last_heard() const;

 private:
  // What to do after a list or a watch has ended.
  struct Next {
    enum class Step { kWatch, kList } step = Step::kWatch;
    bool wait = true;  // back off first
    std::optional<std::chrono::seconds> retry_after;
    std::string reason;
  };
  // One watch's progress.
  struct WatchProgress {
    std::size_t objects = 0;
    std::size_t heard = 0;     // objects and bookmarks
    std::optional<Next> next;  // set by an ERROR event or an unreadable one
  };

  void Run();
  Next List();
  Next ListPages(std::size_t& objects, std::string& resource_version);
  Next Watch();
  bool TakeEvent(std::string_view document, WatchProgress& progress);
  Next AfterErrorEvent(const api::ApiStatus& error);
  Next AfterWatch(const CallResult& result, const WatchProgress& progress, SteadyTime started);
  Next AfterBadReply(const ApiReply& reply, Next::Step step);
  std::string Selectors() const;
  std::string ListQuery(std::string_view continue_token, int limit) const;
  std::string WatchQuery(std::chrono::seconds timeout) const;
  void Hear();
  bool Pause(const Next& next);

  const ListWatchOptions options_;
  Transport& transport_;
  ListWatchSink& sink_;
  ListWatchObserver& observer_;
  const Clock& clock_;
  UniformSource uniform_;
  Backoff backoff_;
  Cancellation cancellation_;
  std::thread thread_;
  std::atomic<bool> synced_{false};
  std::atomic<std::int64_t> last_heard_ns_{0};

  // Only the thread's.
  std::string resource_version_;
  int fruitless_errors_ = 0;  // ERROR events in a row without an object between them
};

}  // namespace aliquot::kubeclient
