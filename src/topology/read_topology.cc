// SPDX-License-Identifier: Apache-2.0
#include "topology/read_topology.h"

#include <optional>
#include <string>

#include "base/strings.h"
#include "topology/read_measured_gbps.h"
#include "topology/read_nccl_xml.h"
#include "topology/read_pair_list.h"
#include "topology/read_smi_matrix.h"
#include "topology/smi_header.h"
#include "topology/smi_row.h"
#include "topology/source_text.h"

namespace aliquot::topology {
namespace {

enum class Format { kSmiMatrix, kNcclXml, kPairList, kMeasured };

// By the first lines that are no comments. A header of GPU names belongs to a matrix when it has
// affinity columns or a row below has a link class.
Format FormatOf(const SourceText& source) {
  bool card_header = false;
  for (const TextLine& line : source.lines()) {
    const std::string plain = PlainLine(line.text);
    const std::string_view content = Trim(plain);
    if (content.empty() || content.front() == '#') {
      continue;
    }
    if (!card_header) {
      if (content.front() == '<') {
        return Format::kNcclXml;
      }
      const std::vector<std::string_view> fields = Fields(content);
      if (fields[0] == "gpu_a") {
        return Format::kPairList;
      }
      if (fields[0] == "a" || fields[0] == "D\\D" ||
          (fields.size() > 1 && fields[0].empty() && StartsWith(fields[1], "GPU"))) {
        return Format::kMeasured;
      }
      const std::optional<SmiHeader> header = ParseSmiHeader(plain);
      if (header && !header->columns.empty()) {
        return Format::kSmiMatrix;
      }
      card_header = header.has_value();
      continue;
    }
    for (const Word& word : Words(plain)) {
      const std::optional<double> figure = ParseFigure(word.text, kMaxPairGbps);
      if (CellLength(word.text) > 0 && word.text != "X") {
        return Format::kSmiMatrix;
      }
      if (figure) {
        return Format::kMeasured;
      }
    }
  }
  return Format::kSmiMatrix;
}

// The cards of a table of measured figures, whose links nobody named: SYS, the class that promises
// least.
Result<Description> DescribeMeasured(std::string_view text, std::string_view file) {
  const Result<MeasuredGbps> measured = ReadMeasuredGbps(text, file);
  if (!measured.ok()) {
    return measured.status();
  }
  Description description;
  description.format = "measured GB/s";
  for (int card = 0; card < measured->cards; ++card) {
    description.cards.push_back({"GPU" + std::to_string(card), "", "", -1});
  }
  description.links.assign(PairCount(description.cards.size()), MakeLink(LinkClass::kSys));
  description.measured_gbps = measured->gbps;
  description.notes.emplace_back("the file names no link classes; all are taken as SYS");
  return description;
}

Result<Description> DescribeMatrix(std::string_view text, std::string_view file) {
  Result<Description> description = ReadSmiMatrix(text, file);
  if (!description.ok()) {
    return description;
  }
  const Result<std::optional<MeasuredGbps>> measured = ReadTestTables(text, file);
  if (!measured.ok()) {
    return measured.status();
  }
  if (*measured) {
    const Status applied = ApplyMeasured(**measured, *description);
    if (!applied.ok()) {
      return applied.WithContext(Printable(file, 200));
    }
  }
  return description;
}

}  // namespace

Result<Description> ReadTopology(std::string_view text, std::string_view file) {
  const Result<SourceText> source = SourceText::Create(text, file);
  if (!source.ok()) {
    return source.status();
  }
  switch (FormatOf(*source)) {
    case Format::kNcclXml:
      return ReadNcclXml(text, file);
    case Format::kPairList:
      return ReadPairList(text, file);
    case Format::kMeasured:
      return DescribeMeasured(text, file);
    case Format::kSmiMatrix:
      break;
  }
  return DescribeMatrix(text, file);
}

}  // namespace aliquot::topology
