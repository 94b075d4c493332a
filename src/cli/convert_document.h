// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "translate/translate.h"

namespace aliquot::cli {

struct ConvertOptions {
  std::optional<translate::Scheme> from;  // nothing: each pod tells
  translate::TranslateOptions translate;
  std::string output;  // "yaml", "json", or "" for each document's own
};

struct Converted {
  std::string text;
  // `FILE:LINE: Deployment "web": sentence`, LINE being the document's first.
  std::vector<std::string> notes;
};

// Converts every document of a manifest file, YAML (several documents) or JSON (one): Pods, and
// everything with a pod template below a key `template`, also in the items of a List. A document in
// which nothing changes is given back byte for byte, unless another output is asked for; it is read
// only when its text names a GPU. Of one that changes the comments before its first line stay,
// those within do not, and its notes stand above it as comments.
//
// The error has one sentence a line, with file and line: everything that could not be converted;
// then nothing is. Pure.
Result<Converted> ConvertManifests(std::string_view text, const std::string& file,
                                   const ConvertOptions& options);

}  // namespace aliquot::cli
