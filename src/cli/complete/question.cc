// SPDX-License-Identifier: Apache-2.0
#include "cli/complete/question.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/strings.h"

namespace aliquot::cli {
namespace {

using Names = CompletionQuestion::Names;

bool TakesValue(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

bool HasName(const CLI::Option& option, const std::string& name) {
  const auto& longs = option.get_lnames();
  return std::find(longs.begin(), longs.end(), name) != longs.end();
}

// The flag that a word is: "--output", "-o", "--output=x" or "-ox".
const CLI::Option* FlagOf(const std::vector<const CLI::Option*>& options, const std::string& word,
                          std::string* value, bool* has_value) {
  *has_value = false;
  if (word.size() < 2 || word.front() != '-') {
    return nullptr;
  }
  const bool is_long = word[1] == '-';
  const std::size_t equals = is_long ? word.find('=') : std::string::npos;
  const std::string name = is_long
                               ? word.substr(2, equals == std::string::npos ? equals : equals - 2)
                               : word.substr(1, 1);
  for (const CLI::Option* option : options) {
    const auto& names = is_long ? option->get_lnames() : option->get_snames();
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      *has_value = is_long ? equals != std::string::npos : word.size() > 2;
      *value = !*has_value ? "" : word.substr(is_long ? equals + 1 : 2);
      return option;
    }
  }
  return nullptr;
}

// Of a check IsMember, which shows what it takes as "{a,b}" behind the name of the type.
std::vector<std::string> MembersOf(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}', open == std::string::npos ? 0 : open);
  std::vector<std::string> members;
  if (open != std::string::npos && close != std::string::npos) {
    for (const std::string_view member :
         Split(std::string_view(type).substr(open + 1, close - open - 1), ',')) {
      members.emplace_back(member);
    }
  }
  return members;
}

// One walk over the words that are complete.
class Walk {
 public:
  Walk(const CLI::App& app, const std::vector<std::string>& words) : app_(app) {
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      Take(words[i]);
    }
    asked_.typed = words.empty() ? "" : words.back();
  }

  CompletionQuestion Answer() {
    std::string value;
    bool has_value = false;
    const CLI::Option* typed = FlagOf(Options(), asked_.typed, &value, &has_value);
    if (waiting_ != nullptr) {
      ValuesOf(*waiting_);
    } else if (typed != nullptr && has_value && StartsWith(asked_.typed, "--") &&
               TakesValue(*typed)) {
      asked_.before = asked_.typed.substr(0, asked_.typed.find('=') + 1);
      asked_.typed = value;
      ValuesOf(*typed);
    } else if (StartsWith(asked_.typed, "-")) {
      Flags();
    } else if (verb_ == nullptr) {
      Verbs();
    } else {
      Positional();
    }
    return std::move(asked_);
  }

 private:
  std::vector<const CLI::Option*> Options() const {
    return (verb_ == nullptr ? app_ : *verb_).get_options();
  }

  void Take(const std::string& word) {
    if (waiting_ != nullptr) {
      Know(*waiting_, word);
      waiting_ = nullptr;
      return;
    }
    std::string value;
    bool has_value = false;
    const CLI::Option* flag = FlagOf(Options(), word, &value, &has_value);
    if (flag != nullptr && TakesValue(*flag)) {
      if (has_value) {
        Know(*flag, value);
      } else {
        waiting_ = flag;
      }
    } else if (flag != nullptr) {
      asked_.in_cluster = asked_.in_cluster || HasName(*flag, "in-cluster");
    } else if (!StartsWith(word, "-") && verb_ == nullptr) {
      const auto verbs =
          app_.get_subcommands([&word](const CLI::App* each) { return each->get_name() == word; });
      verb_ = verbs.empty() ? nullptr : verbs.front();
      unknown_verb_ = verbs.empty();
    } else if (!StartsWith(word, "-")) {
      given_.push_back(word);
    }
  }

  void Know(const CLI::Option& flag, const std::string& value) {
    for (const auto& [name, place] :
         {std::pair{"kubeconfig", &asked_.kubeconfig}, std::pair{"context", &asked_.context},
          std::pair{"namespace", &asked_.namespace_name}}) {
      if (HasName(flag, name)) {
        *place = value;
      }
    }
  }

  void Add(const std::string& word, const std::string& description = "") {
    if (StartsWith(word, asked_.typed)) {
      asked_.candidates.push_back({word, description});
    }
  }

  void ValuesOf(const CLI::Option& option) {
    const auto members = MembersOf(option);
    for (const std::string& member : members) {
      Add(member);
    }
    const std::string type = option.get_type_name();
    if (HasName(option, "context")) {
      asked_.names = Names::kContexts;
    } else if (StartsWith(type, "NS")) {
      asked_.names = Names::kNamespaces;
    } else {
      asked_.files = StartsWith(type, "FILE");
    }
  }

  void Flags() {
    for (const CLI::Option* option : Options()) {
      for (const std::string& name : option->get_lnames()) {
        Add("--" + name, option->get_description());
      }
    }
  }

  void Verbs() {
    if (unknown_verb_) {
      return;
    }
    // Without a group: hidden.
    for (const CLI::App* verb :
         app_.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); })) {
      Add(verb->get_name(), verb->get_description());
    }
  }

  void Positional() {
    std::vector<const CLI::Option*> places;
    for (const CLI::Option* option : verb_->get_options()) {
      if (option->get_positional()) {
        places.push_back(option);
      }
    }
    if (given_.size() >= places.size()) {
      return;
    }
    const CLI::Option& place = *places[given_.size()];
    const std::string name = place.get_name(/*positional=*/true);
    if (name == "POD") {
      asked_.names = verb_->get_name() == "why" ? Names::kPods : Names::kGpuPods;
    } else if (name == "NAME" && !given_.empty()) {
      asked_.names = StartsWith(given_.front(), "po") ? Names::kGpuPods : Names::kNodes;
    } else {
      ValuesOf(place);
      asked_.files = asked_.files || name == "FILE";
    }
  }

  const CLI::App& app_;
  CompletionQuestion asked_;
  const CLI::App* verb_ = nullptr;
  bool unknown_verb_ = false;
  const CLI::Option* waiting_ = nullptr;  // a flag whose value is the next word
  std::vector<std::string> given_;        // positional words behind the verb
};

}  // namespace

CompletionQuestion AskedBy(const CLI::App& app, const std::vector<std::string>& words) {
  return Walk(app, words).Answer();
}

}  // namespace aliquot::cli
