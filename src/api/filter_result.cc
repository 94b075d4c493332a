// SPDX-License-Identifier: Apache-2.0
#include "api/filter_result.h"

#include "api/json_writer.h"

namespace aliquot::api {
namespace {

void AppendReasons(std::string& out, const std::vector<FailedNode>& nodes) {
  out += '{';
  bool first = true;
  for (const FailedNode& node : nodes) {
    if (!first) {
      out += ',';
    }
    first = false;
    AppendJsonString(out, node.node);
    out += ':';
    AppendJsonString(out, node.reason);
  }
  out += '}';
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
  out.reserve(out.size() + EstimateSize(args, result));
  out += args.has_nodes ? R"({"Nodes":{"metadata":{},"items":[)" : R"({"Nodes":null,"NodeNames":[)";
  bool first = true;
  for (const std::size_t kept : result.kept) {
    if (!first) {
      out += ',';
    }
    first = false;
    if (args.has_nodes) {
      out += args.node_items[kept];
    } else {
      AppendJsonString(out, args.node_names[kept]);
    }
  }
  out += args.has_nodes ? R"(]},"NodeNames":null,"FailedNodes":)" : R"(],"FailedNodes":)";
  AppendReasons(out, result.failed);
  out += R"(,"FailedAndUnresolvableNodes":)";
  AppendReasons(out, result.unresolvable);
  out += R"(,"Error":""})";
}

void WriteFilterError(std::string& out, std::string_view sentence) {
  out +=
      R"({"Nodes":null,"NodeNames":null,"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":)";
  AppendJsonString(out, sentence);
  out += '}';
}

}  // namespace aliquot::api
