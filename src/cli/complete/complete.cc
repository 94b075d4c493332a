// SPDX-License-Identifier: Apache-2.0
#include "cli/complete/complete.h"

#include <ostream>

#include "base/strings.h"
#include "cli/complete/names.h"
#include "cli/complete/question.h"

namespace aliquot::cli {

void Complete(const CLI::App& app, const std::vector<std::string>& words, const Clock& clock,
              Streams& streams) {
  const CompletionQuestion question = AskedBy(app, words);
  for (const Candidate& candidate : question.candidates) {
    streams.out << question.before << candidate.word;
    if (!candidate.description.empty()) {
      streams.out << '\t' << candidate.description;
    }
    streams.out << '\n';
  }
  for (const std::string& name : NamesFor(question, clock)) {
    // Another text than the name would be of no use, as a cut one.
    if (Printable(name, name.size()) == name) {
      streams.out << question.before << name << '\n';
    }
  }
  streams.out << (question.files ? ":0\n" : ":4\n");
}

}  // namespace aliquot::cli
