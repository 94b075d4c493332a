// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

namespace aliquot::agent {

// Where everything lies below the state directory; docs/reference/grant.md lists it for people.
// Immutable.
class StateLayout {
 public:
  explicit StateLayout(std::string root) : root_(std::move(root)) {}

  const std::string& root() const { return root_; }
  std::string BootId() const { return root_ + "/boot-id"; }
  std::string Grants() const { return root_ + "/grants"; }
  std::string Grant(const std::string& name) const { return Grants() + "/" + name; }
  std::string Devices(const std::string& name) const { return Grant(name) + "/dev"; }
  std::string Building() const { return root_ + "/building"; }  // grants not finished
  std::string Retired() const { return root_ + "/retired"; }    // grants not in use, to be removed
  std::string Damaged() const { return root_ + "/damaged"; }    // set aside for people to look at
  std::string Usage() const { return root_ + "/usage"; }
  std::string UsageDirectory(const std::string& name) const { return Usage() + "/" + name; }
  std::string UsageRegion(const std::string& name) const {
    return UsageDirectory(name) + "/region";
  }
  std::string UsageOwner(const std::string& name) const { return UsageDirectory(name) + "/owner"; }
  std::string Health() const { return root_ + "/health.json"; }  // health/health_store.h
  std::string Library() const { return root_ + "/library"; }

 private:
  const std::string root_;
};

}  // namespace aliquot::agent
