// SPDX-License-Identifier: Apache-2.0
#include "cli/convert_document.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "admission/pod_review.h"
#include "base/strings.h"
#include "cli/convert_split.h"
#include "cli/convert_templates.h"
#include "cli/convert_yaml_edit.h"
#include "cli/yaml_json.h"
#include "cli/yaml_text.h"
#include "program/problems.h"
#include "program/yaml_document.h"
#include "translate/surroundings.h"

namespace aliquot::cli {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using program::YamlValue;

constexpr int kMaxJsonDepth = 64;

// A patch of a document: of each pod in it its own, at its place.
struct DocumentPatch {
  struct Part {
    std::string pointer;
    json patch;
  };
  std::vector<Part> parts;
  std::vector<std::string> notes;

  // Templates of one object often say the same.
  void Add(std::string note) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) {
      notes.push_back(std::move(note));
    }
  }
};

class DocumentConverter {
 public:
  DocumentConverter(const SourceDocument& source, const std::string& file,
                    const ConvertOptions& options)
      : source_(source), file_(file), options_(options) {}

  // What goes to the output; the errors are lines.
  Result<Converted> Convert() {
    if (source_.blank) {
      // Comments alone; JSON has none.
      return Converted{options_.output == "json" ? "" : std::string(source_.text), {}};
    }
    if (options_.output.empty() && !MayAskForGpu()) {
      return Converted{std::string(source_.text), OwnNotes()};
    }
    return source_.json ? ConvertJson() : ConvertYaml();
  }

 private:
  std::string Where() const { return file_ + ":" + std::to_string(source_.line) + ": "; }
  Status Failed(const std::string& sentence) const { return InvalidArgument(Where() + sentence); }

  bool Names(std::string_view word) const {
    return source_.text.find(word) != std::string_view::npos;
  }
  bool MayAskForGpu() const {
    return Names("nvidia.com/") || Names("gpu-fraction") || Names("gpu-memory");
  }
  std::vector<std::string> OwnNotes() const {
    std::vector<std::string> notes;
    if (Names(options_.translate.names.prefix)) {
      notes.push_back(Where() + "asks for " + options_.translate.names.prefix +
                      "* already and needs no change");
    }
    return notes;
  }

  Result<Converted> ConvertJson() {
    bool deep = false;
    const ordered_json document = ordered_json::parse(
        source_.text,
        [&](int depth, ordered_json::parse_event_t, ordered_json&) {
          deep = deep || depth > kMaxJsonDepth;
          return !deep;
        },
        /*allow_exceptions=*/false);
    if (deep || document.is_discarded()) {
      return Failed(deep ? "nested deeper than 64 levels; no manifest is"
                         : "this is not readable as JSON; give one whole document");
    }
    const auto patch =
        PatchOf(json::parse(document.dump(-1, ' ', false, json::error_handler_t::replace)));
    if (!patch.ok()) {
      return patch.status();
    }
    if (patch->parts.empty() && options_.output != "yaml") {
      return Converted{std::string(source_.text), NotesOf(*patch)};
    }
    // Through the tree in both cases: a key keeps its place, and a new one comes last.
    ordered_json changed = document;
    for (const DocumentPatch::Part& part : patch->parts) {
      ordered_json operations = ordered_json::parse(part.patch.dump());
      for (auto& operation : operations) {
        operation["path"] = part.pointer + operation["path"].get<std::string>();
      }
      changed = changed.patch(operations);
    }
    const std::string text =
        options_.output == "yaml"
            ? "---\n" + Comments(*patch) + YamlText(YamlOf(changed))
            : changed.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
    return Converted{text, NotesOf(*patch)};
  }

  Result<Converted> ConvertYaml() {
    program::Problems problems;
    auto document = program::ParseYaml(source_.text, file_, problems);
    if (!document) {
      // Once more with the lines before it, so that the problem names the file's line.
      program::Problems placed;
      const auto head_lines = std::count(source_.head.begin(), source_.head.end(), '\n');
      const auto before = static_cast<std::size_t>(source_.line - 1 - head_lines);
      program::ParseYaml(std::string(before, '\n') + std::string(source_.text), file_, placed);
      return InvalidArgument(placed.empty() ? problems.lines().front() : placed.lines().front());
    }
    const auto patch = PatchOf(json::parse(ToJson(*document), nullptr, /*allow_exceptions=*/false));
    if (!patch.ok()) {
      return patch.status();
    }
    if (patch->parts.empty() && options_.output != "json") {
      return Converted{std::string(source_.text), NotesOf(*patch)};
    }
    for (const DocumentPatch::Part& part : patch->parts) {
      if (Status status = PatchYaml(part.patch, part.pointer, *document); !status.ok()) {
        return status;
      }
    }
    if (options_.output == "json") {
      return Converted{ordered_json::parse(ToJson(*document)).dump(2) + "\n", NotesOf(*patch)};
    }
    return Converted{std::string(source_.head) + Comments(*patch) + YamlText(*document),
                     NotesOf(*patch)};
  }

