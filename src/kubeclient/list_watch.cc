// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/list_watch.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "kubeclient/api_path.h"
#include "kubeclient/json_stream.h"

namespace aliquot::kubeclient {

namespace {

constexpr int kGone = 410;
constexpr int kMaxFruitlessErrors = 3;

// What a server says in an error reply, for a message.
std::string Describe(const ApiReply& reply) {
  const Result<api::ApiStatus> status = api::ParseApiStatus(reply.body);
  std::string out = "HTTP " + std::to_string(reply.status);
  if (status.ok() && !status->message.empty()) out += ": " + Printable(status->message, 200);
  return out;
}

std::optional<std::chrono::seconds> RetryAfter(const api::ApiStatus& status) {
  if (status.retry_after_seconds <= 0) return std::nullopt;
  return std::chrono::seconds(std::min<std::int64_t>(status.retry_after_seconds, 86400));
}

std::optional<std::chrono::seconds> RetryAfter(const ApiReply& reply) {
  if (reply.status != 429 && reply.status != 503 && reply.status != 504) return std::nullopt;
  if (const std::string* header = reply.FindHeader("Retry-After")) return ParseRetryAfter(*header);
  const Result<api::ApiStatus> status = api::ParseApiStatus(reply.body);
  return status.ok() ? RetryAfter(*status) : std::nullopt;
}

// A server that is busy or broken for the moment, or our credentials are; the place in the watch is
// not lost.
bool MayPass(int status) {
  return status == 401 || status == 403 || status == 408 || status == 429 || status >= 500;
}

}  // namespace

ListWatch::ListWatch(ListWatchOptions options, Transport& transport, ListWatchSink& sink,
                     ListWatchObserver& observer, const Clock& clock, UniformSource uniform)
    : options_(std::move(options)),
      transport_(transport),
      sink_(sink),
      observer_(observer),
      clock_(clock),
      uniform_(std::move(uniform)),
      backoff_(options_.backoff, uniform_) {}

ListWatch::~ListWatch() { Stop(); }

void ListWatch::Start() {
  thread_ = std::thread([this] { Run(); });
}

void ListWatch::Stop() {
  cancellation_.Cancel();
  if (thread_.joinable()) thread_.join();
}

SteadyTime ListWatch::last_heard() const {
  return SteadyTime(std::chrono::nanoseconds(last_heard_ns_.load(std::memory_order_relaxed)));
}

void ListWatch::Hear() {
  const auto now = clock_.SteadyNow().time_since_epoch();
  last_heard_ns_.store(std::chrono::nanoseconds(now).count(), std::memory_order_relaxed);
}

void ListWatch::Run() {
  Next next{Next::Step::kList, false, std::nullopt, "start"};
  while (!cancellation_.cancelled()) {
    next = next.step == Next::Step::kList ? List() : Watch();
    if (cancellation_.cancelled()) return;
    if (next.step == Next::Step::kList) {
      observer_.Relisting(options_.resource, next.reason);
    } else if (!next.reason.empty()) {
      observer_.WatchRestarted(options_.resource, next.reason);
    }
    if (next.wait && Pause(next)) return;
  }
}

bool ListWatch::Pause(const Next& next) {
  // The wait is real time, as is the network's; only stamps use the injected clock.
  return cancellation_.WaitUntil(std::chrono::steady_clock::now() +
                                 backoff_.Next(next.retry_after));
}

std::string ListWatch::Selectors() const {
  std::string query;
  if (!options_.label_selector.empty()) {
    query += "&labelSelector=" + PercentEncode(options_.label_selector);
  }
  if (!options_.field_selector.empty()) {
    query += "&fieldSelector=" + PercentEncode(options_.field_selector);
  }
  return query;
}

std::string ListWatch::ListQuery(std::string_view continue_token, int limit) const {
  std::string query = "limit=" + std::to_string(limit) + Selectors();
  if (!continue_token.empty()) query += "&continue=" + PercentEncode(continue_token);
  return query;
}

std::string ListWatch::WatchQuery(std::chrono::seconds timeout) const {
  return "watch=1&allowWatchBookmarks=true&resourceVersion=" + PercentEncode(resource_version_) +
         "&timeoutSeconds=" + std::to_string(timeout.count()) + Selectors();
}

ListWatch::Next ListWatch::List() {
  const SteadyTime started = clock_.SteadyNow();
  std::size_t objects = 0;
  std::string resource_version;
  Next next = ListPages(objects, resource_version);
  if (next.step == Next::Step::kList) return next;
  sink_.ListFinished();
  resource_version_ = std::move(resource_version);
  synced_.store(true, std::memory_order_release);
  backoff_.Reset();
  fruitless_errors_ = 0;
  observer_.Listed(options_.resource, objects, clock_.SteadyNow() - started);
  return next;
}

// No resourceVersion is asked for: the list is as new as the server's own view. An expired continue
// token comes with another that would go on from a newer version; it is not used, because objects
// that changed before that point of the list would never be told.
ListWatch::Next ListWatch::ListPages(std::size_t& objects, std::string& resource_version) {
  sink_.ListStarted();
  int limit = options_.page_limit;
  std::string continue_token;
  for (;;) {
    ApiRequest request;
    request.verb = options_.list;
    request.query = ListQuery(continue_token, limit);
    request.max_reply_bytes = options_.max_page_bytes;
    const CallResult result =
        transport_.Call(request, clock_.SteadyNow() + options_.page_timeout, &cancellation_);
    if (result.cause == CallResult::Cause::kTooLarge && limit > 1) {
      limit = std::max(1, limit / 2);
      continue;
    }
    if (result.outcome != CallResult::Outcome::kReply) {
      if (!cancellation_.cancelled()) {
        observer_.Failed(options_.resource, Unavailable("list: " + result.message));
      }
      return {Next::Step::kList, true, std::nullopt, result.message};
    }
    if (result.reply.status != 200) return AfterBadReply(result.reply, Next::Step::kList);
    const Result<ListWatchSink::Page> page = sink_.PageReceived(result.reply.body);
    if (!page.ok()) {
      observer_.Failed(options_.resource, page.status().WithContext("list"));
      return {Next::Step::kList, true, std::nullopt, "a page could not be read"};
    }
    Hear();
    objects += page->objects;
    resource_version = page->resource_version;
    continue_token = page->continue_token;
    if (cancellation_.cancelled()) return {Next::Step::kList, false, std::nullopt, ""};
    if (continue_token.empty()) return {Next::Step::kWatch, false, std::nullopt, ""};
  }
}

ListWatch::Next ListWatch::Watch() {
  const SteadyTime started = clock_.SteadyNow();
  const double spread = static_cast<double>((options_.watch_max - options_.watch_min).count());
  const std::chrono::seconds timeout =
      options_.watch_min + std::chrono::seconds(static_cast<std::int64_t>(uniform_() * spread));
  ApiRequest request;
  request.verb = options_.watch;
  request.query = WatchQuery(timeout);

  JsonStream stream(options_.max_event_bytes);
  WatchProgress progress;
  Status broken;
  const ChunkConsumer take = [&](std::string_view chunk) {
    broken = stream.Push(chunk,
                         [&](std::string_view document) { return TakeEvent(document, progress); });
    return broken.ok() && !progress.next;
  };
  // The server ends the watch; the deadline is for one that forgets to.
  const StreamLimits limits{started + timeout + options_.page_timeout, options_.silence};
  const CallResult result = transport_.Stream(request, limits, cancellation_, take);
  if (!broken.ok()) observer_.Failed(options_.resource, broken);
  return AfterWatch(result, progress, started);
}

bool ListWatch::TakeEvent(std::string_view document, WatchProgress& progress) {
  const Result<ListWatchSink::Event> event = sink_.EventReceived(document);
  if (!event.ok()) {
    // To go on would leave this object unknown for ever.
    observer_.Failed(options_.resource, event.status().WithContext("watch"));
    progress.next = Next{Next::Step::kList, true, std::nullopt, "an event could not be read"};
    return false;
  }
  Hear();
  if (event->kind == ListWatchSink::Event::Kind::kError) {
    progress.next = AfterErrorEvent(event->error);
    return false;
  }
  if (!event->resource_version.empty()) resource_version_ = event->resource_version;
  ++progress.heard;
  if (event->kind == ListWatchSink::Event::Kind::kObject) ++progress.objects;
  fruitless_errors_ = 0;
  observer_.Heard(options_.resource);
  return !cancellation_.cancelled();
}

ListWatch::Next ListWatch::AfterErrorEvent(const api::ApiStatus& error) {
  const std::string reason =
      "error event " + std::to_string(error.code) + ": " + Printable(error.message, 200);
  if (error.code == kGone || error.reason == "Expired" || error.reason == "Gone") {
    // The server is back, or was never away: what failed before it said this is over.
    backoff_.Reset();
    return {Next::Step::kList, true, std::nullopt, reason};
  }
  observer_.Failed(options_.resource, Unavailable("watch: " + reason));
  // An error that comes again and again from the same place is left behind by a new list.
  const bool hopeless = ++fruitless_errors_ >= kMaxFruitlessErrors;
  return {hopeless ? Next::Step::kList : Next::Step::kWatch, true, RetryAfter(error), reason};
}

ListWatch::Next ListWatch::AfterWatch(const CallResult& result, const WatchProgress& progress,
                                      SteadyTime started) {
  if (progress.heard > 0) backoff_.Reset();
  if (progress.next) return *progress.next;
  const bool replied = result.outcome == CallResult::Outcome::kReply;
  if (replied && result.reply.status != 200) {
    return AfterBadReply(result.reply, Next::Step::kWatch);
  }
  // A watch from a version that the server has not reached (its store was restored from a backup)
  // stays silent without an error: not even bookmarks come. A list finds out.
  const bool long_silent = progress.heard == 0 && clock_.SteadyNow() - started >= options_.silence;
  if (long_silent) return {Next::Step::kList, true, std::nullopt, "a watch without any event"};
  if (replied) {
    // The usual end, after timeoutSeconds. A server that ends every watch at once gets no busy
    // loop.
    const bool at_once = clock_.SteadyNow() - started < std::chrono::seconds(1);
    return {Next::Step::kWatch, at_once || progress.heard == 0, std::nullopt,
            "ended by the server"};
  }
  return {Next::Step::kWatch, true, std::nullopt, result.message};
}

// `step` is what was tried: it is tried again, unless the server has forgotten the place.
ListWatch::Next ListWatch::AfterBadReply(const ApiReply& reply, Next::Step step) {
  const std::string reason = Describe(reply);
  if (reply.status == kGone) {
    backoff_.Reset();
    return {Next::Step::kList, true, std::nullopt, reason};
  }
  observer_.Failed(options_.resource,
                   Unavailable((step == Next::Step::kList ? "list: " : "watch: ") + reason));
  if (!MayPass(reply.status)) step = Next::Step::kList;
  return {step, true, RetryAfter(reply), reason};
}

}  // namespace aliquot::kubeclient
