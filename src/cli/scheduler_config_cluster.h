// SPDX-License-Identifier: Apache-2.0
#pragma once

// The same configuration for a kube-scheduler that is the cluster's own: address and certificates
// are read from the installation, and stand in the text itself. Two requests; needs the right to
// get Service aliquot-extender and Secret aliquot-scheduler-client. Blocks.

#include "cli/doctor/api_reader.h"
#include "cli/scheduler_config.h"

namespace aliquot::cli {

// Fills address, server_name and certificates.
Status ReadInstallation(ApiReader& reader, const std::string& namespace_name,
                        SchedulerConfig& config);

}  // namespace aliquot::cli
