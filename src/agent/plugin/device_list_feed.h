// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/support/server_callback.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "agent/plugin/container_desk.h"
#include "deviceplugin/v1beta1/api.pb.h"

namespace aliquot::agent {

// The ListAndWatch streams of one resource, and the list that they send: at once when a stream
// begins, then at every change, each time the full list. A slow reader holds no thread and delays
// no other stream; it is next sent what is newest then. Outlives the servers whose calls it
// answers. Thread-safe: its streams are driven by gRPC's threads.
class DeviceListFeed {
 public:
  // `on_change` is called after a stream began or ended, from any thread, under no lock.
  explicit DeviceListFeed(std::function<void()> on_change);
  ~DeviceListFeed();
  DeviceListFeed(const DeviceListFeed&) = delete;
  DeviceListFeed& operator=(const DeviceListFeed&) = delete;

  // A list equal to the one before is not sent again.
  void Publish(std::vector<AdvertisedDevice> devices);
  // Was there a list at all?
  bool has_list() const;
  // The most devices that were ever in the list: IDs below it may be held by containers.
  std::int64_t ever_advertised() const;
  std::int64_t advertised() const;  // now
  std::int64_t healthy() const;     // of these

  // A feed is closed until it is opened. Close ends every stream and refuses new ones.
  void Open();
  void Close();
  int streams() const;

  // Answers one ListAndWatch call; gRPC owns the calls, the reactor deletes itself.
  grpc::ServerWriteReactor<v1beta1::ListAndWatchResponse>* NewStream();

 private:
  class Stream;
  struct State;
  // Shared with the streams, which may end after the feed.
  std::shared_ptr<State> state_;
};

}  // namespace aliquot::agent
