// SPDX-License-Identifier: Apache-2.0
#include "bench/https_client.h"

#include <httplib.h>

#include <chrono>
#include <cstdlib>
#include <iostream>

namespace aliquot::bench {

class HttpsClient::Impl {
 public:
  explicit Impl(const Endpoint& endpoint)
      : client(endpoint.host, endpoint.port, endpoint.cert_file, endpoint.key_file) {
    client.set_ca_cert_path(endpoint.ca_file.c_str());
    client.enable_server_certificate_verification(true);
    client.set_keep_alive(true);
    client.set_tcp_nodelay(true);
    client.set_read_timeout(30);
  }
  httplib::SSLClient client;
};

HttpsClient::HttpsClient(const Endpoint& endpoint) : impl_(std::make_unique<Impl>(endpoint)) {}
HttpsClient::~HttpsClient() = default;

TimedReply HttpsClient::Post(const std::string& path, const std::string& body) {
  const auto start = std::chrono::steady_clock::now();
  const auto reply = impl_->client.Post(path.c_str(), body, "application/json");
  const auto end = std::chrono::steady_clock::now();
  if (!reply) {
    std::cerr << "POST " << path << " failed: " << httplib::to_string(reply.error()) << "\n";
    std::exit(1);
  }
  TimedReply timed;
  timed.status = reply->status;
  timed.body = reply->body;
  timed.client_us = std::chrono::duration<double, std::micro>(end - start).count();
  const std::string timing = reply->get_header_value("Server-Timing");
  const std::size_t at = timing.find("dur=");
  if (at != std::string::npos) {
    timed.server_us = std::atof(timing.c_str() + at + 4) * 1000;  // the header is in milliseconds
  }
  return timed;
}

}  // namespace aliquot::bench
