// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "program/field_visitor.h"
#include "program/problems.h"

namespace aliquot::program {

// The configuration file of a program: one YAML document of apiVersion, kind and the fields of a
// table. Thread-safe.

inline constexpr std::string_view kConfigurationApiVersion = "aliquot.io/v1alpha1";
inline constexpr std::size_t kMaxConfigurationBytes = 1 << 20;

// Where each value that was given comes from, by its key ("listen.monitor"): "allocator.yaml:12",
// "--tls-cert".
using Origins = std::map<std::string, std::string, std::less<>>;

// "configuration" for a value that nobody gave. The start of a problem's line.
std::string_view WhereOf(const Origins& origins, std::string_view key);

// Visits every field of the configuration that it is bound to.
using FieldTable = std::function<void(FieldVisitor&)>;

// One file for many nodes: the document's list `overrides`, each entry with `nodes` (names, or
// patterns as of fnmatch(3)) and any of the table's fields. Those of entries that match `node`
// overwrite the document's, in the order written; the others are checked all the same.
struct NodeOverrides {
  std::string node;
  FieldTable unused;  // bound to a configuration that nobody reads
};

// Overwrites the table's fields with what the document says. Unknown keys, another apiVersion or
// kind, and values of a wrong type or out of range are problems with their lines, all of them.
void ReadConfigurationText(std::string_view text, const std::string& file, std::string_view kind,
                           const FieldTable& table, Origins& origins, Problems& problems);
// The same of a file of at most kMaxConfigurationBytes.
// `overrides`: nullptr for a program that has none (the key is then unknown).
void ReadConfigurationFile(const std::string& file, std::string_view kind, const FieldTable& table,
                           Origins& origins, Problems& problems,
                           const NodeOverrides* overrides = nullptr);

// The fields as such a document: reading it gives the same configuration again. The table's fields
// stay as they are.
std::string PrintFields(std::string_view kind, const FieldTable& table);

// Control characters in a text would break messages, logs and the printed configuration: each is a
// problem. The table's fields stay as they are.
void RefuseControlCharacters(const FieldTable& table, const Origins& origins, Problems& problems);

}  // namespace aliquot::program
