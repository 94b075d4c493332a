// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/fake_api_server.h"

// A simulated API server that holds a large cluster and pages it out, for the time from start to
// ready. Writes a kubeconfig, then serves until its standard input ends.

namespace {

using Json = aliquot::test::FakeApiStore::Json;

constexpr int kCards = 8;
constexpr int kCardMib = 81920;

std::string NodeName(int node) { return "gpu-worker-pool-a-" + std::to_string(10000 + node); }
std::string CardUuid(int node, int card) {
  return "GPU-00000000-0000-4000-8000-" + std::to_string(100000000000LL + node * kCards + card);
}

Json NodeObject(int node) {
  std::string cards;
  std::string links;
  for (int card = 0; card < kCards; ++card) {
    cards += std::string(card == 0 ? "" : ",") + "[\"" + CardUuid(node, card) + "\"," +
             std::to_string(card) + ",0," + std::to_string(kCardMib) + ",\"0000:0" +
             std::to_string(card) + ":00.0\"," + std::to_string(card / 4) +
             ",\"8.0\",\"ok\",\"none\"]";
  }
  for (int pair = 0; pair < kCards * (kCards - 1) / 2; ++pair) {
    links += pair == 0 ? "NV12" : ",NV12";
  }
  const std::string inventory =
      "{\"v\":1,\"driver\":\"570.124.06\",\"models\":[\"A100-SXM4-80GB\"],\"cards\":[" + cards +
      "],\"links\":\"" + links + "\"}";
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata",
           {{"name", NodeName(node)}, {"annotations", {{"aliquot.io/gpu-inventory", inventory}}}}},
          {"spec", Json::object()}};
}

// Two pods of 45 % on each of five cards.
Json PodObject(int node, int number) {
  const std::string name = "pod-" + std::to_string(node) + "-" + std::to_string(number);
  const std::string uid =
      "11111111-2222-4333-8444-" + std::to_string(100000000000LL + node * 100 + number);
  const int card = number / 2;
  const std::string record = "{\"v\":1,\"uid\":\"" + uid + "\",\"node\":\"" + NodeName(node) +
                             "\",\"containers\":{\"main\":{\"cards\":[{\"uuid\":\"" +
                             CardUuid(node, card) +
                             "\",\"core\":45,\"mib\":38400}],\"isolation\":\"auto\"}}}";
  const Json amounts = {{"tencent.com/vcuda-core", "45"}, {"tencent.com/vcuda-memory", "150"}};
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata",
           {{"name", name},
            {"namespace", "bench"},
            {"uid", uid},
            {"labels", {{"aliquot.io/gpu", "true"}, {"app", "inference"}}},
            {"annotations",
             {{"aliquot.io/allocation", record},
              {"tencent.com/predicate-gpu-idx-0", std::to_string(card)}}}}},
          {"spec",
           {{"nodeName", NodeName(node)},
            {"containers",
             {{{"name", "main"},
               {"image", "registry.example/team/inference-server:1.42.0"},
               {"resources", {{"limits", amounts}, {"requests", amounts}}}}}}}},
          {"status", {{"phase", "Running"}}}};
}

void WriteKubeconfig(const std::string& path, const std::string& server,
                     const std::string& ca_file) {
  const Json config = {
      {"apiVersion", "v1"},
      {"kind", "Config"},
      {"current-context", "bench"},
      {"clusters",
       {{{"name", "bench"},
         {"cluster", {{"server", server}, {"certificate-authority", ca_file}}}}}},
      {"users", {{{"name", "bench"}, {"user", {{"token", "bench"}}}}}},
      {"contexts", {{{"name", "bench"}, {"context", {{"cluster", "bench"}, {"user", "bench"}}}}}}};
  std::ofstream(path + ".tmp") << config.dump(1);
  std::rename((path + ".tmp").c_str(), path.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Simulated API server with a large cluster");
  int nodes = 5000;
  int pods_per_node = 10;
  std::string kubeconfig;
  app.add_option("--nodes", nodes)->check(CLI::Range(1, 50000));
  app.add_option("--pods-per-node", pods_per_node)->check(CLI::Range(0, 2 * kCards));
  app.add_option("--kubeconfig", kubeconfig, "file to write once it serves")->required();
  CLI11_PARSE(app, argc, argv);

  const aliquot::test::TemporaryDirectory directory;
  const aliquot::test::CertificateAuthority authority("bench-ca");
  aliquot::test::FakeApiServer server(aliquot::test::FakeApiServerOptions(), &authority);
  for (int node = 0; node < nodes; ++node) {
    server.store().Put(aliquot::test::FakeApiStore::Kind::kNode, NodeObject(node));
    for (int number = 0; number < pods_per_node; ++number) {
      server.store().Put(aliquot::test::FakeApiStore::Kind::kPod, PodObject(node, number));
    }
  }
  WriteKubeconfig(kubeconfig, server.url(), directory.Write("ca.crt", authority.certificate()));
  char byte = 0;
  while (read(STDIN_FILENO, &byte, 1) > 0 || errno == EINTR) {
  }
  return 0;
}
