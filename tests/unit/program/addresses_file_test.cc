// SPDX-License-Identifier: Apache-2.0
#include "program/addresses_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "program/probe.h"
#include "tests/support/test_certificates.h"

namespace aliquot::program {
namespace {

TEST(AddressesFile, WhatIsWrittenIsReadByName) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.PathOf("a.json");
  ASSERT_TRUE(WriteAddressesFile(path, {{"extender", "127.0.0.1:1"}, {"monitor", "[::1]:2"}}).ok());
  EXPECT_EQ(*ReadAddress(path, "extender"), "127.0.0.1:1");
  EXPECT_EQ(*ReadAddress(path, "monitor"), "[::1]:2");
  EXPECT_FALSE(std::filesystem::exists(path + ".new")) << "nothing is left beside it";
}

TEST(AddressesFile, HasTheListenersInTheOrderGiven) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.PathOf("a.json");
  ASSERT_TRUE(WriteAddressesFile(path, {{"b", "1"}, {"a", "2"}}).ok());
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), "{\"b\":\"1\",\"a\":\"2\"}\n");
}

TEST(AddressesFile, SaysWhyItCannotBeWritten) {
  const Status status = WriteAddressesFile("/nonexistent/a.json", {});
  EXPECT_EQ(status.message(),
            "addressesFile \"/nonexistent/a.json\" cannot be written (No such file or directory); "
            "give a path in a writable directory");
}

TEST(AddressesFile, RefusesWhatIsNoAddressesFile) {
  const test::TemporaryDirectory directory;
  for (const char* text : {"", "{", "[]", "{}", "{\"extender\":\"a\"}", "{\"monitor\":3}"}) {
    EXPECT_FALSE(ReadAddress(directory.Write("a.json", text), "monitor").ok()) << text;
  }
  EXPECT_EQ(ReadAddress("/nonexistent/a.json", "monitor").status().message(),
            "addressesFile \"/nonexistent/a.json\" names no monitor address; is the program "
            "running with this file?");
}

TEST(MonitorAddress, ComesFromTheConfigurationUnlessThePortIsFree) {
  EXPECT_EQ(*MonitorAddress("127.0.0.1:8080", ""), "127.0.0.1:8080");
  EXPECT_EQ(MonitorAddress("127.0.0.1:0", "").status().message(),
            "listen.monitor has port 0, so only the running program knows its port; give "
            "addressesFile too");
  const test::TemporaryDirectory directory;
  const std::string path = directory.PathOf("a.json");
  EXPECT_FALSE(MonitorAddress("127.0.0.1:0", path).ok());
  ASSERT_TRUE(WriteAddressesFile(path, {{"extender", "e"}, {"monitor", "127.0.0.1:77"}}).ok());
  EXPECT_EQ(*MonitorAddress("127.0.0.1:0", path), "127.0.0.1:77");
}

}  // namespace
}  // namespace aliquot::program
