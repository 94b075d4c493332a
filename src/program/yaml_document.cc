// SPDX-License-Identifier: Apache-2.0
#include "program/yaml_document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <istream>
#include <streambuf>
#include <system_error>

#include "base/strings.h"

namespace aliquot::program {
namespace {

constexpr std::size_t kMaxDepth = 16;

// Ends the parse; caught in ParseYaml.
struct TooDeep {};

// Builds the tree. yaml-cpp calls it in document order; keys and values of a map alternate.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& file, Problems& problems) : file_(file), problems_(problems) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (has_root_) {
      Complain(mark, "a second document begins; give one document only");
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    RefuseAnchor(mark, anchor);
    Put(Make(YamlValue::Kind::kNull, mark), mark);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    Complain(mark, "an alias (*name) is not accepted; write the value out");
    Put(Make(YamlValue::Kind::kNull, mark), mark);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    RefuseAnchor(mark, anchor);
    RefuseTag(mark, tag);
    YamlValue scalar = Make(YamlValue::Kind::kScalar, mark);
    scalar.plain = tag != "!";
    // yaml-cpp leaves the words for "nothing" to its own tree.
    if (scalar.plain && (value == "~" || value == "null" || value.empty())) {
      scalar.kind = YamlValue::Kind::kNull;
    }
    scalar.text = value;
    Put(std::move(scalar), mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    Open(YamlValue::Kind::kList, mark, tag, anchor);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    Open(YamlValue::Kind::kMap, mark, tag, anchor);
  }
  void OnMapEnd() override { Close(); }

  YamlValue TakeRoot() { return std::move(root_); }
  bool has_root() const { return has_root_; }

 private:
  struct Level {
    YamlValue value;
    bool key_is_next = true;
    bool keep = true;  // false: a value of a key that was refused
  };

  static YamlValue Make(YamlValue::Kind kind, const YAML::Mark& mark) {
    YamlValue value;
    value.kind = kind;
    value.line = mark.line + 1;
    return value;
  }

  void Complain(const YAML::Mark& mark, std::string_view sentence) {
    problems_.Add(file_ + ":" + std::to_string(mark.line + 1), sentence);
  }
  void RefuseAnchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != 0) {
      Complain(mark, "an anchor (&name) is not accepted; write the value out where it is needed");
    }
  }
  // "?" stands for plain, "!" for quoted.
  void RefuseTag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!") {
      Complain(mark, "the tag " + Printable(tag) + " is not accepted; leave it out");
    }
  }

  void Open(YamlValue::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    RefuseAnchor(mark, anchor);
    RefuseTag(mark, tag);
    if (levels_.size() == kMaxDepth) {
      Complain(mark,
               "more than " + std::to_string(kMaxDepth) + " levels; nothing here needs so many");
      throw TooDeep();
    }
    levels_.push_back({Make(kind, mark), true, true});
  }

  void Close() {
    YamlValue value = std::move(levels_.back().value);
    levels_.pop_back();
    YAML::Mark mark;
    mark.line = value.line - 1;
    Put(std::move(value), mark);
  }

  void Put(YamlValue value, const YAML::Mark& mark) {
    if (levels_.empty()) {
      root_ = std::move(value);
      has_root_ = true;
      return;
    }
    Level& level = levels_.back();
    if (level.value.kind == YamlValue::Kind::kList) {
      level.value.items.push_back(std::move(value));
    } else if (level.key_is_next) {
      level.keep = PutKey(level.value, value, mark);
      level.key_is_next = false;
    } else {
      if (level.keep) {
        level.value.items.push_back(std::move(value));
      }
      level.key_is_next = true;
    }
  }

  bool PutKey(YamlValue& map, YamlValue& key, const YAML::Mark& mark) {
    if (key.kind != YamlValue::Kind::kScalar) {
      Complain(mark, "a key is not text; write it as a word followed by a colon");
      return false;
    }
    if (key.plain && key.text == "<<") {
      Complain(mark, "a merge key (<<) is not accepted; write the values out");
      return false;
    }
    if (std::find(map.keys.begin(), map.keys.end(), key.text) != map.keys.end()) {
      Complain(mark, "the key " + Printable(key.text) + " is given twice; keep one");
      return false;
    }
    map.keys.push_back(std::move(key.text));
    map.key_lines.push_back(key.line);
    return true;
  }

  const std::string& file_;
  Problems& problems_;
  std::vector<Level> levels_;
  YamlValue root_;
  bool has_root_ = false;
};

// Lets a stream read text without a copy of it.
class ViewBuffer final : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // only read: no put area is set
    setg(begin, begin, begin + text.size());
  }
};

}  // namespace

const YamlValue* YamlValue::Find(std::string_view key) const {
  const auto at = std::find(keys.begin(), keys.end(), key);
  return at == keys.end() ? nullptr : &items[static_cast<std::size_t>(at - keys.begin())];
}

std::optional<YamlValue> ParseYaml(std::string_view text, const std::string& file,
                                   Problems& problems) {
  const std::size_t before = problems.count();
  TreeBuilder builder(file, problems);
  ViewBuffer buffer(text);
  std::istream stream(&buffer);
  try {
    YAML::Parser parser(stream);
    // Never more: the second is refused as soon as it begins, and there are texts (",") at which
    // the parser stands still and delivers one empty document after the other.
    static_cast<void>(parser.HandleNextDocument(builder) && parser.HandleNextDocument(builder));
  } catch (const YAML::Exception& error) {
    problems.Add(file + ":" + std::to_string(std::max(error.mark.line, 0) + 1),
                 "not readable as YAML here: " + error.msg + "; correct the line");
  } catch (const TooDeep&) {
    return std::nullopt;
  }
  if (problems.count() == before && !builder.has_root()) {
    problems.Add(file + ":1", "the file is empty; give one YAML document");
  }
  if (problems.count() != before) {
    return std::nullopt;
  }
  return builder.TakeRoot();
}

std::optional<YamlValue> LoadYaml(const std::string& file, std::size_t max_bytes,
                                  Problems& problems) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    problems.Add(file, "this is a directory; give the path of a file");
    return std::nullopt;
  }
  errno = 0;
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  const auto size = stream ? static_cast<std::streamoff>(stream.tellg()) : -1;
  if (size < 0) {
    const std::string why = std::error_code(errno, std::generic_category()).message();
    problems.Add(file, "the file cannot be read (" + why + "); give the path of a readable file");
    return std::nullopt;
  }
  if (static_cast<std::size_t>(size) > max_bytes) {
    problems.Add(file, "the file has " + std::to_string(size) + " bytes; at most " +
                           std::to_string(max_bytes) + " are accepted");
    return std::nullopt;
  }
  std::string text(static_cast<std::size_t>(size), '\0');
  stream.seekg(0);
  if (!stream.read(text.data(), size)) {
    problems.Add(file, "the file cannot be read to its end; give the path of a regular file");
    return std::nullopt;
  }
  return ParseYaml(text, file, problems);
}

}  // namespace aliquot::program
