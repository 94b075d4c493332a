// SPDX-License-Identifier: Apache-2.0
// aliquotctl convert: manifests for other GPU sharing become Aliquot's.
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "base/strings.h"
#include "cli/convert_document.h"
#include "cli/text_file.h"
#include "cli/verb.h"

namespace aliquot::cli {
namespace {

struct ConvertFlags {
  std::string file;
  std::string from = "auto";
  std::int64_t card_memory = 0;
  std::string share;
  std::string output;
};

// "20:4096": percent and MiB.
Result<translate::ReplicaShare> ParseShare(const std::string& text) {
  const auto parts = Split(text, ':');
  const auto core = ParseUnsigned(parts.front());
  const auto mib = parts.size() == 2 ? ParseUnsigned(parts.back()) : std::nullopt;
  if (!core || !mib || *core < 1 || *core > 99 || *mib < 1) {
    return InvalidArgument("--share is " + Printable(text) +
                           "; give percent (1 to 99) and MiB of one share, such as 20:4096");
  }
  return translate::ReplicaShare{*core, *mib};
}

Status RunConvert(const ConvertFlags& flags, Streams& streams) {
  ConvertOptions options;
  options.output = flags.output;
  if (flags.from != "auto") {
    options.from = translate::SchemeNamed(flags.from);
  }
  if (flags.card_memory > 0) {
    options.translate.card_mib = flags.card_memory;
  }
  if (!flags.share.empty()) {
    const auto share = ParseShare(flags.share);
    if (!share.ok()) {
      return share.status();
    }
    options.translate.replica = *share;
  }
  const auto text = ReadTextFile(flags.file);
  if (!text.ok()) {
    return text.status();
  }
  const auto converted = ConvertManifests(*text, flags.file, options);
  if (!converted.ok()) {
    return converted.status();
  }
  for (const std::string& note : converted->notes) {
    streams.err << note << '\n';
  }
  streams.out << converted->text;
  return Status::Ok();
}

}  // namespace

void AddConvertVerb(CLI::App& app, Run& run) {
  auto flags = std::make_shared<ConvertFlags>();
  CLI::App* verb = app.add_subcommand(
      "convert", "rewrite manifests for HAMi, NVIDIA's plugin or KAI to Aliquot's resources");
  verb->add_option("FILE", flags->file, "manifests, YAML or JSON; - is the standard input")
      ->required();
  verb->add_option("--from", flags->from, "what they are written for; auto: each pod tells")
      ->check(CLI::IsMember({"auto", "hami", "nvidia", "kai"}))
      ->type_name("auto|hami|nvidia|kai")
      ->capture_default_str();
  verb->add_option("--card-memory", flags->card_memory,
                   "memory of the cards they are meant for, where a part of a card is asked for")
      ->check(CLI::Range(std::int64_t{256}, std::int64_t{1} << 20))
      ->type_name("MIB");
  verb->add_option(
          "--share", flags->share,
          "nvidia: nvidia.com/gpu is a time-sliced GPU, worth this; without it a whole one")
      ->type_name("CORE:MIB");
  verb->add_option("-o,--output", flags->output, "yaml or json; each document's own otherwise")
      ->check(CLI::IsMember({"yaml", "json"}))
      ->type_name("yaml|json");
  verb->callback(
      [flags, &run] { run = [flags](Streams& streams) { return RunConvert(*flags, streams); }; });
}

}  // namespace aliquot::cli
