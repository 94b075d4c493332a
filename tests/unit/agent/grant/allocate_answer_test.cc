// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/allocate_answer.h"

#include <gtest/gtest.h>

namespace aliquot::agent {
namespace {

constexpr char kName[] = "g0547201a83ca699d429ef379385cdce8";  // of c0 and c1

std::string Text(const ContainerEdits& edits) {
  std::string text;
  for (const auto& [name, value] : edits.environment) {
    text += "env " + name + "=" + value + "\n";
  }
  for (const auto& device : edits.devices) {
    text += "device " + device.host_path + " " + device.container_path + " " + device.permissions +
            "\n";
  }
  for (const auto& mount : edits.mounts) {
    text += "mount " + mount.host_path + " " + mount.container_path +
            (mount.read_only ? " ro\n" : " rw\n");
  }
  for (const std::string& device : edits.cdi_devices) {
    text += "cdi " + device + "\n";
  }
  return text;
}

TEST(ContainerEditsFor, DevdirNamesTheGrantsDirectoryAsDev) {
  EditOptions options;
  options.library = true;
  const std::string grant = "/run/aliquot/grants/" + std::string(kName);
  EXPECT_EQ(Text(ContainerEditsFor({"c1", "c0"}, options)),
            "env CUDA_DEVICE_ORDER=PCI_BUS_ID\n"
            "env NVIDIA_VISIBLE_DEVICES=void\n"
            "device " +
                grant +
                "/dev /dev rw\n"
                "mount " +
                grant +
                "/limits /run/aliquot/limits ro\n"
                "mount /run/aliquot/usage/" +
                kName +
                "/region /run/aliquot/usage rw\n"
                "mount " +
                grant +
                "/driver /usr/local/nvidia ro\n"
                "mount " +
                grant +
                "/library /usr/local/aliquot ro\n"
                "mount " +
                grant + "/preload/ld.so.preload /etc/ld.so.preload ro\n");
}

TEST(ContainerEditsFor, WithoutMirrorAndLibraryNothingOfThemIsMounted) {
  EditOptions options;
  options.driver = DriverDelivery::Way::kNone;
  const auto edits = ContainerEditsFor({"c0", "c1"}, options);
  ASSERT_EQ(edits.mounts.size(), 2u);
  EXPECT_EQ(edits.mounts[0].container_path, "/run/aliquot/limits");
  EXPECT_EQ(edits.mounts[1].container_path, "/run/aliquot/usage");
}

TEST(ContainerEditsFor, CdiNamesTheSpecificationOnly) {
  EditOptions options;
  options.mode = GrantMode::kCdi;
  options.library = true;
  EXPECT_EQ(Text(ContainerEditsFor({"c0", "c1"}, options)),
            "env CUDA_DEVICE_ORDER=PCI_BUS_ID\n"
            "env NVIDIA_VISIBLE_DEVICES=void\n"
            "cdi aliquot.io/grant=" +
                std::string(kName) + "\n");
}

TEST(ContainerEditsFor, DependsOnTheSetOfIdsAlone) {
  EXPECT_EQ(Text(ContainerEditsFor({"c0", "c1"}, {})), Text(ContainerEditsFor({"c1", "c0"}, {})));
  EXPECT_NE(Text(ContainerEditsFor({"c0", "c1"}, {})), Text(ContainerEditsFor({"c0", "c2"}, {})));
}

}  // namespace
}  // namespace aliquot::agent
