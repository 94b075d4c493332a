// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

// One function for each parser of what strangers send. Each takes any bytes, must neither crash nor
// hang, and ends the program when a promise of the parser is broken. The `fuzz` preset links each
// with libFuzzer; fuzz_corpus_test replays the corpora in every other build.

namespace aliquot::fuzz {

void ExtenderArguments(std::string_view input);
void BindArguments(std::string_view input);
void PreemptionArguments(std::string_view input);
void AdmissionReview(std::string_view input);
void Inventory(std::string_view input);
void Allocation(std::string_view input);
void NodeView(std::string_view input);      // the agent's own Node, and what it writes there
void Objects(std::string_view input);       // pods, nodes, lists, watch events, Status
void Checkpoint(std::string_view input);    // the kubelet's device manager's
void HttpRequests(std::string_view input);  // the bytes of one connection
void ChunkedBody(std::string_view input);
void SmiMatrix(std::string_view input);  // `nvidia-smi topo -m`
void NcclXml(std::string_view input);
void PairList(std::string_view input);      // MAPA's CSV
void MeasuredGbps(std::string_view input);  // and which format a text is
void TraceNodes(std::string_view input);    // openb's CSVs
void TracePods(std::string_view input);
void JobFiles(std::string_view input);        // MAPA's
void MachineProfile(std::string_view input);  // profiles/
void MachineState(std::string_view input);    // the state file of a simulated machine
void HealthRecord(std::string_view input);    // what a restarted agent reads
void GrantRecord(std::string_view input);     // grant.json
void LimitsRecord(std::string_view input);    // src/quota/FORMAT.md
void UsageRegion(std::string_view input);     // a file that a container writes
void Cgroup(std::string_view input);          // /proc/<pid>/cgroup
void ProcessMaps(std::string_view input);     // /proc/<pid>/maps
void ProcessStat(std::string_view input);     // /proc/<pid>/stat
void ProcessStatus(std::string_view input);   // /proc/<pid>/status
void VerifyPage(std::string_view input);      // an agent's, as aliquotctl reads it
void CallerReview(std::string_view input);    // the API server's word of a token and a right

// A promise; not assert, which a release build drops.
inline void Require(bool held) {
  if (!held) {
    std::abort();
  }
}

}  // namespace aliquot::fuzz
