// SPDX-License-Identifier: Apache-2.0
// What signing and verifying a pod's record costs, in process, for the smallest and the largest
// record: one share, and 16 containers of 16 cards each. Prints {"rows":[...]}
// (docs/reference/bench.md). Makes a key of its own in a temporary directory.
#include <chrono>
#include <exception>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "api/allocation_codec.h"
#include "bench/percentiles.h"
#include "signing/signer.h"
#include "signing/verifier.h"
#include "tests/support/test_certificates.h"
#include "tests/support/test_keys.h"

namespace aliquot::bench {
namespace {

constexpr int kRuns = 5000;

std::string RecordOf(int containers, int cards) {
  model::Allocation allocation;
  allocation.uid = "6f0c5c3e-8f1e-4d5a-9a39-0b0f6a2c7f11";
  allocation.node = "dgx-0";
  for (int c = 0; c < containers; ++c) {
    model::AllocatedContainer container;
    container.name = "server-" + std::to_string(c);
    container.isolation = "auto";
    for (int i = 0; i < cards; ++i) {
      container.cards.push_back(
          {"GPU-6d5f1bd4-4e1a-4c53-a6ba-2f1f4ef0a0" + std::to_string(10 + i), 20, 3840});
    }
    allocation.containers.push_back(container);
  }
  return api::FormatAllocation(allocation);
}

Percentiles Time(const std::function<bool()>& call) {
  Percentiles percentiles;
  for (int i = 0; i < kRuns; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const bool good = call();
    const auto end = std::chrono::steady_clock::now();
    if (!good) {
      throw std::runtime_error("a signature was not made or not verified");
    }
    percentiles.Add(std::chrono::duration<double, std::micro>(end - start).count());
  }
  return percentiles;
}

nlohmann::json RowsOf(const std::string& name, const Percentiles& measured) {
  nlohmann::json rows = nlohmann::json::array();
  for (const double fraction : {0.5, 0.99}) {
    rows.push_back({{"name", name + (fraction < 0.9 ? ", p50" : ", p99")},
                    {"value", measured.At(fraction)},
                    {"unit", "us"},
                    {"baseline", nullptr},
                    {"target", nullptr}});
  }
  return rows;
}

void Measure() {
  const test::TemporaryDirectory directory;
  const test::KeyTexts key = test::NewKey();
  signing::Signer signer(directory.Write("key.pem", key.private_key));
  signing::Verifier verifier({directory.Write("public.pem", key.public_key)});
  if (!signer.Refresh().ok() || !verifier.Refresh().ok()) {
    throw std::runtime_error("the key files cannot be read");
  }
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& [containers, cards] : {std::pair(1, 1), std::pair(16, 16)}) {
    const std::string record = RecordOf(containers, cards);
    const std::string of = " a record of " + std::to_string(record.size()) + " bytes";
    const std::string signature = *signer.Sign(record);
    for (const auto& row : RowsOf("sign" + of, Time([&] { return signer.Sign(record).ok(); }))) {
      rows.push_back(row);
    }
    for (const auto& row :
         RowsOf("verify" + of, Time([&] { return verifier.Verify(record, signature).ok(); }))) {
      rows.push_back(row);
    }
  }
  std::cout << nlohmann::json{{"rows", rows}}.dump(1) << '\n';
}

}  // namespace
}  // namespace aliquot::bench

int main() {
  try {
    aliquot::bench::Measure();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "signing_bench: " << error.what() << '\n';
    return 1;
  }
}
