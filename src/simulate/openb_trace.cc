// SPDX-License-Identifier: Apache-2.0
#include "simulate/openb_trace.h"

#include <algorithm>
#include <utility>

#include "base/string_map.h"
#include "base/strings.h"
#include "simulate/csv.h"
#include "topology/card_set.h"

namespace aliquot::simulate {
namespace {

// A million cores, a pebibyte: past them a value is a mistake, and sums cannot overflow.
constexpr std::int64_t kMostCpuMilli = 1'000'000'000;
constexpr std::int64_t kMostMemoryMib = std::int64_t{1} << 30;
constexpr std::int64_t kMostGpusAsked = 1024;
constexpr std::int64_t kMostSeconds = std::int64_t{1} << 40;

enum NodeColumn : std::size_t { kSn, kNodeCpu, kNodeMemory, kGpu, kModel };
enum PodColumn : std::size_t { kName, kCpu, kMemory, kNumGpu, kMilli, kSpec, kCreated, kDeleted };

Status TakeName(const CsvColumns& columns, const CsvRow& row, std::size_t column, StringSet& seen,
                std::string& name) {
  name = *columns.Text(row, column);
  if (name.empty()) {
    return InvalidArgument(columns.Where(row, column) + "is empty; give every line its own name");
  }
  if (!seen.insert(name).second) {
    return InvalidArgument(columns.Where(row, column) + "is \"" + Printable(name) +
                           "\", which an earlier line has; give every line its own name");
  }
  return Status::Ok();
}

Status TakeHost(const CsvColumns& columns, const CsvRow& row, std::size_t cpu, std::size_t memory,
                model::HostAmount& host) {
  const auto milli = columns.Count(row, cpu, kMostCpuMilli);
  const auto mib = columns.Count(row, memory, kMostMemoryMib);
  if (!milli.ok() || !mib.ok()) {
    return milli.ok() ? mib.status() : milli.status();
  }
  host = {*milli, *mib};
  return Status::Ok();
}

Result<TraceNode> ReadNode(const CsvColumns& columns, const CsvRow& row, StringSet& seen) {
  TraceNode node;
  Status status = columns.CheckWidth(row);
  if (status.ok()) status = TakeName(columns, row, kSn, seen, node.name);
  if (status.ok()) status = TakeHost(columns, row, kNodeCpu, kNodeMemory, node.host);
  if (!status.ok()) {
    return status;
  }
  const auto gpus = columns.Count(row, kGpu, topology::kMaxCards);
  if (!gpus.ok()) {
    return gpus.status();
  }
  node.gpus = static_cast<int>(*gpus);
  node.model = *columns.Text(row, kModel);
  if (node.gpus > 0 && node.model.empty()) {
    return InvalidArgument(columns.Where(row, kModel) + "is empty although the node has " +
                           std::to_string(node.gpus) + " GPUs; name their model");
  }
  return node;
}

Status TakeGpus(const CsvColumns& columns, const CsvRow& row, TracePod& pod) {
  const auto gpus = columns.Count(row, kNumGpu, kMostGpusAsked);
  const auto milli = columns.Count(row, kMilli, kGpuMilli);
  if (!gpus.ok() || !milli.ok()) {
    return gpus.ok() ? milli.status() : gpus.status();
  }
  pod.gpus = static_cast<int>(*gpus);
  pod.gpu_milli = pod.gpus == 0 ? 0 : static_cast<int>(*milli);
  if (pod.gpus == 0) {
    return Status::Ok();
  }
  const std::string where = columns.Where(row, kMilli) + "is " + std::to_string(*milli);
  if (*milli == 0) {
    return InvalidArgument(where + " with num_gpu " + std::to_string(*gpus) +
                           "; use 1 to 1000, or num_gpu 0");
  }
  if (pod.gpus > 1 && pod.gpu_milli < kGpuMilli) {
    return InvalidArgument(where + " with num_gpu " + std::to_string(*gpus) +
                           "; several GPUs are taken whole: use 1000");
  }
  return Status::Ok();
}

void TakeModels(const CsvColumns& columns, const CsvRow& row, TracePod& pod) {
  const std::string* spec = columns.Text(row, kSpec);
  if (spec == nullptr || pod.gpus == 0) {
    return;
  }
  for (const std::string_view model : Split(*spec, '|')) {
    if (!Trim(model).empty()) {
      pod.models.emplace_back(Trim(model));
    }
  }
  std::sort(pod.models.begin(), pod.models.end());
  pod.models.erase(std::unique(pod.models.begin(), pod.models.end()), pod.models.end());
}

// No life where the columns are missing or either cell is empty: a pod may still have run.
Status TakeLife(const CsvColumns& columns, const CsvRow& row, TracePod& pod) {
  const std::string* created = columns.Text(row, kCreated);
  const std::string* deleted = columns.Text(row, kDeleted);
  if (created == nullptr || deleted == nullptr || created->empty() || deleted->empty()) {
    return Status::Ok();
  }
  const auto from = columns.Count(row, kCreated, kMostSeconds);
  const auto to = columns.Count(row, kDeleted, kMostSeconds);
  if (!from.ok() || !to.ok()) {
    return from.ok() ? to.status() : from.status();
  }
  if (*to < *from) {
    return InvalidArgument(columns.Where(row, kDeleted) + "is " + *deleted +
                           ", before creation_time " + *created + "; exchange or remove them");
  }
  pod.life_seconds = static_cast<double>(*to - *from);
  return Status::Ok();
}

Result<TracePod> ReadPod(const CsvColumns& columns, const CsvRow& row, StringSet& seen) {
  TracePod pod;
  Status status = columns.CheckWidth(row);
  if (status.ok()) status = TakeName(columns, row, kName, seen, pod.name);
  if (status.ok()) status = TakeHost(columns, row, kCpu, kMemory, pod.host);
  if (status.ok()) status = TakeGpus(columns, row, pod);
  if (status.ok()) status = TakeLife(columns, row, pod);
  if (!status.ok()) {
    return status;
  }
  TakeModels(columns, row, pod);
  return pod;
}

template <typename T, typename Reader>
Result<std::vector<T>> ReadRows(std::string_view text, const std::string& file,
                                const std::vector<std::string>& required,
                                const std::vector<std::string>& optional, const Reader& read) {
  const Result<CsvFile> csv = ParseCsv(text, file);
  if (!csv.ok()) {
    return csv.status();
  }
  const Result<CsvColumns> columns = CsvColumns::Find(*csv, required, optional);
  if (!columns.ok()) {
    return columns.status();
  }
  StringSet seen;
  std::vector<T> items;
  items.reserve(csv->rows.size());
  for (std::size_t i = 1; i < csv->rows.size(); ++i) {
    Result<T> item = read(*columns, csv->rows[i], seen);
    if (!item.ok()) {
      return item.status();
    }
    items.push_back(*std::move(item));
  }
  if (items.empty()) {
    return InvalidArgument(file + ":" + std::to_string(csv->rows.front().line) +
                           ": no line follows the header; add at least one");
  }
  return items;
}

}  // namespace

Result<std::vector<TraceNode>> ParseTraceNodes(std::string_view text, const std::string& file) {
  return ReadRows<TraceNode>(text, file, {"sn", "cpu_milli", "memory_mib", "gpu", "model"}, {},
                             ReadNode);
}

Result<std::vector<TracePod>> ParseTracePods(std::string_view text, const std::string& file) {
  return ReadRows<TracePod>(text, file, {"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli"},
                            {"gpu_spec", "creation_time", "deletion_time"}, ReadPod);
}

std::int64_t TotalGpuMilli(const std::vector<TraceNode>& nodes) {
  std::int64_t total = 0;
  for (const TraceNode& node : nodes) {
    total += std::int64_t{node.gpus} * kGpuMilli;
  }
  return total;
}

}  // namespace aliquot::simulate
