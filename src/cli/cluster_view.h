// SPDX-License-Identifier: Apache-2.0
#pragma once

// The state of a cluster, read once into a ledger. Writes nothing.

#include <string>

#include "base/clock.h"
#include "base/status.h"
#include "kubeclient/transport.h"
#include "ledger/ledger.h"
#include "model/names.h"

namespace aliquot::cli {

// A cluster file (docs/reference/cluster-file.md). The error holds every problem, a line each.
Status ReadClusterFile(const std::string& file, const model::ResourceNames& names,
                       ledger::Ledger& ledger);

// Lists nodes and the pods labelled aliquot.io/gpu=true, page by page: needs the right to list
// nodes and pods and nothing else.
Status ReadApiServer(kubeclient::Transport& transport, const Clock& clock,
                     const model::ResourceNames& names, ledger::Ledger& ledger);
// The same of the API server that a kubeconfig names; `context` "" is its current one.
Status ReadKubeconfigCluster(const std::string& kubeconfig, const std::string& context,
                             const Clock& clock, const model::ResourceNames& names,
                             ledger::Ledger& ledger);

}  // namespace aliquot::cli
