// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/bench_cluster.h"
#include "bench/verbs_load.h"

// One run of the load against a running allocator, or the cluster file it runs on. bench/run.py
// starts the allocator, repeats the runs and writes the report.
int main(int argc, char** argv) {
  CLI::App app("Load driver for the scheduler verbs of aliquot-allocator");
  aliquot::bench::LoadOptions options;
  std::string cluster_file;
  bool parallel = false;
  bool no_baseline = false;
  app.add_option("--write-cluster", cluster_file, "write the cluster file and exit");
  app.add_option("--nodes", options.nodes, "nodes of the cluster")->check(CLI::Range(1, 50000));
  app.add_option("--pods", options.pods, "pods to place")->check(CLI::Range(1, 100000));
  app.add_option("--uid-prefix", options.uid_prefix, "prefix of the pods' UIDs, new in every run");
  app.add_option("--host", options.endpoint.host, "extender host");
  app.add_option("--port", options.endpoint.port, "extender port");
  app.add_option("--ca", options.endpoint.ca_file, "CA of the server");
  app.add_option("--cert", options.endpoint.cert_file, "client certificate");
  app.add_option("--key", options.endpoint.key_file, "its key");
  app.add_flag("--parallel-binds", parallel, "up to 16 binds at the same time");
  app.add_flag("--no-baseline", no_baseline, "leave the plain filter out");
  CLI11_PARSE(app, argc, argv);
  options.with_baseline = !no_baseline;

  if (!cluster_file.empty()) {
    std::ofstream out(cluster_file);
    aliquot::bench::WriteClusterFile(options.nodes, out);
    return out.good() ? 0 : 1;
  }
  if (parallel) {
    std::cout << nlohmann::json{{"pods_per_second", aliquot::bench::RunParallelBinds(options)}}
              << "\n";
    return 0;
  }
  std::cout << aliquot::bench::RunSerial(options) << "\n";
  return 0;
}
