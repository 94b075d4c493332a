// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/clock.h"
#include "base/status.h"
#include "kubeclient/cancellation.h"

namespace aliquot::agent {

struct RegistrationRequest {
  std::string endpoint;  // file name of a socket beside the kubelet's
  std::string resource;
  bool pre_start_required = false;
};

// Tells the kubelet behind `kubelet_socket` of a plugin (Registration.Register, version v1beta1).
// Blocking: the kubelet dials the plugin before it answers. Returns early when cancelled. Errors:
// kUnavailable where no kubelet listens, kDeadlineExceeded, else the kubelet's own words.
Status RegisterWithKubelet(const std::string& kubelet_socket, const RegistrationRequest& request,
                           SteadyTime deadline, kubeclient::Cancellation& cancellation);

}  // namespace aliquot::agent
