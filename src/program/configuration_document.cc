// SPDX-License-Identifier: Apache-2.0
#include "program/configuration_document.h"

#include <fnmatch.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "program/map_reader.h"
#include "program/yaml_document.h"

namespace aliquot::program {
namespace {

// Reads each field from the document, section by section.
class FieldReader final : public FieldVisitor {
 public:
  // A document, or one entry of its list of overrides.
  FieldReader(YamlSource& source, const YamlValue& map, const YamlPath& root, Origins& origins)
      : origins_(origins), root_(root), document_(source, map, root_) {}

  void RequireHead(std::string_view kind) {
    Require("apiVersion", kConfigurationApiVersion);
    Require("kind", kind);
  }
  MapReader& document() { return document_; }

  void BeginSection(std::string_view name) override {
    const YamlValue* map = document_.Map(name);
    section_path_ = YamlPath(root_, name);
    static const YamlValue kNothing = [] {
      YamlValue empty;
      empty.kind = YamlValue::Kind::kMap;
      return empty;
    }();
    section_.emplace(document_.source(), map == nullptr ? kNothing : *map, section_path_);
  }
  void EndSection() override {
    section_->RefuseUnknownKeys();
    section_.reset();
  }

  void Text(std::string_view key, std::string& value) override {
    value = Reader(key).Text(key, value);
  }
  void Choice(std::string_view key, std::string& value,
              const std::vector<std::string_view>& choices) override {
    value = Reader(key).Choice(key, std::move(value), choices);
  }
  void Boolean(std::string_view key, bool& value) override {
    value = Reader(key).Boolean(key, value);
  }
  void Integer(std::string_view key, std::int64_t& value, std::int64_t least,
               std::int64_t most) override {
    value = Reader(key).Integer(key, value, least, most);
  }
  void Duration(std::string_view key, Milliseconds& value, Milliseconds least,
                Milliseconds most) override {
    value = Reader(key).Duration(key, value, least, most);
  }
  void Texts(std::string_view key, std::vector<std::string>& values) override {
    if (auto given = Reader(key).Texts(key)) {
      values = *std::move(given);
    }
  }
  void Integers(std::string_view key, std::vector<int>& values, int least, int most) override {
    if (auto given = Reader(key).Integers(key, least, most)) {
      values = *std::move(given);
    }
  }

  void Finish() { document_.RefuseUnknownKeys(); }

 private:
  MapReader& Reader(std::string_view key) {
    MapReader& reader = section_ ? *section_ : document_;
    if (reader.Has(key)) {
      const int line = reader.LineOf(key);
      // By the field's own name, also where an override gives it.
      const std::string name = YamlPath(reader.path(), key).ToString();
      const std::string above = root_.ToString();
      origins_[above.empty() ? name : name.substr(above.size() + 1)] = reader.source().Where(line);
    }
    return reader;
  }

  void Require(std::string_view key, std::string_view expected) {
    document_.MissingKey(key);
    document_.Choice(key, "", {expected});
  }

  Origins& origins_;
  const YamlPath root_;
  MapReader document_;
  YamlPath section_path_;
  std::optional<MapReader> section_;
};

// Writes each field; texts in single quotes.
class FieldPrinter final : public FieldVisitor {
 public:
  explicit FieldPrinter(std::string_view kind)
      : out_("apiVersion: " + std::string(kConfigurationApiVersion) +
             "\nkind: " + std::string(kind) + "\n") {}

  void BeginSection(std::string_view name) override {
    out_ += std::string(name) + ":\n";
    indent_ = "  ";
  }
  void EndSection() override { indent_ = ""; }
  void Text(std::string_view key, std::string& value) override { Line(key, Quoted(value)); }
  void Choice(std::string_view key, std::string& value,
              const std::vector<std::string_view>& /*choices*/) override {
    Line(key, value);
  }
  void Boolean(std::string_view key, bool& value) override { Line(key, value ? "true" : "false"); }
  void Integer(std::string_view key, std::int64_t& value, std::int64_t /*least*/,
               std::int64_t /*most*/) override {
    Line(key, std::to_string(value));
  }
  void Duration(std::string_view key, Milliseconds& value, Milliseconds /*least*/,
                Milliseconds /*most*/) override {
    Line(key, FormatDuration(value));
  }
  void Texts(std::string_view key, std::vector<std::string>& values) override {
    std::vector<std::string> quoted;
    quoted.reserve(values.size());
    for (const std::string& value : values) {
      quoted.push_back(Quoted(value));
    }
    Line(key, "[" + Join(quoted, ", ") + "]");
  }
  void Integers(std::string_view key, std::vector<int>& values, int /*least*/,
                int /*most*/) override {
    std::vector<std::string> numbers;
    numbers.reserve(values.size());
    for (const int value : values) {
      numbers.push_back(std::to_string(value));
    }
    Line(key, "[" + Join(numbers, ", ") + "]");
  }

