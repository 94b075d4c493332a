// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/status.h"

namespace aliquot::agent {

// What the choice depends on. Plain values.
struct IsolationFacts {
  std::string asked = "auto";         // aliquot.io/isolation, as the record has it
  bool whole = false;                 // whole cards: there is nothing to hold
  bool library = false;               // an enforcement library is configured
  std::string driver_limits_problem;  // DriverLimitsProblem; "" = the driver can hold memory
  bool allow_none = false;            // configuration enforcement.allowNone
};

struct IsolationChoice {
  std::string enforcement = "none";  // who holds the share: "library", "driver", "none"
  bool library = false;              // the container loads the enforcement library
  bool driver_limits = false;        // the driver is asked to hold its memory
};

// How a container is held to its share: the one place that decides it.
//
// `auto`: by the library (memory and cores), and by the driver's own limits besides where the node
// has them; without a library by the driver alone (memory); without either by nobody, which is then
// this node's default. `library` and `driver` are had or refused; `driver` loads no library, for
// images that can't (static, musl), and nothing holds its cores. `none` is refused unless it is the
// node's default, the node allows it, or the cards are whole. `mps` and `mig` come later.
//
// The error is a clause that follows the container's name. Pure.
Result<IsolationChoice> ChooseIsolation(const IsolationFacts& facts);

}  // namespace aliquot::agent
