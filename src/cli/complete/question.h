// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a half-typed command line asks for, found in the parser's own verbs and flags, so that there
// is no second list of them. Pure.

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace aliquot::cli {

struct Candidate {
  std::string word;
  std::string description;  // may be empty
};

struct CompletionQuestion {
  // Whose names the cluster or the kubeconfig is to be asked for, besides `candidates`.
  enum class Names { kNone, kPods, kGpuPods, kNodes, kNamespaces, kContexts };

  std::vector<Candidate> candidates;  // that begin with what is typed
  Names names = Names::kNone;
  bool files = false;  // the shell completes paths
  std::string typed;   // what the names must begin with
  std::string before;  // "--context=": stands before each candidate
  // Of the words so far.
  std::string kubeconfig;
  std::string context;
  std::string namespace_name;
  bool in_cluster = false;
};

// `words`: those after the program's name; the last one is being typed and may be empty.
CompletionQuestion AskedBy(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace aliquot::cli
