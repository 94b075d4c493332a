// SPDX-License-Identifier: Apache-2.0
#pragma once

// Why pods are not created, or are no longer there, by the events of those who made them. Pure;
// thread-safe.

#include <string>
#include <string_view>
#include <vector>

#include "cli/why/event.h"
#include "cli/why/evidence.h"

namespace aliquot::cli {

// What makes pods: "deployment/web" of the command line, or just a name.
struct Owner {
  std::string kind;  // as in metadata.ownerReferences, "Deployment"; "": any
  std::string name;

  // An object that makes the pods itself, or does so for the owner: a Deployment's ReplicaSet, a
  // CronJob's Job.
  bool Covers(std::string_view kind_of_maker, std::string_view name_of_maker) const;
};

// Takes the kind as kubectl does: "deploy", "deployments", "Deployment", "deployments.apps".
Owner OwnerNamed(std::string_view kind, std::string_view name);

// Of the owner's latest FailedCreate event; nullptr when there is none. `events`: latest first.
const SeenEvent* FailedCreation(const Owner& owner, const std::vector<SeenEvent>& events);
// The line for what that event says.
WhyAnswer NotCreated(std::string_view message);

// The line for a pod that is gone, by the events on it; an empty code when they say nothing.
WhyAnswer WentAway(const std::vector<SeenEvent>& events_of_pod);

}  // namespace aliquot::cli