  Result<DocumentPatch> PatchOf(const json& document) const {
    DocumentPatch all;
    std::vector<std::string> problems;
    const std::vector<PodPlace> places = FindPods(document);
    for (const PodPlace& place : places) {
      const json& pod = document.at(json::json_pointer(place.pointer));
      Result<translate::Translation> one = TranslateOne(pod);
      if (!one.ok()) {
        problems.push_back(Where() + place.owner + ": " + one.status().message());
        continue;
      }
      for (const std::string& note : one->notes) {
        all.Add(place.owner + ": " + note);
      }
      if (!one->patch.empty()) {
        all.parts.push_back({place.pointer, std::move(one->patch)});
      }
    }
    NoteOwners(document, places, all);
    NoteQuota(document, all);
    if (!problems.empty()) {
      return InvalidArgument(Join(problems, "\n"));
    }
    return all;
  }

  Result<translate::Translation> TranslateOne(const json& pod) const {
    json checked = pod;
    if (admission::Member(checked, "metadata") == nullptr) {
      checked["metadata"] = json::object();  // a template may have none
    }
    if (Status status = admission::CheckPodShape(checked); !status.ok()) {
      return status;
    }
    std::optional<translate::Scheme> scheme = options_.from;
    if (!scheme) {
      const auto found = translate::SchemeOf(pod);
      if (!found.ok()) {
        return InvalidArgument(found.status().message() + " with --from");
      }
      scheme = *found;
    }
    return scheme ? translate::TranslatePod(pod, *scheme, options_.translate)
                  : translate::Translation();
  }

  // Of the objects whose pods change: what is left beside and above those pods.
  static void NoteOwners(const json& document, const std::vector<PodPlace>& places,
                         DocumentPatch& all) {
    std::set<std::string> changed;  // pointers of pods
    for (const DocumentPatch::Part& part : all.parts) {
      changed.insert(part.pointer);
    }
    std::set<std::string> objects;
    for (const PodPlace& place : places) {
      if (changed.count(place.pointer) > 0 && place.object != place.pointer &&
          objects.insert(place.object).second) {
        for (const std::string& note :
             translate::QueueNotes(document.at(json::json_pointer(place.object)))) {
          all.Add(place.owner + ": " + note);
        }
      }
    }
    for (const PodPlace& place : places) {
      if (objects.count(place.object) > 0 && changed.count(place.pointer) == 0) {
        const json& pod = document.at(json::json_pointer(place.pointer));
        if (const auto note = translate::NeighbourNote(pod)) {
          all.Add(place.owner + ": " + *note);
        }
      }
    }
  }

  void NoteQuota(const json& document, DocumentPatch& all) const {
    const json* kind = admission::Member(document, "kind");
    if (kind != nullptr && (*kind == "ResourceQuota" || *kind == "LimitRange") &&
        Names("nvidia.com/")) {
      all.notes.push_back(NameOfObject(document) +
                          ": stays as it is; how much of Aliquot's resources a namespace may have "
                          "is yours to say, under requests." +
                          options_.translate.names.core);
    }
  }

  std::vector<std::string> NotesOf(const DocumentPatch& patch) const {
    std::vector<std::string> notes;
    for (const std::string& note : patch.notes) {
      notes.push_back(Where() + note);
    }
    return notes;
  }

  static std::string Comments(const DocumentPatch& patch) {
    std::string comments;
    for (const std::string& note : patch.notes) {
      comments += "# aliquotctl convert: " + note + "\n";
    }
    return comments;
  }

  const SourceDocument& source_;
  const std::string& file_;
  const ConvertOptions& options_;
};

}  // namespace

Result<Converted> ConvertManifests(std::string_view text, const std::string& file,
                                   const ConvertOptions& options) {
  Converted all;
  std::vector<std::string> problems;
  for (const SourceDocument& source : SplitDocuments(text)) {
    Result<Converted> one = DocumentConverter(source, file, options).Convert();
    if (!one.ok()) {
      problems.push_back(one.status().message());
      continue;
    }
    all.text += one->text;
    all.notes.insert(all.notes.end(), one->notes.begin(), one->notes.end());
  }
  if (!problems.empty()) {
    return InvalidArgument(Join(problems, "\n"));
  }
  return all;
}

}  // namespace aliquot::cli
