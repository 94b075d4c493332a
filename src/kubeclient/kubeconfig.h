// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "kubeclient/config.h"

// Kubeconfig files (kubernetes.io/docs/reference/config-api/kubeconfig.v1). Relative paths in a
// file are relative to the file. An error names the file and the field and never quotes a
// credential.
//
// Refused, each with one sentence: insecure-skip-tls-verify, auth-provider plugins, user name and
// password. Other unknown fields are ignored, as kubectl does.

namespace aliquot::kubeclient {

struct KubeconfigOptions {
  std::string context;  // "": current-context
  // Takes what is made for a person at a terminal: exec plugins, proxy-url and impersonation.
  // Programs that serve refuse them, each with a sentence.
  bool for_person = false;
};

Result<ClientConfig> LoadKubeconfig(const std::string& path, const KubeconfigOptions& options = {});

// Several files as one
// (kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig): of entries with
// the same name, and of current-context, the first is taken and never mixed with a later one. Files
// that are not there are skipped; kNotFound when none is there.
Result<ClientConfig> LoadKubeconfigs(const std::vector<std::string>& paths,
                                     const KubeconfigOptions& options);

}  // namespace aliquot::kubeclient
