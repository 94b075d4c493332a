// SPDX-License-Identifier: Apache-2.0
#include "bench/verbs_load.h"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <functional>
#include <iostream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string_view>
#include <thread>

#include "bench/bench_cluster.h"
#include "bench/percentiles.h"
#include "bench/plain_filter.h"
#include "bench/pod_shapes.h"

namespace aliquot::bench {
namespace {

using Time = std::chrono::steady_clock::time_point;

struct VerbTimes {
  Percentiles server_us;
  Percentiles client_us;

  void Add(const TimedReply& reply) {
    server_us.Add(reply.server_us);
    client_us.Add(reply.client_us);
  }
  nlohmann::json ToJson() const {
    return {{"server_us", server_us.ToJson()}, {"client_us", client_us.ToJson()}};
  }
};

void Require(bool condition, const std::string& what, const TimedReply& reply) {
  if (!condition) {
    std::cerr << what << ": " << reply.status << " " << reply.body.substr(0, 300) << "\n";
    std::exit(1);
  }
}

std::string AllNodeNames(int nodes) {
  nlohmann::json names = nlohmann::json::array();
  for (int node = 0; node < nodes; ++node) {
    names.push_back(NodeName(node, nodes));
  }
  return names.dump();
}

// The one node that has the highest score, 10. Found by its text: reading 300 KB into a tree would
// take longer than the call, and be counted as ours.
std::string BestHost(const std::string& prioritize_reply) {
  const std::size_t score = prioritize_reply.find("\"Score\":10}");
  constexpr std::string_view kHost = "\"Host\":\"";
  const std::size_t host =
      score == std::string::npos ? score : prioritize_reply.rfind(kHost, score);
  if (host == std::string::npos) {
    std::cerr << "no node has score 10: " << prioritize_reply.substr(0, 300) << "\n";
    std::exit(1);
  }
  const std::size_t begin = host + kHost.size();
  return prioritize_reply.substr(begin, prioritize_reply.find('"', begin) - begin);
}

struct PodCall {
  std::string name;
  std::string uid;
  std::string args;
};

PodCall MakePod(const LoadOptions& options, const std::vector<PodShape>& shapes,
                const std::string& names, int number) {
  PodCall call;
  call.uid = options.uid_prefix + "-" + std::to_string(number);
  call.name = "pod-" + call.uid;
  call.args = ExtenderArgs(
      PodJson(shapes[static_cast<std::size_t>(number) % shapes.size()], call.name, call.uid),
      names);
  return call;
}

std::string BindArgs(const PodCall& pod, const std::string& host) {
  return nlohmann::json{
      {"PodName", pod.name}, {"PodNamespace", "bench"}, {"PodUID", pod.uid}, {"Node", host}}
      .dump();
}

TimedReply CheckedBind(HttpsClient& client, const std::string& body) {
  TimedReply reply = client.Post("/scheduler/bind", body);
  Require(reply.status == 200 && nlohmann::json::parse(reply.body)["Error"] == "", "bind refused",
          reply);
  return reply;
}

}  // namespace

nlohmann::json RunSerial(const LoadOptions& options) {
  const std::vector<PodShape> shapes = PodShapes();
  const std::string names = AllNodeNames(options.nodes);
  const PlainFilter plain(options.with_baseline ? options.nodes : 1);
  HttpsClient client(options.endpoint);
  VerbTimes filter;
  VerbTimes prioritize;
  VerbTimes bind;
  Percentiles baseline;
  double verbs_us = 0;
  for (int i = 0; i < options.pods; ++i) {
    const PodCall pod = MakePod(options, shapes, names, i);
    if (options.with_baseline) {
      const Time start = std::chrono::steady_clock::now();
      const std::string reply = plain.Filter(pod.args);
      baseline.Add(
          std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
              .count());
      if (reply.empty()) {
        std::abort();
      }
    }
    const TimedReply filtered = client.Post("/scheduler/filter", pod.args);
    Require(filtered.status == 200, "filter refused", filtered);
    const TimedReply ranked = client.Post("/scheduler/prioritize", pod.args);
    Require(ranked.status == 200, "prioritize refused", ranked);
    const TimedReply bound = CheckedBind(client, BindArgs(pod, BestHost(ranked.body)));
    filter.Add(filtered);
    prioritize.Add(ranked);
    bind.Add(bound);
    verbs_us += filtered.client_us + ranked.client_us + bound.client_us;
  }
  nlohmann::json result = {{"filter", filter.ToJson()},
                           {"prioritize", prioritize.ToJson()},
                           {"bind", bind.ToJson()},
                           {"pods_per_second", options.pods / (verbs_us / 1e6)}};
  if (!baseline.empty()) {
    result["baseline_filter_us"] = baseline.ToJson();
  }
  return result;
}

double RunParallelBinds(const LoadOptions& options) {
  constexpr int kBinders = 16;
  const std::vector<PodShape> shapes = PodShapes();
  const std::string names = AllNodeNames(options.nodes);
  HttpsClient client(options.endpoint);
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::string> waiting;
  bool done = false;
  std::vector<std::thread> binders;
  const Time start = std::chrono::steady_clock::now();
  for (int b = 0; b < kBinders; ++b) {
    binders.emplace_back([&] {
      HttpsClient own(options.endpoint);
      while (true) {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] { return done || !waiting.empty(); });
        if (waiting.empty()) {
          return;
        }
        const std::string body = std::move(waiting.front());
        waiting.pop_front();
        lock.unlock();
        // Another pod may have taken the cards since the prioritize: kube-scheduler would try
        // again.
        own.Post("/scheduler/bind", body);
      }
    });
  }
  for (int i = 0; i < options.pods; ++i) {
    const PodCall pod = MakePod(options, shapes, names, i);
    client.Post("/scheduler/filter", pod.args);
    const TimedReply ranked = client.Post("/scheduler/prioritize", pod.args);
    const std::lock_guard<std::mutex> lock(mutex);
    waiting.push_back(BindArgs(pod, BestHost(ranked.body)));
    changed.notify_one();
  }
  {
    const std::lock_guard<std::mutex> lock(mutex);
    done = true;
  }
  changed.notify_all();
  for (std::thread& binder : binders) {
    binder.join();
  }
  return options.pods /
         std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace aliquot::bench
