// SPDX-License-Identifier: Apache-2.0
#include "api/admission_wire.h"

#include <absl/strings/escaping.h>

#include <algorithm>
#include <utility>

#include "api/json_document.h"
#include "api/json_writer.h"
#include "api/kubernetes_name.h"
#include "base/strings.h"

namespace aliquot::api {
namespace {

using nlohmann::json;

constexpr std::string_view kSubject = "the AdmissionReview";
// The API server drops what goes beyond this over all webhooks of a request.
constexpr std::size_t kMaxWarningsBytes = 4096;

Status Refuse(const std::string& what) { return InvalidArgument(std::string(kSubject) + what); }

// What a tree of the text would take, found without building it. nlohmann's own way to look while
// it parses, a callback, walks over all earlier items of a list at each object that ends in it:
// minutes for 200,000 of them. Of a text that is no JSON it says what holds up to the mistake,
// where the parser stops.
struct TreeSize {
  std::size_t depth = 0;
  std::size_t values = 1;
};

TreeSize MeasureTree(std::string_view text) {
  TreeSize size;
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      in_string = c != '"';
      i += c == '\\' ? 1 : 0;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      size.depth = std::max(size.depth, ++depth);
      ++size.values;
    } else if (c == '}' || c == ']') {
      depth -= depth > 0 ? 1 : 0;
    } else if (c == ',') {
      ++size.values;
    }
  }
  return size;
}

// The parser is iterative, but copying or writing a deep tree is not: so no deep tree is ever
// built, nor one that takes many times the text's own memory.
Status CheckTree(std::string_view body) {
  const TreeSize size = MeasureTree(body);
  if (size.depth > kMaxRequestDepth) {
    return Refuse(" is nested deeper than " + std::to_string(kMaxRequestDepth) +
                  " levels; send less nesting");
  }
  if (size.values > kMaxReviewValues) {
    return Refuse(" holds more than " + std::to_string(kMaxReviewValues) +
                  " values; send a smaller object");
  }
  return Status::Ok();
}

// The value of a key, or nullptr for none or null.
const json* Find(const json& object, std::string_view key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

// Reads text fields of one object; remembers the first of the wrong type.
class TextFields {
 public:
  TextFields(const json& object, std::string path) : object_(object), path_(std::move(path)) {}

  void Read(std::string_view key, std::string& value) {
    const json* field = Find(object_, key);
    if (field == nullptr || !status_.ok()) {
      return;
    }
    if (!field->is_string()) {
      status_ = Refuse(": " + path_ + "." + std::string(key) +
                       " is not a string; send what the API server sends");
      return;
    }
    value = field->get_ref<const std::string&>();
  }
  const Status& status() const { return status_; }

 private:
  const json& object_;
  std::string path_;
  Status status_;
};

Status ReadRequest(json& request, ReviewRequest& review) {
  TextFields fields(request, "request");
  fields.Read("uid", review.uid);
  fields.Read("name", review.name);
  fields.Read("namespace", review.namespace_name);
  fields.Read("operation", review.operation);
  fields.Read("subResource", review.subresource);
  if (!fields.status().ok()) {
    return fields.status();
  }
  if (!IsUid(review.uid)) {
    return Refuse(": request.uid is \"" + Printable(review.uid) + "\"; send the review's UID");
  }
  if (const json* dry_run = Find(request, "dryRun")) {
    if (!dry_run->is_boolean()) {
      return Refuse(": request.dryRun is not a boolean; send true or false");
    }
    review.dry_run = dry_run->get<bool>();
  }
  struct Part {
    const char* key;
    std::initializer_list<std::pair<const char*, std::string*>> fields;
  };
  const Part parts[] = {
      {"kind", {{"group", &review.group}, {"version", &review.version}, {"kind", &review.kind}}},
      {"resource", {{"resource", &review.resource}}},
      {"userInfo", {{"username", &review.username}}}};
  for (const Part& part : parts) {
    const json* object = Find(request, part.key);
    if (object == nullptr) {
      continue;
    }
    const std::string path = std::string("request.") + part.key;
    if (!object->is_object()) {
      return Refuse(": " + path + " is not an object; send what the API server sends");
    }
    TextFields part_fields(*object, path);
    for (const auto& [key, value] : part.fields) {
      part_fields.Read(key, *value);
    }
    if (!part_fields.status().ok()) {
      return part_fields.status();
    }
  }
  if (const auto object = request.find("object"); object != request.end()) {
    review.object = std::move(*object);
  }
  return Status::Ok();
}

Result<ReviewRequest> ReadReview(json review) {
  if (!review.is_object()) {
    return Refuse(" is not an object; send admission.k8s.io/v1");
  }
  std::string api_version, kind;
  TextFields fields(review, "");
  fields.Read("apiVersion", api_version);
  fields.Read("kind", kind);
  if (!fields.status().ok() || kind != "AdmissionReview" || api_version != kAdmissionApiVersion) {
    return Refuse(" is of kind \"" + Printable(kind) + "\" and apiVersion \"" +
                  Printable(api_version) + "\"; send an AdmissionReview of admission.k8s.io/v1");
  }
  const auto request = review.find("request");
  if (request == review.end() || !request->is_object()) {
    return Refuse(": request is missing or not an object; send one");
  }
  ReviewRequest result;
  if (Status status = ReadRequest(*request, result); !status.ok()) {
    return status;
  }
  return result;
}

// One warning fit for a header line.
std::string WarningText(std::string_view text) {
  const std::string line = Printable(text, text.size());
  if (line.size() <= kMaxWarningBytes) {
    return line;
  }
  return std::string(CutAtCharacter(line, kMaxWarningBytes - 3)) + "...";
}

}  // namespace

Result<ReviewRequest> ParseAdmissionReview(std::string_view body) {
  if (Status status = CheckTree(body); !status.ok()) {
    return status;
  }
  try {
    return ReadReview(json::parse(body));
  } catch (const json::exception&) {
    return Refuse(" is not JSON in UTF-8, or is cut short; send one complete JSON value");
  }
}

std::string FormatAdmissionReview(std::string_view uid, const ReviewResponse& response) {
  json answer = {{"uid", uid}, {"allowed", response.allowed}};
  if (!response.allowed) {
    answer["status"] = {{"code", response.code},
                        {"reason", response.reason},
                        {"message", response.message},
                        {"status", "Failure"}};
  } else if (!response.patch.empty()) {
    answer["patchType"] = "JSONPatch";
    answer["patch"] =
        absl::Base64Escape(response.patch.dump(-1, ' ', false, json::error_handler_t::replace));
  }
  std::size_t bytes = 0;
  for (const std::string& warning : response.warnings) {
    std::string text = WarningText(warning);
    bytes += text.size();
    if (bytes > kMaxWarningsBytes) {
      break;
    }
    answer["warnings"].push_back(std::move(text));
  }
  const json review = {{"apiVersion", kAdmissionApiVersion},
                       {"kind", "AdmissionReview"},
                       {"response", std::move(answer)}};
  return review.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace aliquot::api
