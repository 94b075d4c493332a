// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the bundled scheduler's init container does: it waits until the allocator has filled the
// Secret with kube-scheduler's client certificate, and writes the configuration beside it.
//
// The Secret is mounted in both containers and the written file names the mounted paths, so that a
// renewed client certificate reaches the running scheduler without a restart (kube-scheduler reads
// certFile and keyFile again when they change). The pod needs no right to read Secrets for that.
// The price: the kubelet refreshes a mounted Secret about once a minute, or when a container of the
// pod is started. So a short wait that ends with an error is quicker than a long one: the kubelet
// starts the container again and mounts what is there by then.

#include <chrono>
#include <string>

#include "base/clock.h"
#include "base/status.h"
#include "cli/scheduler_config.h"

namespace aliquot::cli {

// ca.crt, tls.crt and tls.key of `directory` are there and belong together. The error says which is
// missing or does not fit.
Status CheckCertificateDirectory(const std::string& directory);

// Looks every `period` until the check holds. The error is the last look's, with the remedy.
// Blocks.
Status AwaitCertificates(const std::string& directory, std::chrono::milliseconds wait,
                         const Clock& clock);

// The address of Service aliquot-extender from the environment that the kubelet gives to pods of
// its namespace, so that no cluster DNS is needed; its DNS name where a variable is missing ("").
std::string ExtenderAddress(const std::string& service_host, const std::string& service_port,
                            const std::string& namespace_name);

ExtenderCertificates CertificateFiles(const std::string& directory);

}  // namespace aliquot::cli
