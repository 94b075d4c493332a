// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "allocator/application.h"
#include "base/clock.h"
#include "observability/json_log.h"
#include "tests/integration/http_test_client.h"
#include "tests/support/eventually.h"
#include "tests/support/test_certificates.h"

namespace aliquot::allocator {

using Json = nlohmann::json;

using test::Eventually;

// The whole allocator in this process, on free ports with certificates of its own.
class AllocatorTest : public testing::Test {
 protected:
  AllocatorTest();
  ~AllocatorTest() override;

  // Two nodes a-0, a-1 of four linked cards of 16 GiB, and what `more` adds (nodes, pods).
  void UseCluster(const std::string& more = "");
  // Starts and returns at once; StartReady waits until /readyz says so.
  void Start();
  void StartReady();

  test::HttpTestClient Extender() const;
  test::HttpTestClient Admission() const;
  // Status and body of a GET on the monitor.
  test::HttpReply Monitor(const std::string& target) const;
  Json MonitorJson(const std::string& target) const;

  // The answers of single requests on fresh connections; anything but 200 fails the test.
  Json Filter(const Json& pod, const std::vector<std::string>& nodes) const;
  Json Prioritize(const Json& pod, const std::vector<std::string>& nodes) const;
  // The `Error` of a bind.
  std::string Bind(const std::string& pod, const std::string& node) const;
  Json Review(const std::string& path, const Json& request) const;

  // An AdmissionReview request for a CREATE.
  static Json CreateReview(const std::string& resource, const std::string& subresource,
                           const Json& object, bool dry_run = false);
  // A pod of namespace "default" with the UID "uid-default-<name>" and one container.
  static Json PodJson(const std::string& name, int core, int memory);
  static Json BindingJson(const std::string& pod, const std::string& node);
  // The RFC 6902 patch of an allowed review; null when there is none.
  static Json PatchOf(const Json& response);

  Configuration configuration_;
  test::CertificateAuthority authority_;
  test::TemporaryDirectory directory_;
  test::KeyPair scheduler_;
  RealClock clock_;
  std::unique_ptr<observability::JsonLog> log_;
  std::unique_ptr<Application> application_;

 private:
  Json PostJson(test::HttpTestClient client, const std::string& path, const Json& body) const;
};

}  // namespace aliquot::allocator
