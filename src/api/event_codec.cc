// SPDX-License-Identifier: Apache-2.0
#include "api/event_codec.h"

#include <string_view>

#include "api/json_writer.h"

namespace aliquot::api {
namespace {

constexpr std::size_t kMaxNoteBytes = 1024;
constexpr std::size_t kMaxFieldBytes = 128;

class ObjectWriter {
 public:
  explicit ObjectWriter(std::string& out) : out_(out) { out_ += '{'; }
  // Begins a field whose value the caller appends.
  void Key(std::string_view key) {
    out_ += first_ ? "" : ",";
    first_ = false;
    AppendJsonString(out_, key);
    out_ += ':';
  }
  void Text(std::string_view key, std::string_view value) {
    Key(key);
    AppendJsonString(out_, value);
  }
  // Leaves an empty value out.
  void Optional(std::string_view key, std::string_view value) {
    if (!value.empty()) {
      Text(key, value);
    }
  }
  void End() { out_ += '}'; }

 private:
  std::string& out_;
  bool first_ = true;
};

void AppendReference(std::string& out, const ObjectReference& reference) {
  ObjectWriter object(out);
  object.Text("apiVersion", reference.api_version);
  object.Text("kind", reference.kind);
  object.Optional("namespace", reference.namespace_name);
  object.Text("name", reference.name);
  object.Optional("uid", reference.uid);
  object.End();
}

}  // namespace

std::string FormatEvent(const Event& event) {
  const auto field = [](std::string_view text) { return CutAtCharacter(text, kMaxFieldBytes); };
  std::string out;
  ObjectWriter object(out);
  object.Text("apiVersion", "events.k8s.io/v1");
  object.Text("kind", "Event");
  object.Key("metadata");
  ObjectWriter metadata(out);
  metadata.Text("name", event.name);
  metadata.Text("namespace", event.namespace_name);
  metadata.End();
  object.Text("eventTime", FormatMicroTime(event.time));
  object.Text("reportingController", field(event.reporting_controller));
  object.Text("reportingInstance", field(event.reporting_instance));
  object.Text("action", field(event.action));
  object.Text("reason", field(event.reason));
  object.Text("type", event.warning ? "Warning" : "Normal");
  object.Text("note", CutAtCharacter(event.note, kMaxNoteBytes));
  object.Key("regarding");
  AppendReference(out, event.regarding);
  object.End();
  return out;
}

}  // namespace aliquot::api
