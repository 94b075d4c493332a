// SPDX-License-Identifier: Apache-2.0
#include "agent/configuration_fields.h"

namespace aliquot::agent {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

void VisitNode(Configuration& c, program::FieldVisitor& visitor) {
  visitor.Text("nodeName", c.node_name);
  visitor.Text("kubeconfig", c.kubeconfig);
  visitor.BeginSection("resourceNames");
  visitor.Text("core", c.resource_names.core);
  visitor.Text("memory", c.resource_names.memory);
  visitor.Text("prefix", c.resource_names.prefix);
  visitor.EndSection();
}

void VisitGpus(Configuration& c, program::FieldVisitor& visitor) {
  visitor.BeginSection("gpu");
  visitor.Choice("backend", c.gpu.backend, {"auto", "nvml", "simulated", "none"});
  visitor.Text("profile", c.gpu.profile);
  visitor.Text("state", c.gpu.state);
  visitor.Text("library", c.gpu.library);
  visitor.Text("driverRoot", c.gpu.driver_root);
  visitor.Text("deviceRoot", c.gpu.device_root);
  visitor.Integers("ignoredXids", c.gpu.ignored_xids, 1, 65535);
  visitor.Duration("healthyAfter", c.gpu.healthy_after, milliseconds(0), hours(24));
  visitor.EndSection();
  visitor.BeginSection("cards");
  visitor.Texts("include", c.cards.include);
  visitor.Text("measuredLinks", c.cards.measured_links);
  visitor.EndSection();
}

void VisitGrants(Configuration& c, program::FieldVisitor& visitor) {
  visitor.BeginSection("grant");
  visitor.Choice("mode", c.grant.mode, {"auto", "devdir", "cdi"});
  visitor.Text("stateDirectory", c.grant.state_directory);
  visitor.Text("dataDirectory", c.grant.data_directory);
  visitor.Text("cdiDirectory", c.grant.cdi_directory);
  visitor.Duration("orphanGrace", c.grant.orphan_grace, seconds(1), hours(24));
  visitor.EndSection();
  visitor.BeginSection("driver");
  visitor.Choice("delivery", c.driver_delivery, {"mirror", "cdi", "none"});
  visitor.EndSection();
  visitor.BeginSection("library");
  visitor.Text("path", c.library_path);
  visitor.EndSection();
  visitor.BeginSection("enforcement");
  visitor.Choice("onOvershoot", c.enforcement.on_overshoot, {"report", "kill"});
  visitor.Boolean("allowNone", c.enforcement.allow_none);
  visitor.Integer("contextMiB", c.enforcement.context_mib, 0, 65536);
  visitor.EndSection();
  visitor.BeginSection("signing");
  visitor.Text("publicKeys", c.signing_public_keys);
  visitor.EndSection();
}

void VisitKubelet(Configuration& c, program::FieldVisitor& visitor) {
  visitor.BeginSection("kubelet");
  visitor.Text("pluginDirectory", c.kubelet.plugin_directory);
  visitor.Text("podResourcesSocket", c.kubelet.pod_resources_socket);
  visitor.EndSection();
  visitor.Text("startupTaint", c.startup_taint);
}

}  // namespace

void VisitFields(Configuration& configuration, program::FieldVisitor& visitor) {
  VisitNode(configuration, visitor);
  VisitGpus(configuration, visitor);
  VisitGrants(configuration, visitor);
  VisitKubelet(configuration, visitor);
  visitor.BeginSection("listen");
  visitor.Text("monitor", configuration.listen_monitor);
  visitor.Text("authenticated", configuration.listen_authenticated);
  visitor.EndSection();
  visitor.BeginSection("tls");
  visitor.Text("certificateFile", configuration.tls.certificate_file);
  visitor.Text("keyFile", configuration.tls.key_file);
  visitor.EndSection();
  visitor.BeginSection("metrics");
  visitor.Boolean("gpuManagerPages", configuration.gpu_manager_pages);
  visitor.EndSection();
  visitor.Text("addressesFile", configuration.addresses_file);
  visitor.Duration("drainTimeout", configuration.drain_timeout, seconds(0), minutes(10));
  visitor.BeginSection("log");
  visitor.Choice("level", configuration.log_level, {"debug", "info", "warn", "error"});
  visitor.EndSection();
}

}  // namespace aliquot::agent
