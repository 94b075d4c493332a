// SPDX-License-Identifier: Apache-2.0
#include "allocator/configuration.h"

#include <memory>

#include "allocator/configuration_fields.h"
#include "allocator/map_reader.h"
#include "allocator/yaml_document.h"

namespace aliquot::allocator {
namespace {

// Reads each field from the document, section by section.
class FieldReader final : public FieldVisitor {
 public:
  FieldReader(YamlSource& source, const YamlValue& document, Origins& origins)
      : origins_(origins), document_(source, document, root_) {
    CheckVersion();
  }

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

  void Finish() { document_.RefuseUnknownKeys(); }

 private:
  MapReader& Reader(std::string_view key) {
    MapReader& reader = section_ ? *section_ : document_;
    if (reader.Has(key)) {
      const int line = reader.LineOf(key);
      origins_[YamlPath(reader.path(), key).ToString()] = reader.source().Where(line);
    }
    return reader;
  }

  void CheckVersion() {
    for (const auto& [key, expected] : {std::pair{"apiVersion", kConfigurationApiVersion},
                                        std::pair{"kind", kConfigurationKind}}) {
      document_.MissingKey(key);
      document_.Choice(key, "", {expected});
    }
  }

  Origins& origins_;
  const YamlPath root_;
  MapReader document_;
  YamlPath section_path_;
  std::optional<MapReader> section_;
};

// Writes each field; texts are quoted as JSON strings, which YAML reads.
class FieldPrinter final : public FieldVisitor {
 public:
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

  std::string Take() { return std::move(out_); }

 private:
  void Line(std::string_view key, std::string_view value) {
    out_ += indent_ + std::string(key) + ": " + std::string(value) + "\n";
  }
  // A single-quoted YAML scalar: only the quote itself needs an escape. Paths and names hold no
  // newline (CheckConfiguration).
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

  std::string out_ = "apiVersion: " + std::string(kConfigurationApiVersion) +
                     "\nkind: " + std::string(kConfigurationKind) + "\n";
  std::string indent_;
};

void ReadDocument(const YamlValue& document, const std::string& file, Configuration& configuration,
                  Origins& origins, Problems& problems) {
  YamlSource source{file, problems};
  FieldReader reader(source, document, origins);
  VisitFields(configuration, reader);
  reader.Finish();
}

}  // namespace

void ReadConfiguration(std::string_view text, const std::string& file, Configuration& configuration,
                       Origins& origins, Problems& problems) {
  const auto document = ParseYaml(text, file, problems);
  if (document) {
    ReadDocument(*document, file, configuration, origins, problems);
  }
}

void LoadConfiguration(const std::string& file, Configuration& configuration, Origins& origins,
                       Problems& problems) {
  const auto document = LoadYaml(file, kMaxConfigurationBytes, problems);
  if (document) {
    ReadDocument(*document, file, configuration, origins, problems);
  }
}

std::string PrintConfiguration(const Configuration& configuration) {
  Configuration copy =
      configuration;  // the visitors share one signature; the printer changes nothing
  FieldPrinter printer;
  VisitFields(copy, printer);
  return printer.Take();
}

}  // namespace aliquot::allocator
