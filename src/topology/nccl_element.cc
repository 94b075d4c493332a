// SPDX-License-Identifier: Apache-2.0
#include "topology/nccl_element.h"

#include <cstddef>
#include <cstdlib>

#include "base/strings.h"

namespace aliquot::topology {
namespace {

constexpr std::string_view kNvidia = "0x10de";

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return lower;
}

bool IsVendorOther(const pugi::xml_node& pci) {
  const std::string vendor = Lower(pci.attribute("vendor").as_string());
  return !vendor.empty() && vendor != kNvidia;
}

unsigned long Hex(const pugi::xml_node& pci, const char* attribute) {
  return std::strtoul(pci.attribute(attribute).as_string("0"), nullptr, 16);
}

// Generation of Broadcom's PCIe switch that shows two levels; 0 = another device.
int BroadcomGeneration(const pugi::xml_node& pci, unsigned long level) {
  constexpr unsigned long kBroadcom = 0x1000;
  constexpr unsigned long kGroup = 0xf000;  // of the subsystem device
  if (Hex(pci, "vendor") != kBroadcom || Hex(pci, "subsystem_vendor") != kBroadcom) {
    return 0;
  }
  const unsigned long device = Hex(pci, "device");
  const unsigned long group = Hex(pci, "subsystem_device") & kGroup;
  if (device == 0xc010 && group == 0xa000) {
    return 4;
  }
  return device == 0xc030 && group == level * 0x1000 ? 5 : 0;
}

}  // namespace

PciKind KindOfPci(const pugi::xml_node& pci) {
  if (pci.child("gpu")) {
    return PciKind::kGpu;
  }
  if (pci.child("nic")) {
    return PciKind::kNic;
  }
  if (pci.child("pci")) {
    return PciKind::kSwitch;
  }
  const std::string_view of = pci.attribute("class").as_string();
  if (StartsWith(of, "0x03")) {
    return IsVendorOther(pci) ? PciKind::kOther : PciKind::kGpu;
  }
  if (StartsWith(of, "0x02")) {
    return PciKind::kNic;
  }
  return of.empty() ? PciKind::kUnknown : PciKind::kOther;
}

Status RefuseElement(const SourceText& source, const pugi::xml_node& node, std::string_view what) {
  const std::ptrdiff_t offset = node.offset_debug();
  return offset < 0 ? source.RefuseAtEnd(what) : source.Refuse(source.LineAt(offset), what);
}

std::string BusId(const pugi::xml_node& node, const char* attribute) {
  return Lower(node.attribute(attribute).as_string());
}

std::optional<std::int64_t> WholeNumber(const pugi::xml_node& node, const char* attribute,
                                        std::int64_t min, std::int64_t max, std::int64_t missing) {
  std::string_view text = node.attribute(attribute).as_string();
  if (text.empty()) {
    return missing;
  }
  const bool negative = StartsWith(text, "-");
  if (negative) {
    text.remove_prefix(1);
  }
  const std::optional<std::int64_t> digits = ParseUnsigned(text);
  const std::int64_t value = negative ? -digits.value_or(0) : digits.value_or(0);
  return digits && value >= min && value <= max ? std::optional(value) : std::nullopt;
}

bool IsOneSwitch(const pugi::xml_node& outer, const pugi::xml_node& inner) {
  const int generation = BroadcomGeneration(outer, 0);
  return generation != 0 && BroadcomGeneration(inner, 1) == generation;
}

}  // namespace aliquot::topology
