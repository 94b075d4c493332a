// SPDX-License-Identifier: Apache-2.0
#include "cli/scheduler_config.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "cli/scheduler_config_pod.h"

namespace aliquot::cli {
namespace {

SchedulerConfig Example() {
  SchedulerConfig config;
  config.address = "aliquot-extender.aliquot-system.svc:8443";
  config.server_name = "aliquot-extender.aliquot-system.svc";
  config.certificates = {false, "/etc/kubernetes/aliquot/server-ca.crt",
                         "/etc/kubernetes/aliquot/scheduler.crt",
                         "/etc/kubernetes/aliquot/scheduler.key"};
  config.kubeconfig = "/etc/kubernetes/scheduler.conf";
  config.introduction =
      "# Configuration of a stock kube-scheduler (1.32 and newer) that places GPU pods by "
      "aliquot-allocator. Merge it into the file\n"
      "# that your kube-scheduler gets with --config; on a kubeadm cluster also mount that file "
      "and "
      "the certificates into its static\n"
      "# pod. `aliquotctl scheduler-config` prints it with the addresses and certificates of an "
      "installation.\n";
  return config;
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(SchedulerConfig, TheExampleInTheRepositoryIsWhatIsGenerated) {
  std::ifstream file(ALIQUOT_SOURCE_DIR "/config/kube-scheduler.yaml");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), SchedulerConfigFile(Example()));
}

TEST(SchedulerConfig, TheBundledOneHasANameALeaseAndNoKubeconfig) {
  SchedulerConfig config = Example();
  config.kubeconfig.clear();
  config.scheduler_name = "aliquot";
  config.lease_namespace = "gpu";
  config.lease_name = "aliquot-scheduler";
  const std::string text = SchedulerConfigFile(config);
  EXPECT_TRUE(Has(text, "  - schedulerName: aliquot\n"));
  EXPECT_TRUE(Has(text, "  resourceNamespace: gpu\n  resourceName: aliquot-scheduler\n"));
  EXPECT_FALSE(Has(text, "kubeconfig"));
}

TEST(SchedulerConfig, TheStanzaEndsTheFile) {
  const std::string file = SchedulerConfigFile(Example());
  const std::string stanza = ExtenderStanza(Example());
  ASSERT_GT(file.size(), stanza.size());
  EXPECT_EQ(file.substr(file.size() - stanza.size()), stanza);
}

TEST(SchedulerConfig, DataStandsInPlaceOfFiles) {
  SchedulerConfig config = Example();
  config.certificates = {true, "QQ==", "Qg==", "Qw=="};
  const std::string text = ExtenderStanza(config);
  EXPECT_TRUE(Has(text, "caData: QQ==\n      certData: Qg==\n      keyData: Qw==\n"));
  EXPECT_FALSE(Has(text, "caFile"));
}

TEST(SchedulerConfig, ANameThatIsNoneIsRefused) {
  SchedulerConfig config = Example();
  EXPECT_TRUE(CheckSchedulerConfig(config).ok());
  config.scheduler_name = "a: b";
  EXPECT_TRUE(Has(CheckSchedulerConfig(config).message(), "--scheduler-name"));
  config = Example();
  config.core_resource = "core";
  EXPECT_TRUE(Has(CheckSchedulerConfig(config).message(), "tencent.com/vcuda-core"));
  config = Example();
  config.certificates.key = "a b";
  EXPECT_FALSE(CheckSchedulerConfig(config).ok());
}

TEST(ExtenderAddress, ComesFromTheServicesVariables) {
  EXPECT_EQ(ExtenderAddress("10.1.2.3", "9443", "gpu"), "10.1.2.3:9443");
}

TEST(ExtenderAddress, AnIpv6HostHasBrackets) {
  EXPECT_EQ(ExtenderAddress("fd00::7", "8443", "gpu"), "[fd00::7]:8443");
}

TEST(ExtenderAddress, WithoutVariablesItIsTheServicesName) {
  EXPECT_EQ(ExtenderAddress("", "", "gpu"), "aliquot-extender.gpu.svc:8443");
}

TEST(AwaitCertificates, SaysWhichFileIsMissing) {
  const RealClock clock;
  const Status status =
      AwaitCertificates("/nonexistent/certificates", std::chrono::milliseconds(0), clock);
  EXPECT_TRUE(Has(status.message(), "/nonexistent/certificates/ca.crt")) << status.message();
  EXPECT_TRUE(Has(status.message(), "aliquot-allocator")) << status.message();
}

}  // namespace
}  // namespace aliquot::cli
