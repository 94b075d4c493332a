// SPDX-License-Identifier: Apache-2.0
#include "allocator/addresses_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "allocator/probe.h"
#include "tests/support/test_certificates.h"

namespace aliquot::allocator {
namespace {

TEST(AddressesFile, WhatIsWrittenIsRead) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.PathOf("a.json");
  ASSERT_TRUE(WriteAddressesFile(path, {"127.0.0.1:1", "[::1]:2", "127.0.0.1:3"}).ok());
  const auto addresses = ReadAddressesFile(path);
  ASSERT_TRUE(addresses.ok()) << addresses.status().message();
  EXPECT_EQ(addresses->extender, "127.0.0.1:1");
  EXPECT_EQ(addresses->admission, "[::1]:2");
  EXPECT_EQ(addresses->monitor, "127.0.0.1:3");
  EXPECT_FALSE(std::filesystem::exists(path + ".new")) << "nothing is left beside it";
}

TEST(AddressesFile, SaysWhyItCannotBeWritten) {
  const Status status = WriteAddressesFile("/nonexistent/a.json", {});
  EXPECT_EQ(status.message(),
            "addressesFile \"/nonexistent/a.json\" cannot be written (No such file or directory); "
            "give a path in a writable directory");
}

TEST(AddressesFile, RefusesWhatIsNoAddressesFile) {
  const test::TemporaryDirectory directory;
  for (const char* text : {"", "{", "[]", "{}", "{\"extender\":\"a\",\"admission\":\"b\"}",
                           "{\"extender\":\"a\",\"admission\":\"b\",\"monitor\":3}"}) {
    EXPECT_FALSE(ReadAddressesFile(directory.Write("a.json", text)).ok()) << text;
  }
  EXPECT_FALSE(ReadAddressesFile(directory.PathOf("none")).ok());
}

TEST(MonitorAddress, ComesFromTheConfigurationUnlessThePortIsFree) {
  Configuration configuration;
  EXPECT_EQ(*MonitorAddress(configuration), "127.0.0.1:8080");
  configuration.listen.monitor = "127.0.0.1:0";
  EXPECT_EQ(MonitorAddress(configuration).status().message(),
            "listen.monitor has port 0, so only the allocator knows its port; give addressesFile "
            "too");
  const test::TemporaryDirectory directory;
  configuration.addresses_file = directory.PathOf("a.json");
  EXPECT_FALSE(MonitorAddress(configuration).ok());
  ASSERT_TRUE(WriteAddressesFile(configuration.addresses_file, {"e", "a", "127.0.0.1:77"}).ok());
  EXPECT_EQ(*MonitorAddress(configuration), "127.0.0.1:77");
}

}  // namespace
}  // namespace aliquot::allocator
