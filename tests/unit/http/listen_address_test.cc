// SPDX-License-Identifier: Apache-2.0
#include "http/listen_address.h"

#include <gtest/gtest.h>

#include <string>

namespace aliquot::http {
namespace {

TEST(ListenAddress, AcceptsEveryDocumentedForm) {
  struct Case {
    std::string text;
    std::string host;
    int port;
  };
  const Case cases[] = {
      {"127.0.0.1:8080", "127.0.0.1", 8080},
      {":8443", "", 8443},
      {"[::]:8443", "::", 8443},
      {"[fe80::1%eth0]:1", "fe80::1%eth0", 1},
      {"localhost:0", "localhost", 0},
      {"0.0.0.0:65535", "0.0.0.0", 65535},
  };
  for (const Case& c : cases) {
    const Result<ListenAddress> parsed = ParseListenAddress(c.text);
    ASSERT_TRUE(parsed.ok()) << c.text << ": " << parsed.status().message();
    EXPECT_EQ(parsed->host, c.host) << c.text;
    EXPECT_EQ(parsed->port, c.port) << c.text;
  }
}

TEST(ListenAddress, RefusesWithOneSentenceThatNamesTheValueAndTheForms) {
  for (const std::string text : {"", "8443", "host", "host:", "host:65536", "host:-1", "host:8x",
                                 "::1:8443", "[::1]", "[host]:1", "[::1:8443", "a]b:1"}) {
    const Result<ListenAddress> parsed = ParseListenAddress(text);
    ASSERT_FALSE(parsed.ok()) << text;
    const std::string message = parsed.status().message();
    EXPECT_NE(message.find("'" + text + "'"), std::string::npos) << message;
    EXPECT_NE(message.find("write host:port"), std::string::npos) << message;
  }
}

TEST(ListenAddress, FormatPutsBracketsAroundIpv6Only) {
  EXPECT_EQ(FormatHostPort("::1", 8443), "[::1]:8443");
  EXPECT_EQ(FormatHostPort("127.0.0.1", 1), "127.0.0.1:1");
}

}  // namespace
}  // namespace aliquot::http
