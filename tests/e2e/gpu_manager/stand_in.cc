// SPDX-License-Identifier: Apache-2.0
// What a kubelet sees of gpu-manager: its two resources on its two sockets, and answers that hand
// out a card's node. For tests only: it is not told which containers have ended, so when all cards
// seem full it begins its books anew.
//
//   gpu_manager_stand_in PLUGIN_DIRECTORY CARDS MEMORY_UNITS_OF_A_CARD
//
// As gpu-manager does: the IDs say nothing of a card, the card is the fullest one with room, core
// answers with nodes below /dev and memory with nothing. Ends with SIGTERM, taking its sockets
// away.
#include <grpcpp/create_channel.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "deviceplugin/v1beta1/api.grpc.pb.h"

namespace {

constexpr const char* kCore = "tencent.com/vcuda-core";
constexpr const char* kMemory = "tencent.com/vcuda-memory";
constexpr int kPercent = 100;

std::atomic<bool> ending{false};

// Free percent of each card.
class Cards {
 public:
  explicit Cards(int count) : free_(static_cast<std::size_t>(count), kPercent) {}

  // The minors for a request, or none: the fullest card with room for a share, untouched cards for
  // whole ones.
  std::vector<std::size_t> Take(int core) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::size_t> taken = Choose(core);
    if (taken.empty()) {
      std::fill(free_.begin(), free_.end(), kPercent);
      taken = Choose(core);
    }
    return taken;
  }

 private:
  std::vector<std::size_t> Choose(int core) {
    const int each = core < kPercent ? core : kPercent;
    std::vector<std::size_t> taken;
    for (int left = core < kPercent ? 1 : core / kPercent; left > 0; --left) {
      std::size_t best = free_.size();
      for (std::size_t minor = 0; minor < free_.size(); ++minor) {
        if (free_[minor] >= each && (best == free_.size() || free_[minor] < free_[best])) {
          best = minor;
        }
      }
      if (best == free_.size()) return {};
      free_[best] -= each;
      taken.push_back(best);
    }
    return taken;
  }

  std::mutex mutex_;
  std::vector<int> free_;
};

void AddNode(v1beta1::ContainerAllocateResponse& answer, const std::string& path) {
  v1beta1::DeviceSpec& device = *answer.add_devices();
  device.set_container_path(path);
  device.set_host_path(path);
  device.set_permissions("rwm");
}

class Plugin final : public v1beta1::DevicePlugin::Service {
 public:
  Plugin(const char* resource, int devices, Cards* cards)
      : resource_(resource), devices_(devices), cards_(cards) {}

  grpc::Status GetDevicePluginOptions(grpc::ServerContext*, const v1beta1::Empty*,
                                      v1beta1::DevicePluginOptions*) override {
    return grpc::Status::OK;
  }

  grpc::Status ListAndWatch(grpc::ServerContext* context, const v1beta1::Empty*,
                            grpc::ServerWriter<v1beta1::ListAndWatchResponse>* writer) override {
    v1beta1::ListAndWatchResponse list;
    for (int index = 0; index < devices_; ++index) {
      v1beta1::Device& device = *list.add_devices();
      device.set_id(std::string(resource_) + "-" + std::to_string(index));
      device.set_health("Healthy");
    }
    writer->Write(list);
    while (!ending && !context->IsCancelled()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return grpc::Status::OK;
  }

  grpc::Status Allocate(grpc::ServerContext*, const v1beta1::AllocateRequest* request,
                        v1beta1::AllocateResponse* response) override {
    for (const v1beta1::ContainerAllocateRequest& each : request->container_requests()) {
      v1beta1::ContainerAllocateResponse& answer = *response->add_container_responses();
      if (cards_ == nullptr) continue;
      const std::vector<std::size_t> minors = cards_->Take(each.devices_ids_size());
      if (minors.empty()) return {grpc::StatusCode::RESOURCE_EXHAUSTED, "no card has room"};
      for (const std::size_t minor : minors) AddNode(answer, "/dev/nvidia" + std::to_string(minor));
      AddNode(answer, "/dev/nvidiactl");
      (*answer.mutable_envs())["LD_LIBRARY_PATH"] = "/usr/local/nvidia/lib64";
    }
    return grpc::Status::OK;
  }

  const char* resource() const { return resource_; }

 private:
  const char* const resource_;
  const int devices_;
  Cards* const cards_;
};

std::unique_ptr<grpc::Server> Listen(const std::string& socket, Plugin& plugin) {
  std::filesystem::remove(socket);
  grpc::ServerBuilder builder;
  builder.AddListeningPort("unix:" + socket, grpc::InsecureServerCredentials());
  builder.RegisterService(&plugin);
  return builder.BuildAndStart();
}

bool Register(const std::string& directory, const std::string& endpoint, const Plugin& plugin) {
  const auto channel = grpc::CreateChannel("unix:" + directory + "/kubelet.sock",
                                           grpc::InsecureChannelCredentials());
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
  v1beta1::RegisterRequest request;
  request.set_version("v1beta1");
  request.set_endpoint(endpoint);
  request.set_resource_name(plugin.resource());
  v1beta1::Empty answer;
  const grpc::Status status =
      v1beta1::Registration::NewStub(channel)->Register(&context, request, &answer);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.error_message().c_str());
  return status.ok();
}

int Run(const std::string& directory, int count, int units) {
  Cards cards(count);
  Plugin core(kCore, kPercent * count, &cards);
  Plugin memory(kMemory, units * count, nullptr);
  const auto core_server = Listen(directory + "/vcore.sock", core);
  const auto memory_server = Listen(directory + "/vmemory.sock", memory);
  if (core_server == nullptr || memory_server == nullptr) return 1;
  if (!Register(directory, "vcore.sock", core) || !Register(directory, "vmemory.sock", memory)) {
    return 1;
  }
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  int caught = 0;
  sigwait(&signals, &caught);
  ending = true;
  const auto deadline = std::chrono::system_clock::now() + std::chrono::seconds(2);
  core_server->Shutdown(deadline);
  memory_server->Shutdown(deadline);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::fprintf(stderr, "usage: %s PLUGIN_DIRECTORY CARDS MEMORY_UNITS_OF_A_CARD\n", arguments[0]);
    return 1;
  }
  // Waited for above; every thread of gRPC's inherits the mask.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return Run(arguments[1], std::atoi(arguments[2]), std::atoi(arguments[3]));
}