  std::string Take() { return std::move(out_); }

 private:
  void Line(std::string_view key, std::string_view value) {
    out_ += indent_ + std::string(key) + ": " + std::string(value) + "\n";
  }
  // A single-quoted YAML scalar: only the quote itself needs an escape. Paths and names hold no
  // newline (RefuseControlCharacters).
  static std::string Quoted(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text) {
      quoted += c;
      if (c == '\'') {
        quoted += c;
      }
    }
    return quoted + "'";
  }

  std::string out_;
  std::string indent_;
};

// See RefuseControlCharacters.
class TextChecker final : public FieldVisitor {
 public:
  TextChecker(const Origins& origins, Problems& problems)
      : origins_(origins), problems_(problems) {}

  void BeginSection(std::string_view name) override { section_ = std::string(name) + "."; }
  void EndSection() override { section_.clear(); }
  void Text(std::string_view key, std::string& value) override { Check(key, value); }
  void Texts(std::string_view key, std::vector<std::string>& values) override {
    for (const std::string& value : values) {
      Check(key, value);
    }
  }
  void Choice(std::string_view, std::string&, const std::vector<std::string_view>&) override {}
  void Boolean(std::string_view, bool&) override {}
  void Integer(std::string_view, std::int64_t&, std::int64_t, std::int64_t) override {}
  void Duration(std::string_view, Milliseconds&, Milliseconds, Milliseconds) override {}
  void Integers(std::string_view, std::vector<int>&, int, int) override {}

 private:
  void Check(std::string_view key, const std::string& value) {
    const auto bad = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    if (std::any_of(value.begin(), value.end(), bad)) {
      const std::string name = section_ + std::string(key);
      problems_.Add(WhereOf(origins_, name), name + " is \"" + Printable(value) +
                                                 "\", which holds a control character; remove it");
    }
  }

  const Origins& origins_;
  Problems& problems_;
  std::string section_;
};

bool Matches(const std::vector<std::string>& patterns, const std::string& node) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return fnmatch(pattern.c_str(), node.c_str(), 0) == 0;
  });
}

void ReadOverride(YamlSource& source, const YamlValue& entry, const YamlPath& path,
                  const FieldTable& table, const NodeOverrides& overrides, Origins& origins) {
  Origins nowhere;
  const YamlValue* nodes = entry.Find("nodes");
  std::vector<std::string> patterns;
  if (nodes != nullptr && nodes->kind == YamlValue::Kind::kList) {
    for (const YamlValue& item : nodes->items) {
      patterns.push_back(item.text);
    }
  }
  const bool ours = Matches(patterns, overrides.node);
  FieldReader reader(source, entry, path, ours ? origins : nowhere);
  if (const auto given = reader.document().Texts("nodes"); !given || given->empty()) {
    reader.document().Complain("nodes",
                               "names no node; give a list of node names or patterns such as "
                               "\"a100-*\"");
  }
  (ours ? table : overrides.unused)(reader);
  reader.Finish();
}

void ReadDocument(const YamlValue& document, const std::string& file, std::string_view kind,
                  const FieldTable& table, const NodeOverrides* overrides, Origins& origins,
                  Problems& problems) {
  YamlSource source{file, problems};
  const YamlPath root;
  FieldReader reader(source, document, root, origins);
  reader.RequireHead(kind);
  table(reader);
  if (overrides != nullptr) {
    const YamlPath list(root, "overrides");
    if (const YamlValue* entries = reader.document().List("overrides")) {
      for (std::size_t i = 0; i < entries->items.size(); ++i) {
        ReadOverride(source, entries->items[i], YamlPath(list, i), table, *overrides, origins);
      }
    }
  }
  reader.Finish();
}

}  // namespace

std::string_view WhereOf(const Origins& origins, std::string_view key) {
  const auto at = origins.find(key);
  return at == origins.end() ? std::string_view("configuration") : std::string_view(at->second);
}

void ReadConfigurationText(std::string_view text, const std::string& file, std::string_view kind,
                           const FieldTable& table, Origins& origins, Problems& problems) {
  const auto document = ParseYaml(text, file, problems);
  if (document) {
    ReadDocument(*document, file, kind, table, nullptr, origins, problems);
  }
}

void ReadConfigurationFile(const std::string& file, std::string_view kind, const FieldTable& table,
                           Origins& origins, Problems& problems, const NodeOverrides* overrides) {
  const auto document = LoadYaml(file, kMaxConfigurationBytes, problems);
  if (document) {
    ReadDocument(*document, file, kind, table, overrides, origins, problems);
  }
}

std::string PrintFields(std::string_view kind, const FieldTable& table) {
  FieldPrinter printer(kind);
  table(printer);
  return printer.Take();
}

void RefuseControlCharacters(const FieldTable& table, const Origins& origins, Problems& problems) {
  TextChecker texts(origins, problems);
  table(texts);
}

}  // namespace aliquot::program
