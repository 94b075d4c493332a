// SPDX-License-Identifier: Apache-2.0
#include "simulate/mapa_jobs.h"

#include <cstddef>

#include "base/strings.h"
#include "simulate/csv.h"

namespace aliquot::simulate {
namespace {

constexpr std::size_t kFields = 6;
constexpr std::int64_t kMostTicks = 1'000'000'000;

Result<MapaJob> ReadJob(const CsvRow& row, const std::string& file) {
  const std::string where = file + ":" + std::to_string(row.line) + ": ";
  if (row.fields.size() != kFields) {
    return InvalidArgument(where + "the line has " + std::to_string(row.fields.size()) +
                           " fields; give numGpus,pattern,arrival,service,bwSensitive,task");
  }
  const auto gpus = ParseCsvCount(row.fields[0], where + "numGpus ", kMostGpusOfJob);
  const auto arrival = ParseCsvCount(row.fields[2], where + "arrival ", kMostTicks);
  const auto service = ParseCsvCount(row.fields[3], where + "service ", kMostTicks);
  const auto sensitive = ParseCsvCount(row.fields[4], where + "bwSensitive ", 1);
  for (const auto* field : {&gpus, &arrival, &service, &sensitive}) {
    if (!field->ok()) {
      return field->status();
    }
  }
  if (*gpus == 0) {
    return InvalidArgument(where + "numGpus is 0; a job needs at least 1");
  }
  if (row.fields[1] != "ring") {
    return InvalidArgument(where + "pattern is \"" + Printable(row.fields[1]) +
                           "\"; only ring can be replayed");
  }
  return MapaJob{static_cast<int>(*gpus), *service, *sensitive == 1};
}

}  // namespace

Result<std::vector<MapaJob>> ParseMapaJobs(std::string_view text, const std::string& file) {
  const Result<CsvFile> csv = ParseCsv(text, file);
  if (!csv.ok()) {
    return csv.status();
  }
  std::vector<MapaJob> jobs;
  jobs.reserve(csv->rows.size());
  for (const CsvRow& row : csv->rows) {
    const Result<MapaJob> job = ReadJob(row, file);
    if (!job.ok()) {
      return job.status();
    }
    jobs.push_back(*job);
  }
  return jobs;
}

}  // namespace aliquot::simulate
