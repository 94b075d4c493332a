// SPDX-License-Identifier: Apache-2.0
#include "allocator/configuration_fields.h"

#include "scoring/policy_registry.h"

namespace aliquot::allocator {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

void VisitSources(Configuration& c, program::FieldVisitor& visitor) {
  visitor.Text("kubeconfig", c.kubeconfig);
  visitor.Text("clusterFile", c.cluster_file);
  visitor.BeginSection("resourceNames");
  visitor.Text("core", c.resource_names.core);
  visitor.Text("memory", c.resource_names.memory);
  visitor.Text("prefix", c.resource_names.prefix);
  visitor.EndSection();
}

void VisitListeners(Configuration& c, program::FieldVisitor& visitor) {
  visitor.BeginSection("listen");
  visitor.Text("extender", c.listen.extender);
  visitor.Text("admission", c.listen.admission);
  visitor.Text("monitor", c.listen.monitor);
  visitor.Text("authenticated", c.listen.authenticated);
  visitor.EndSection();
  visitor.Text("addressesFile", c.addresses_file);
  visitor.BeginSection("tls");
  visitor.Choice("mode", c.tls.mode, {"files", "managed"});
  visitor.Text("certificateFile", c.tls.certificate_file);
  visitor.Text("keyFile", c.tls.key_file);
  visitor.Text("clientCAFile", c.tls.client_ca_file);
  visitor.Text("admissionCertificateFile", c.tls.admission_certificate_file);
  visitor.Text("admissionKeyFile", c.tls.admission_key_file);
  visitor.Duration("reloadInterval", c.tls.reload_interval, milliseconds(100), hours(1));
  visitor.EndSection();
}

void VisitManagedTls(Configuration& c, program::FieldVisitor& visitor) {
  constexpr hours kYear(365 * 24);
  Configuration::ManagedTls& managed = c.managed_tls;
  visitor.BeginSection("managedTls");
  visitor.Text("directory", managed.directory);
  visitor.Text("namespace", managed.namespace_name);
  visitor.Text("extenderService", managed.extender_service);
  visitor.Text("admissionService", managed.admission_service);
  visitor.Text("caSecret", managed.authority_secret);
  visitor.Text("schedulerSecret", managed.scheduler_secret);
  visitor.Text("webhookConfiguration", managed.webhook_configuration);
  visitor.Duration("caLifetime", managed.authority_lifetime, seconds(10), 30 * kYear);
  visitor.Duration("caRenewBefore", managed.authority_renew_before, seconds(1), 29 * kYear);
  visitor.Duration("leafLifetime", managed.leaf_lifetime, seconds(5), kYear);
  visitor.EndSection();
}

void VisitSigning(Configuration& c, program::FieldVisitor& visitor) {
  visitor.BeginSection("signing");
  visitor.Choice("mode", c.signing_mode, {"file", "managed"});
  visitor.Text("keyFile", c.signing_key_file);
  visitor.EndSection();
  visitor.BeginSection("managedSigning");
  visitor.Text("secret", c.managed_signing.secret);
  visitor.Text("configMap", c.managed_signing.config_map);
  visitor.Duration("activationDelay", c.managed_signing.activation_delay, seconds(0), hours(24));
  visitor.EndSection();
}

void VisitAdmission(Configuration& c, program::FieldVisitor& visitor) {
  visitor.BeginSection("admission");
  visitor.Text("schedulerName", c.admission.scheduler_name);
  visitor.Texts("schedulerUsers", c.admission.scheduler_users);
  visitor.Integer("cardMemory", c.admission.card_memory_mib, 0, 1 << 20);
  visitor.EndSection();
}

void VisitHttp(Configuration& c, program::FieldVisitor& visitor) {
  constexpr std::int64_t kMebibyte = 1 << 20;
  visitor.BeginSection("http");
  visitor.Integer("extenderThreads", c.http.extender_threads, 1, 1024);
  visitor.Integer("admissionThreads", c.http.admission_threads, 1, 1024);
  visitor.Integer("maxConnections", c.http.max_connections, 1, 65536);
  visitor.Integer("maxBodyBytes", c.http.max_body_bytes, 1024, 256 * kMebibyte);
  visitor.Integer("maxBufferedBytes", c.http.max_buffered_bytes, 1024, 4096 * kMebibyte);
  visitor.Duration("handshakeTimeout", c.http.handshake_timeout, milliseconds(100), seconds(60));
  visitor.Duration("receiveTimeout", c.http.receive_timeout, milliseconds(100), seconds(60));
  visitor.Duration("sendTimeout", c.http.send_timeout, milliseconds(100), seconds(60));
  visitor.Duration("idleTimeout", c.http.idle_timeout, seconds(1), hours(1));
  visitor.Boolean("serverTiming", c.http.server_timing);
  visitor.EndSection();
}

void VisitPlacing(Configuration& c, program::FieldVisitor& visitor) {
  visitor.BeginSection("limits");
  visitor.Integer("maxSharersPerCard", c.max_sharers_per_card, 1, 1000);
  visitor.EndSection();
  visitor.BeginSection("search");
  visitor.Integer("stepsPerNode", c.search.steps_per_node, 1, 10000000);
  visitor.Integer("stepsPerRequest", c.search.steps_per_request, 1, 1000000000);
  visitor.EndSection();
  visitor.BeginSection("scoring");
  visitor.Choice("policy", c.scoring_policy, scoring::PolicyNames());
  visitor.EndSection();
}

void VisitTimes(Configuration& c, program::FieldVisitor& visitor) {
  visitor.BeginSection("deadlines");
  visitor.Duration("filter", c.deadlines.filter, milliseconds(10), seconds(60));
  visitor.Duration("bind", c.deadlines.bind, milliseconds(100), seconds(60));
  visitor.Duration("bindSettle", c.deadlines.bind_settle, seconds(1), minutes(10));
  visitor.EndSection();
  visitor.BeginSection("stamp");
  visitor.Duration("reservation", c.stamp_reservation, seconds(1), minutes(10));
  visitor.EndSection();
  visitor.BeginSection("watch");
  visitor.Duration("fullListInterval", c.watch.full_list_interval, seconds(10), hours(24));
  visitor.Integer("pageSize", c.watch.page_size, 10, 10000);
  visitor.EndSection();
}

}  // namespace

void VisitFields(Configuration& configuration, program::FieldVisitor& visitor) {
  VisitSources(configuration, visitor);
  VisitListeners(configuration, visitor);
  VisitManagedTls(configuration, visitor);
  VisitSigning(configuration, visitor);
  VisitAdmission(configuration, visitor);
  VisitHttp(configuration, visitor);
  VisitPlacing(configuration, visitor);
  VisitTimes(configuration, visitor);
  visitor.BeginSection("gpuManagerAnnotations");
  visitor.Boolean("gpuAssigned", configuration.gpu_assigned_annotation);
  visitor.EndSection();
  visitor.Duration("drainTimeout", configuration.drain_timeout, seconds(0), minutes(10));
  visitor.BeginSection("log");
  visitor.Choice("level", configuration.log_level, {"debug", "info", "warn", "error"});
  visitor.EndSection();
}

}  // namespace aliquot::allocator
