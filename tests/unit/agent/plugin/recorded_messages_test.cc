// SPDX-License-Identifier: Apache-2.0
// Our .proto files against messages that a real kubelet sent and accepted: read, compared field by
// field, and built again from the fields that we know to the same bytes, so that none is unknown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "deviceplugin/v1beta1/api.pb.h"
#include "podresources/v1/api.pb.h"

namespace aliquot::agent {
namespace {

using ::testing::ElementsAre;

std::string Recorded(const std::string& name) {
  std::ifstream file(std::string(ALIQUOT_SOURCE_DIR) + "/tests/data/recorded/kubelet-messages/" +
                     name + ".pb");
  EXPECT_TRUE(file.is_open()) << name;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

template <typename Message>
Message Read(const std::string& name) {
  Message message;
  const std::string bytes = Recorded(name);
  EXPECT_TRUE(message.ParseFromString(bytes)) << name;
  EXPECT_EQ(message.SerializeAsString(), bytes) << name;
  return message;
}

TEST(RecordedMessagesTest, RegisterRequest) {
  const auto message = Read<v1beta1::RegisterRequest>("001-sent-v1beta1.RegisterRequest");
  EXPECT_EQ(message.version(), "v1beta1");
  EXPECT_EQ(message.endpoint(), "vcuda-core-12945-1.sock");
  EXPECT_EQ(message.resource_name(), "tencent.com/vcuda-core");
  EXPECT_TRUE(message.options().pre_start_required());
  EXPECT_TRUE(message.options().get_preferred_allocation_available());
  v1beta1::RegisterRequest again;
  again.set_version("v1beta1");
  again.set_endpoint("vcuda-core-12945-1.sock");
  again.set_resource_name("tencent.com/vcuda-core");
  again.mutable_options()->set_pre_start_required(true);
  again.mutable_options()->set_get_preferred_allocation_available(true);
  EXPECT_EQ(again.SerializeAsString(), message.SerializeAsString());
  EXPECT_EQ(Read<v1beta1::RegisterRequest>("007-sent-v1beta1.RegisterRequest").resource_name(),
            "tencent.com/vcuda-memory");
}

TEST(RecordedMessagesTest, DevicePluginOptions) {
  const auto message = Read<v1beta1::DevicePluginOptions>("003-sent-v1beta1.DevicePluginOptions");
  EXPECT_TRUE(message.pre_start_required());
}

TEST(RecordedMessagesTest, ListAndWatchResponse) {
  const auto message = Read<v1beta1::ListAndWatchResponse>("005-sent-v1beta1.ListAndWatchResponse");
  ASSERT_EQ(message.devices_size(), 100);
  EXPECT_EQ(message.devices(7).id(), "core-007");
  EXPECT_EQ(message.devices(7).health(), "Healthy");
  v1beta1::ListAndWatchResponse again;
  for (const v1beta1::Device& device : message.devices()) {
    v1beta1::Device* added = again.add_devices();
    added->set_id(device.id());
    added->set_health(device.health());
  }
  EXPECT_EQ(again.SerializeAsString(), message.SerializeAsString());
}

TEST(RecordedMessagesTest, PreferredAllocation) {
  const auto request =
      Read<v1beta1::PreferredAllocationRequest>("013-recv-v1beta1.PreferredAllocationRequest");
  ASSERT_EQ(request.container_requests_size(), 1);
  EXPECT_EQ(request.container_requests(0).available_deviceids_size(), 100);
  EXPECT_EQ(request.container_requests(0).allocation_size(), 3);
  const auto response =
      Read<v1beta1::PreferredAllocationResponse>("014-sent-v1beta1.PreferredAllocationResponse");
  EXPECT_THAT(response.container_responses(0).deviceids(),
              ElementsAre("core-000", "core-001", "core-002"));
}

TEST(RecordedMessagesTest, Allocate) {
  const auto request = Read<v1beta1::AllocateRequest>("015-recv-v1beta1.AllocateRequest");
  ASSERT_EQ(request.container_requests_size(), 1);
  EXPECT_THAT(request.container_requests(0).devices_ids(),
              ElementsAre("core-002", "core-000", "core-001"));
  const auto response = Read<v1beta1::AllocateResponse>("016-sent-v1beta1.AllocateResponse");
  ASSERT_EQ(response.container_responses_size(), 1);
  const v1beta1::ContainerAllocateResponse& answer = response.container_responses(0);
  EXPECT_EQ(answer.envs().at("VCUDA_CORE"), "3");
  EXPECT_EQ(answer.mounts(0).container_path(), "/etc/vcuda");
  EXPECT_EQ(answer.mounts(0).host_path(), "/var/lib/vcuda/f26c5edcbc2afd67");
  EXPECT_TRUE(answer.mounts(0).read_only());
  EXPECT_EQ(answer.devices(0).container_path(), "/dev/fakegpu0");
  EXPECT_EQ(answer.devices(0).host_path(), "/dev/zero");
  EXPECT_EQ(answer.devices(0).permissions(), "rw");
  EXPECT_EQ(answer.annotations().at("example.org/alloc-core"), "f26c5edcbc2afd67");
  EXPECT_EQ(answer.cdi_devices(0).name(), "example.org/gpu=fake0");
  v1beta1::AllocateResponse again;
  v1beta1::ContainerAllocateResponse* container = again.add_container_responses();
  (*container->mutable_envs())["VCUDA_CORE"] = "3";
  v1beta1::Mount* mount = container->add_mounts();
  mount->set_container_path("/etc/vcuda");
  mount->set_host_path("/var/lib/vcuda/f26c5edcbc2afd67");
  mount->set_read_only(true);
  v1beta1::DeviceSpec* device = container->add_devices();
  device->set_container_path("/dev/fakegpu0");
  device->set_host_path("/dev/zero");
  device->set_permissions("rw");
  (*container->mutable_annotations())["example.org/alloc-core"] = "f26c5edcbc2afd67";
  container->add_cdi_devices()->set_name("example.org/gpu=fake0");
  EXPECT_EQ(again.SerializeAsString(), response.SerializeAsString());
}

TEST(RecordedMessagesTest, PreStartContainer) {
  EXPECT_THAT(Read<v1beta1::PreStartContainerRequest>("029-recv-v1beta1.PreStartContainerRequest")
                  .devices_ids(),
              ElementsAre("core-002", "core-000", "core-001"));
}

TEST(RecordedMessagesTest, PodResourcesHasOneEntryForEachId) {
  const auto message = Read<v1::ListPodResourcesResponse>("031-recv-v1.ListPodResourcesResponse");
  ASSERT_EQ(message.pod_resources_size(), 1);
  const v1::PodResources& pod = message.pod_resources(0);
  EXPECT_EQ(pod.name(), "fix");
  EXPECT_EQ(pod.namespace_(), "default");
  ASSERT_EQ(pod.containers_size(), 2);
  EXPECT_EQ(pod.containers(0).name(), "a");
  ASSERT_EQ(pod.containers(0).devices_size(), 5);
  EXPECT_EQ(pod.containers(0).devices(2).resource_name(), "tencent.com/vcuda-core");
  EXPECT_THAT(pod.containers(0).devices(2).device_ids(), ElementsAre("core-002"));
  v1::ListPodResourcesResponse again;
  v1::PodResources* pod_again = again.add_pod_resources();
  pod_again->set_name("fix");
  pod_again->set_namespace_("default");
  for (const v1::ContainerResources& container : pod.containers()) {
    v1::ContainerResources* container_again = pod_again->add_containers();
    container_again->set_name(container.name());
    for (const v1::ContainerDevices& devices : container.devices()) {
      v1::ContainerDevices* devices_again = container_again->add_devices();
      devices_again->set_resource_name(devices.resource_name());
      for (const std::string& id : devices.device_ids()) devices_again->add_device_ids(id);
    }
  }
  EXPECT_EQ(again.SerializeAsString(), message.SerializeAsString());
}

}  // namespace
}  // namespace aliquot::agent
