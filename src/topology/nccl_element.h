// SPDX-License-Identifier: Apache-2.0
#pragma once

// One element of NCCL's topology file: what it is and its attributes, checked. Pure. Only the
// reader's own sources include this: it brings pugixml.

#include <cstdint>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>

#include "base/status.h"
#include "topology/source_text.h"

namespace aliquot::topology {

// What a <pci> stands for, by its children, its class and its vendor.
enum class PciKind { kGpu, kNic, kSwitch, kOther, kUnknown };  // unknown: no class, no children

// A class 0x03 device is a GPU unless another vendor than NVIDIA is named and it holds no <gpu>.
PciKind KindOfPci(const pugi::xml_node& pci);

// A sentence about the line of this element.
Status RefuseElement(const SourceText& source, const pugi::xml_node& node, std::string_view what);

// Lower case, as the kernel writes bus ids.
std::string BusId(const pugi::xml_node& node, const char* attribute);

// A whole number in [min, max]; `missing` where the attribute is absent or empty; nothing for
// anything else.
std::optional<std::int64_t> WholeNumber(const pugi::xml_node& node, const char* attribute,
                                        std::int64_t min, std::int64_t max, std::int64_t missing);

// Are the two PCIe switches levels of one Broadcom switch? Those of generations 4 and 5 show two
// levels though every port has its full speed, so NCCL makes them one (topo.cc,
// ncclTopoFlattenBcmSwitches: device and subsystem ids).
bool IsOneSwitch(const pugi::xml_node& outer, const pugi::xml_node& inner);

}  // namespace aliquot::topology
