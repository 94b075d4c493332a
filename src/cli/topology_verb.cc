// SPDX-License-Identifier: Apache-2.0
// aliquotctl topology FILE: draws a node, and chooses, scores or ranks sets of its cards.
#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <ostream>

#include "cli/number_list.h"
#include "cli/set_answer.h"
#include "cli/text_file.h"
#include "cli/topology_svg.h"
#include "cli/topology_text.h"
#include "cli/verb.h"
#include "topology/node_topology.h"
#include "topology/read_topology.h"
#include "topology/set_chooser.h"

namespace aliquot::cli {
namespace {

struct TopologyFlags {
  std::string file;
  std::optional<int> count;
  std::optional<std::string> free;
  std::optional<std::string> set;
  std::string placement = "topology";
  std::string output = "text";
  bool ranked = false;
  std::string plot;
};

// The last part of a path.
std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Of the flags that need each other.
Status CheckFlags(const TopologyFlags& flags) {
  if (flags.ranked && !flags.count) {
    return InvalidArgument("--ranked needs --count; say how many cards a set has");
  }
  if (flags.set && flags.count) {
    return InvalidArgument("--set and --count are both given; keep one");
  }
  if (flags.output == "json" && !flags.set && !flags.count) {
    return InvalidArgument("--output json needs --count or --set; the drawing is text, or --plot");
  }
  return Status::Ok();
}

class TopologyRun {
 public:
  TopologyRun(const TopologyFlags& flags, topology::Description description,
              std::shared_ptr<const topology::NodeTopology> topology)
      : flags_(flags),
        description_(std::move(description)),
        topology_(std::move(topology)),
        chooser_(topology_->chooser()) {}

  Status Answer(Streams& streams) {
    if (topology_->card_count() == 0 && (flags_.count || flags_.set)) {
      return InvalidArgument(flags_.file +
                             ": describes no GPU, so there is nothing to choose from");
    }
    const auto free = flags_.free ? ParseCardSet(*flags_.free, topology_->card_count(), "--free")
                                  : Result<topology::CardSet>(chooser_.shape().all());
    if (!free.ok()) {
      return free.status();
    }
    free_ = *free;
    Status status = Status::Ok();
    if (flags_.ranked) {
      status = Rank(streams);
    } else if (flags_.set) {
      status = ScoreSet(streams);
    } else if (flags_.count) {
      status = Choose(streams);
    } else {
      streams.out << DrawTopologyText(description_, *topology_);
    }
    if (!status.ok() || flags_.plot.empty()) {
      return status;
    }
    return WriteTextFile(flags_.plot,
                         DrawTopologySvg(description_, *topology_, BaseName(flags_.file), chosen_));
  }

 private:
  bool json() const { return flags_.output == "json"; }
  topology::SetRequest Request(int count) const {
    topology::SetRequest request;
    request.free = free_;
    request.count = count;
    request.sensitive = flags_.placement == "topology";
    return request;
  }
  SetContext ContextOf(const topology::SetRequest& request) const {
    return {description_, chooser_.OrderOf(request), free_};
  }
  Status TooFew() const {
    return InvalidArgument("--count is " + std::to_string(*flags_.count) + " and " +
                           std::to_string(topology::CountOf(free_)) +
                           " cards are free; ask for 1 to that many");
  }

  void Print(topology::CardSet set, const topology::SetRequest& request, bool cut_short,
             Streams& streams) {
    chosen_ = set;
    const AnsweredSet answer{set, chooser_.ValueOf(set, request)};
    const SetContext context = ContextOf(request);
    streams.out << (json() ? SetJson(answer, context, cut_short)
                           : SetText(answer, context, cut_short));
  }

  Status Choose(Streams& streams) {
    const topology::SetRequest request = Request(*flags_.count);
    const topology::SetChoice choice = chooser_.Choose(request);
    if (choice.set == 0) {
      return TooFew();
    }
    Print(choice.set, request, choice.cut_short, streams);
    return Status::Ok();
  }

  Status ScoreSet(Streams& streams) {
    const auto set = ParseCardSet(*flags_.set, topology_->card_count(), "--set");
    if (!set.ok()) {
      return set.status();
    }
    if (*set == 0) {
      return InvalidArgument("--set is empty; name at least one card");
    }
    if ((*set & ~free_) != 0) {
      return InvalidArgument("--set names a card that --free does not; use free cards only");
    }
    Print(*set, Request(topology::CountOf(*set)), /*cut_short=*/false, streams);
    return Status::Ok();
  }

  Status Rank(Streams& streams) {
    const topology::SetRequest request = Request(*flags_.count);
    const auto sets = chooser_.Ranked(request);
    if (!sets.ok()) {
      return sets.status();
    }
    if (sets->empty()) {
      return TooFew();
    }
    chosen_ = sets->front().set;
    const SetContext context = ContextOf(request);
    streams.out << (json() ? RankedJson(*sets, context) : RankedText(*sets, context));
    return Status::Ok();
  }

  const TopologyFlags& flags_;
  const topology::Description description_;
  const std::shared_ptr<const topology::NodeTopology> topology_;
  const topology::SetChooser& chooser_;
  topology::CardSet free_ = 0;
  topology::CardSet chosen_ = 0;
};

Status RunTopology(const TopologyFlags& flags, Streams& streams) {
  if (Status status = CheckFlags(flags); !status.ok()) {
    return status;
  }
  const auto text = ReadTextFile(flags.file);
  if (!text.ok()) {
    return text.status();
  }
  const std::string name = flags.file == "-" ? "standard input" : flags.file;
  auto description = topology::ReadTopology(*text, name);
  if (!description.ok()) {
    return description.status();
  }
  auto topology = topology::NodeTopology::Create(*description);
  if (!topology.ok()) {
    return topology.status().WithContext(name);
  }
  return TopologyRun(flags, *std::move(description), *std::move(topology)).Answer(streams);
}

}  // namespace

void AddTopologyVerb(CLI::App& app, Run& run) {
  auto flags = std::make_shared<TopologyFlags>();
  CLI::App* verb =
      app.add_subcommand("topology", "draw a node's GPUs and links, choose or score sets of them");
  verb->add_option("FILE", flags->file,
                   "output of nvidia-smi topo -m, NCCL topology XML, MAPA pair list, or a table of "
                   "measured GB/s; - for standard input")
      ->required();
  verb->add_option("--count", flags->count, "choose this many cards")->type_name("K");
  verb->add_option("--free", flags->free, "cards that may be chosen, from 0 (all)")
      ->type_name("0,2,3");
  verb->add_option("--set", flags->set, "score these cards instead of choosing")->type_name("0,3");
  verb->add_option("--placement", flags->placement,
                   "topology: best connected first; binpack, spread: what remains for others first")
      ->check(CLI::IsMember({"topology", "binpack", "spread"}))
      ->type_name("topology|binpack|spread")
      ->capture_default_str();
  verb->add_option("--output", flags->output, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("text|json")
      ->capture_default_str();
  verb->add_flag("--ranked", flags->ranked, "list every set of --count cards, best first");
  verb->add_option("--plot", flags->plot, "write a picture here")->type_name("FILE.svg");
  verb->callback(
      [flags, &run] { run = [flags](Streams& streams) { return RunTopology(*flags, streams); }; });
}

}  // namespace aliquot::cli
