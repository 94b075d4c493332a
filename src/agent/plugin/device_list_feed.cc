// SPDX-License-Identifier: Apache-2.0
#include "agent/plugin/device_list_feed.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/mutex.h"

namespace aliquot::agent {
namespace {

using Response = v1beta1::ListAndWatchResponse;

// The kubelet opens one; a second may overlap it while the kubelet restarts.
constexpr std::size_t kMaxStreams = 16;

std::shared_ptr<const Response> ToResponse(const std::vector<AdvertisedDevice>& devices) {
  auto response = std::make_shared<Response>();
  response->mutable_devices()->Reserve(static_cast<int>(devices.size()));
  for (const AdvertisedDevice& device : devices) {
    v1beta1::Device* added = response->add_devices();
    added->set_id(device.id);
    added->set_health(device.healthy ? "Healthy" : "Unhealthy");
  }
  return response;
}

}  // namespace

// One lock for the list and all streams: what gRPC is asked to do under it only queues.
struct DeviceListFeed::State {
  explicit State(std::function<void()> changed) : on_change(std::move(changed)) {}

  const std::function<void()> on_change;
  mutable Mutex mutex;
  bool open GUARDED_BY(mutex) = false;
  std::vector<AdvertisedDevice> devices GUARDED_BY(mutex);
  std::shared_ptr<const Response> current GUARDED_BY(mutex);  // null: no list yet
  std::int64_t ever_advertised GUARDED_BY(mutex) = 0;
  std::set<Stream*> streams GUARDED_BY(mutex);

  void PumpAll() REQUIRES(mutex);
};

// gRPC allows one write at a time, and wants Finish exactly once and after the last write.
class DeviceListFeed::Stream final : public grpc::ServerWriteReactor<Response> {
 public:
  explicit Stream(std::shared_ptr<State> state) : state_(std::move(state)) {}

  void Begin() {
    {
      MutexLock lock(state_->mutex);
      if (state_->streams.size() >= kMaxStreams) {
        refused_ = true;
      } else {
        state_->streams.insert(this);
      }
      Pump();
    }
    state_->on_change();
  }

  void Pump() REQUIRES(state_->mutex) {
    if (finished_ || writing_) return;
    if (refused_ || ended_ || !state_->open) {
      finished_ = true;
      Finish(EndStatus());
      return;
    }
    if (sent_ == state_->current) return;
    sent_ = state_->current;
    writing_ = true;
    StartWrite(sent_.get());
  }

  void OnWriteDone(bool ok) override {
    MutexLock lock(state_->mutex);
    writing_ = false;
    if (!ok) ended_ = true;
    Pump();
  }

  // A write in flight then comes back as failed, and OnWriteDone finishes.
  void OnCancel() override {
    MutexLock lock(state_->mutex);
    ended_ = true;
    Pump();
  }

  void OnDone() override {
    const std::shared_ptr<State> state = state_;
    {
      MutexLock lock(state->mutex);
      state->streams.erase(this);
    }
    delete this;
    state->on_change();
  }

 private:
  grpc::Status EndStatus() const REQUIRES(state_->mutex) {
    if (refused_) {
      return grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED,
                          "more than " + std::to_string(kMaxStreams) +
                              " ListAndWatch streams are open; end one of them");
    }
    if (ended_) return grpc::Status(grpc::StatusCode::CANCELLED, "the stream was ended");
    return grpc::Status(grpc::StatusCode::UNAVAILABLE, "the plugin ends and registers anew");
  }

  const std::shared_ptr<State> state_;
  bool refused_ GUARDED_BY(state_->mutex) = false;
  bool ended_ GUARDED_BY(state_->mutex) = false;
  bool finished_ GUARDED_BY(state_->mutex) = false;
  bool writing_ GUARDED_BY(state_->mutex) = false;
  std::shared_ptr<const Response> sent_ GUARDED_BY(state_->mutex);
};

// The analysis cannot tell that a stream's state is this one.
void DeviceListFeed::State::PumpAll() NO_THREAD_SAFETY_ANALYSIS {
  for (Stream* stream : streams) stream->Pump();
}

DeviceListFeed::DeviceListFeed(std::function<void()> on_change)
    : state_(std::make_shared<State>(std::move(on_change))) {}

DeviceListFeed::~DeviceListFeed() { Close(); }

void DeviceListFeed::Publish(std::vector<AdvertisedDevice> devices) {
  std::shared_ptr<const Response> response = ToResponse(devices);
  MutexLock lock(state_->mutex);
  if (state_->current != nullptr && devices == state_->devices) return;
  state_->ever_advertised =
      std::max(state_->ever_advertised, static_cast<std::int64_t>(devices.size()));
  state_->devices = std::move(devices);
  state_->current = std::move(response);
  state_->PumpAll();
}

bool DeviceListFeed::has_list() const {
  MutexLock lock(state_->mutex);
  return state_->current != nullptr;
}

std::int64_t DeviceListFeed::ever_advertised() const {
  MutexLock lock(state_->mutex);
  return state_->ever_advertised;
}

std::int64_t DeviceListFeed::advertised() const {
  MutexLock lock(state_->mutex);
  return static_cast<std::int64_t>(state_->devices.size());
}

std::int64_t DeviceListFeed::healthy() const {
  MutexLock lock(state_->mutex);
  return std::count_if(state_->devices.begin(), state_->devices.end(),
                       [](const AdvertisedDevice& device) { return device.healthy; });
}

void DeviceListFeed::Open() {
  MutexLock lock(state_->mutex);
  state_->open = true;
}

void DeviceListFeed::Close() {
  MutexLock lock(state_->mutex);
  state_->open = false;
  state_->PumpAll();
}

int DeviceListFeed::streams() const {
  MutexLock lock(state_->mutex);
  return static_cast<int>(state_->streams.size());
}

grpc::ServerWriteReactor<Response>* DeviceListFeed::NewStream() {
  auto* stream = new Stream(state_);
  stream->Begin();
  return stream;
}

}  // namespace aliquot::agent
