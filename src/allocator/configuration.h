// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/names.h"
#include "program/configuration_document.h"
#include "program/problems.h"

namespace aliquot::allocator {

// What aliquot-allocator can be told, at its defaults. docs/reference/configuration.md describes
// every key; VisitFields (configuration_fields.h) is the table of their names and bounds. Plain
// values.
struct Configuration {
  struct Listen {
    std::string extender = ":8443";
    std::string admission = ":8444";
    std::string monitor = "127.0.0.1:8080";
    std::string authenticated;  // "": off
  };
  struct Tls {
    std::string mode = "files";  // or "managed": made by the allocator, see managed_tls
    std::string certificate_file;
    std::string key_file;
    std::string client_ca_file;
    std::string admission_certificate_file;
    std::string admission_key_file;
    std::chrono::milliseconds reload_interval{1000};
  };
  // What the allocator makes itself (certificates/keeper.h); used where a mode is "managed".
  struct ManagedTls {
    std::string directory = "/run/aliquot/tls";
    std::string namespace_name;  // "": the one that the service account's files name
    std::string extender_service = "aliquot-extender";
    std::string admission_service = "aliquot-admission";
    std::string authority_secret = "aliquot-ca";
    std::string scheduler_secret = "aliquot-scheduler-client";
    std::string webhook_configuration = "aliquot";
    std::chrono::milliseconds authority_lifetime{std::chrono::hours(10 * 365 * 24)};
    std::chrono::milliseconds authority_renew_before{std::chrono::hours(365 * 24)};
    std::chrono::milliseconds leaf_lifetime{std::chrono::hours(90 * 24)};
  };
  struct ManagedSigning {
    std::string secret = "aliquot-signing";
    std::string config_map = "aliquot-signing-keys";
    std::chrono::milliseconds activation_delay{std::chrono::minutes(5)};
  };
  struct Admission {
    std::string scheduler_name;  // given to GPU pods that name no other scheduler; "": untouched
    // Whose Bindings the stamp may annotate.
    std::vector<std::string> scheduler_users = {"system:kube-scheduler"};
    // For translation: of the cards that the translated pods are meant for; 0: not known.
    std::int64_t card_memory_mib = 0;
  };
  struct Http {
    std::int64_t extender_threads = 32;
    std::int64_t admission_threads = 16;
    std::int64_t max_connections = 4096;
    std::int64_t max_body_bytes = 16 << 20;
    std::int64_t max_buffered_bytes = 256 << 20;
    std::chrono::milliseconds handshake_timeout{5000};
    std::chrono::milliseconds receive_timeout{10000};
    std::chrono::milliseconds send_timeout{10000};
    std::chrono::milliseconds idle_timeout{120000};
    bool server_timing = false;
  };
  struct Search {
    std::int64_t steps_per_node = 20000;
    std::int64_t steps_per_request = 400000;
  };
  struct Deadlines {
    std::chrono::milliseconds filter{1000};
    std::chrono::milliseconds bind{4000};
    std::chrono::milliseconds bind_settle{10000};
  };
  struct Watch {
    std::chrono::milliseconds full_list_interval{45000};
    std::int64_t page_size = 500;
  };

  std::string kubeconfig;
  std::string cluster_file;
  model::ResourceNames resource_names;
  Listen listen;
  std::string addresses_file;
  Tls tls;
  ManagedTls managed_tls;
  Admission admission;
  Http http;
  std::string signing_mode = "file";  // or "managed": made by the allocator
  std::string signing_key_file;       // "": records carry no signature
  ManagedSigning managed_signing;
  std::int64_t max_sharers_per_card = 16;
  Search search;
  std::string scoring_policy = "composite";  // scoring::kDefaultPolicy
  Deadlines deadlines;
  std::chrono::milliseconds stamp_reservation{15000};
  Watch watch;
  bool gpu_assigned_annotation = false;
  std::chrono::milliseconds drain_timeout{20000};
  std::string log_level = "info";
};

// The configuration with the paths of the files that the allocator makes itself, where it does.
Configuration WithManagedFiles(Configuration configuration);

inline constexpr std::string_view kConfigurationKind = "AllocatorConfiguration";

// Overwrites `configuration` with what the document says. Thread-safe.
void ReadConfiguration(std::string_view text, const std::string& file, Configuration& configuration,
                       program::Origins& origins, program::Problems& problems);
void LoadConfiguration(const std::string& file, Configuration& configuration,
                       program::Origins& origins, program::Problems& problems);

// The rules that join several values, or that a flag can break too. Opens no file and no socket.
void CheckConfiguration(const Configuration& configuration, const program::Origins& origins,
                        program::Problems& problems);

// The configuration as such a document: reading it gives the same configuration again.
std::string PrintConfiguration(const Configuration& configuration);

}  // namespace aliquot::allocator
