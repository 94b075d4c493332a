// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/clock.h"

namespace aliquot::api {

// The object that an event is about.
struct ObjectReference {
  std::string api_version = "v1";
  std::string kind;
  std::string namespace_name;  // empty for cluster-scoped objects
  std::string name;
  std::string uid;
};

// An events.k8s.io/v1 Event. Source:
// kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1.
struct Event {
  std::string namespace_name;  // the object's, or "default" for a cluster-scoped one
  std::string name;            // unique in its namespace
  SystemTime time;
  std::string reporting_controller;  // a qualified name, "aliquot.io/allocator"
  std::string reporting_instance;
  std::string action;  // up to 128 bytes, as are both reporting fields and the reason
  std::string reason;
  bool warning = false;
  std::string note;  // cut at 1,024 bytes
  ObjectReference regarding;
};

// The body of POST /apis/events.k8s.io/v1/namespaces/{ns}/events. Fields over their limit are cut
// at a character. Pure and thread-safe.
std::string FormatEvent(const Event& event);

}  // namespace aliquot::api
