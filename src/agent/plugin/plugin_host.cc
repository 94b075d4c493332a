// SPDX-License-Identifier: Apache-2.0
#include "agent/plugin/plugin_host.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <thread>
#include <utility>

#include "agent/plugin/advertised_devices.h"
#include "agent/plugin/directory_watch.h"
#include "agent/plugin/grpc_channel.h"
#include "agent/plugin/plugin_socket.h"
#include "agent/plugin/served_resource.h"
#include "base/mutex.h"
#include "kubeclient/cancellation.h"

namespace aliquot::agent {
namespace {

constexpr std::string_view kComponent = "plugin";

// A descriptor that becomes readable when any thread asks for it.
class WakeUp {
 public:
  WakeUp() : descriptor_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}
  ~WakeUp() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;

  int descriptor() const { return descriptor_; }
  void Ask() {
    const std::uint64_t one = 1;
    // It fails only when 2^64-1 requests wait: then it is readable anyhow.
    [[maybe_unused]] const ssize_t written = ::write(descriptor_, &one, sizeof(one));
  }
  void Clear() {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t read = ::read(descriptor_, &count, sizeof(count));
  }

 private:
  const int descriptor_;
};

}  // namespace

class PluginHost::Impl {
 public:
  Impl(PluginHostOptions options, ContainerDesk& desk, observability::Log& log)
      : options_(std::move(options)),
        log_(log),
        core_(
            {options_.core_resource, std::string(kCoreIdPrefix), "core", &desk}, options_,
            [this] { wake_up_.Ask(); }, log),
        memory_(
            {options_.memory_resource, std::string(kMemoryIdPrefix), "memory", nullptr}, options_,
            [this] { wake_up_.Ask(); }, log) {}

  ~Impl() { Stop(); }

  void Start() {
    SilenceGrpcLog();
    thread_ = std::thread([this] { Run(); });
  }

  void Stop() {
    cancellation_.Cancel();
    wake_up_.Ask();
    if (thread_.joinable()) thread_.join();
  }

  void SetDevices(std::vector<AdvertisedDevice> core, std::vector<AdvertisedDevice> memory) {
    core_.SetDevices(std::move(core));
    memory_.SetDevices(std::move(memory));
    wake_up_.Ask();
  }

  void RegisterAgain(const std::string& reason) {
    core_.RegisterAgain(reason);
    memory_.RegisterAgain(reason);
    wake_up_.Ask();
  }

  PluginState State() const {
    PluginState state;
    {
      MutexLock lock(mutex_);
      state.directory_problem = directory_problem_;
      state.kubelet_present = kubelet_present_;
    }
    state.core = core_.state();
    state.memory = memory_.state();
    return state;
  }

 private:
  void Run() {
    const int dead = RemoveDeadPluginSockets(options_.directory);
    if (dead > 0) {
      log_.Info(kComponent, "removed sockets that an agent left behind", {{"sockets", dead}});
    }
    while (!cancellation_.cancelled()) {
      wake_up_.Clear();
      LookAtDirectory();
      SteadyTime next = core_.Step(cancellation_);
      next = std::min(next, memory_.Step(cancellation_));
      WaitUntil(next);
    }
    core_.Close();
    memory_.Close();
  }

  // Watches before it looks, so that no change falls between.
  void LookAtDirectory() {
    if (watch_) watch_->Drain();
    if (watch_ && !watch_->Current()) watch_.reset();
    Status status =
        CheckSocketDirectory(options_.directory, PluginSocketName("memory", "00000000"));
    if (status.ok() && !watch_) {
      Result<DirectoryWatch> watch = DirectoryWatch::Open(options_.directory);
      if (watch.ok()) {
        watch_.emplace(std::move(*watch));
      } else {
        status = watch.status();
      }
    }
    const bool kubelet =
        FindSocket(options_.directory + "/" + std::string(kKubeletSocketName)).has_value();
    bool changed = false;
    {
      MutexLock lock(mutex_);
      kubelet_present_ = kubelet;
      changed = directory_problem_ != status.message();
      directory_problem_ = status.message();
    }
    if (!changed) return;
    if (status.ok()) {
      log_.Info(kComponent, "the kubelet's directory is watched",
                {{"directory", options_.directory}});
    } else {
      log_.Warn(kComponent, "the kubelet's directory cannot be used or watched; looking again",
                {{"error", status.message()}});
    }
  }

  void WaitUntil(SteadyTime next) {
    const SteadyTime now = std::chrono::steady_clock::now();
    if (!watch_) next = std::min(next, now + options_.look_interval);
    // Rounded up: poll counts milliseconds, and must not wake just before the time.
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(next - now);
    std::array<pollfd, 2> descriptors{
        {{wake_up_.descriptor(), POLLIN, 0}, {watch_ ? watch_->descriptor() : -1, POLLIN, 0}}};
    ::poll(descriptors.data(), descriptors.size(),
           static_cast<int>(std::max<std::int64_t>(wait.count(), 0)));
  }

  const PluginHostOptions options_;
  observability::Log& log_;
  WakeUp wake_up_;
  kubeclient::Cancellation cancellation_;
  ServedResource core_;
  ServedResource memory_;
  std::optional<DirectoryWatch> watch_;  // of the thread
  mutable Mutex mutex_;
  std::string directory_problem_ GUARDED_BY(mutex_);
  bool kubelet_present_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

PluginHost::PluginHost(PluginHostOptions options, ContainerDesk& desk, observability::Log& log)
    : impl_(std::make_unique<Impl>(std::move(options), desk, log)) {}
PluginHost::~PluginHost() = default;
void PluginHost::Start() { impl_->Start(); }
void PluginHost::Stop() { impl_->Stop(); }
void PluginHost::SetDevices(std::vector<AdvertisedDevice> core,
                            std::vector<AdvertisedDevice> memory) {
  impl_->SetDevices(std::move(core), std::move(memory));
}
void PluginHost::RegisterAgain(const std::string& reason) { impl_->RegisterAgain(reason); }
PluginState PluginHost::State() const { return impl_->State(); }

}  // namespace aliquot::agent
