// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

namespace aliquot::bench {

struct Endpoint {
  std::string host;
  int port = 0;
  std::string ca_file;
  std::string cert_file;
  std::string key_file;
};

struct TimedReply {
  int status = 0;
  std::string body;
  double client_us = 0;  // call to last reply byte
  double server_us = 0;  // from the Server-Timing header; 0 without one
};

// One keep-alive HTTPS connection with a client certificate. Not thread-safe. Exits the program
// when the connection fails: a benchmark with failed calls has no result.
class HttpsClient {
 public:
  explicit HttpsClient(const Endpoint& endpoint);
  ~HttpsClient();
  TimedReply Post(const std::string& path, const std::string& body);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace aliquot::bench
