// SPDX-License-Identifier: Apache-2.0
#include "api/filter_result.h"

#include "api/json_buffer.h"
#include "api/json_writer.h"

namespace aliquot::api {
namespace {

void WriteReasons(JsonBuffer& buffer, const std::vector<FailedNode>& nodes) {
  buffer.Raw("{");
  bool first = true;
  for (const FailedNode& node : nodes) {
    if (!first) {
      buffer.Raw(",");
    }
    first = false;
    buffer.String(node.node);
    buffer.Raw(":");
    buffer.String(node.reason);
  }
  buffer.Raw("}");
}

std::size_t EstimateSize(const ExtenderArgs& args, const FilterResult& result) {
  std::size_t size = 128;
  for (const std::size_t kept : result.kept) {
    size += args.has_nodes ? args.node_items[kept].size() + 1 : args.node_names[kept].size() + 3;
  }
  for (const auto* list : {&result.failed, &result.unresolvable}) {
    for (const FailedNode& node : *list) {
      size += node.node.size() + node.reason.size() + 6;
    }
  }
  return size;
}

}  // namespace

void WriteFilterResult(std::string& out, const ExtenderArgs& args, const FilterResult& result) {
  JsonBuffer buffer(out, EstimateSize(args, result));
  buffer.Raw(args.has_nodes ? R"({"Nodes":{"metadata":{},"items":[)"
                            : R"({"Nodes":null,"NodeNames":[)");
  bool first = true;
  for (const std::size_t kept : result.kept) {
    if (!first) {
      buffer.Raw(",");
    }
    first = false;
    if (args.has_nodes) {
      buffer.Raw(args.node_items[kept]);
    } else {
      buffer.String(args.node_names[kept]);
    }
  }
  buffer.Raw(args.has_nodes ? R"(]},"NodeNames":null,"FailedNodes":)" : R"(],"FailedNodes":)");
  WriteReasons(buffer, result.failed);
  buffer.Raw(R"(,"FailedAndUnresolvableNodes":)");
  WriteReasons(buffer, result.unresolvable);
  buffer.Raw(R"(,"Error":""})");
  buffer.Finish();
}

void WriteFilterError(std::string& out, std::string_view sentence) {
  out +=
      R"({"Nodes":null,"NodeNames":null,"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":)";
  AppendJsonString(out, sentence);
  out += '}';
}

}  // namespace aliquot::api
