// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/status.h"
#include "kubeclient/config.h"

namespace aliquot::kubeclient {

// Reads a kubeconfig file (kubernetes.io/docs/reference/config-api/kubeconfig.v1). `context` ""
// takes current-context. Relative paths in the file are relative to the file. An error names the
// file and the field and never quotes a credential.
//
// Refused, each with one sentence: insecure-skip-tls-verify, proxy-url, exec and auth-provider
// plugins, user name and password, impersonation. Other unknown fields are ignored, as kubectl
// does.
Result<ClientConfig> LoadKubeconfig(const std::string& path, const std::string& context = "");

}  // namespace aliquot::kubeclient
