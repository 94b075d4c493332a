// SPDX-License-Identifier: Apache-2.0
#include "cli/report_text.h"

#include <vector>

#include "base/strings.h"
#include "scoring/refusal.h"
#include "simulate/text_table.h"

namespace aliquot::cli {
namespace {

// More nodes than a screen holds say nothing new; JSON has them all.
constexpr std::size_t kMostNodes = 20;

std::string AskedText(const model::PodDemand& demand) {
  std::string text;
  for (const model::ContainerDemand& container : demand.containers) {
    text += "  " + Printable(container.name) + ": ";
    if (container.whole) {
      text +=
          std::to_string(container.cards) + (container.cards == 1 ? " whole GPU" : " whole GPUs");
    } else {
      text += std::to_string(container.core) + " % and " + std::to_string(container.mib) + " MiB";
      text += container.cards == 1 ? " of one GPU"
                                   : " of each of " + std::to_string(container.cards) + " GPUs";
    }
    text += '\n';
  }
  return text;
}

std::string TermsText(const scoring::Score& score) {
  std::vector<std::string> terms;
  for (const scoring::Term& term : score.terms()) {
    if (term.value != 0) {
      terms.push_back(std::string(term.name) + " " + std::to_string(term.value));
    }
  }
  return terms.empty() ? "no term speaks for or against it" : Join(terms, ", ");
}

std::string BestText(const explain::NodeReport& node) {
  std::string text = "best node " + Printable(node.name) + ", rank " +
                     std::to_string(node.score.total()) + " = " + TermsText(node.score) + "\n";
  for (const explain::ChosenContainer& container : node.containers) {
    for (const explain::ChosenCard& card : container.cards) {
      text += "  " + Printable(container.name) + ": card " + std::to_string(card.minor) + " (" +
              Printable(card.uuid) + ")";
      text += card.score.terms().empty() ? "" : ", " + TermsText(card.score);
      text += '\n';
    }
  }
  return text;
}

std::string NodesText(const explain::Report& report) {
  simulate::TextTable table({"node", "rank", "GPUs", "idle", "most free %", "verdict"},
                            /*words_last=*/true);
  for (std::size_t i = 0; i < report.nodes.size() && i < kMostNodes; ++i) {
    const explain::NodeReport& node = report.nodes[i];
    const bool fits = node.verdict.fits();
    table.Add({Printable(node.name), fits ? std::to_string(node.score.total()) : "-",
               std::to_string(node.figures.usable_cards), std::to_string(node.figures.idle_cards),
               std::to_string(node.figures.largest_core_free),
               std::string(scoring::RefusalSentence(node.verdict.refusal))});
  }
  std::string text = table.Text();
  if (report.nodes.size() > kMostNodes) {
    text += "and " + std::to_string(report.nodes.size() - kMostNodes) +
            " more nodes; --output json lists all\n";
  }
  return text;
}

}  // namespace

std::string ReportText(const explain::Report& report, const model::PodDemand& demand) {
  std::string text = report.summary + "\n\nasked for\n" + AskedText(demand) + "\n";
  if (const explain::NodeReport* best = report.best()) {
    text += BestText(*best) + "\n";
  }
  if (!report.nodes.empty()) {
    text += NodesText(report);
  }
  text += "policy " + report.policy +
          "; processor, main memory, taints and affinity are kube-scheduler's to judge\n";
  return text;
}

}  // namespace aliquot::cli
