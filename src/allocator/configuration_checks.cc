// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "allocator/configuration.h"
#include "allocator/configuration_fields.h"
#include "allocator/map_reader.h"
#include "base/strings.h"
#include "http/listen_address.h"

namespace aliquot::allocator {
namespace {

// Where a key's value comes from, for the start of a problem's line.
std::string_view WhereOf(const Origins& origins, std::string_view key) {
  const auto at = origins.find(key);
  return at == origins.end() ? std::string_view("configuration") : std::string_view(at->second);
}

class Checker {
 public:
  Checker(const Configuration& configuration, const Origins& origins, Problems& problems)
      : c_(configuration), origins_(origins), problems_(problems) {}

  void CheckAll() {
    CheckCluster();
    CheckResourceNames();
    CheckAddresses();
    CheckTls();
    CheckLimits();
  }

 private:
  void Complain(std::string_view key, std::string_view sentence) {
    problems_.Add(WhereOf(origins_, key), std::string(key) + " " + std::string(sentence));
  }

  void CheckCluster() {
    if (!c_.kubeconfig.empty() && !c_.cluster_file.empty()) {
      Complain("clusterFile", "is \"" + Printable(c_.cluster_file) +
                                  "\" although kubeconfig is given too; keep one of them");
    }
  }

  void CheckResourceNames() {
    const model::ResourceNames& names = c_.resource_names;
    CheckResourceName("resourceNames.core", names.core);
    CheckResourceName("resourceNames.memory", names.memory);
    if (names.core == names.memory) {
      Complain("resourceNames.memory", "is \"" + Printable(names.memory) +
                                           "\", which is resourceNames.core too; give two names");
    }
    if (names.prefix.empty() || !StartsWith(names.core, names.prefix) ||
        !StartsWith(names.memory, names.prefix)) {
      Complain("resourceNames.prefix", "is \"" + Printable(names.prefix) +
                                           "\"; give a text with which both resource names begin");
    }
  }

  // An extended resource name: a DNS subdomain, a slash and a short name; kubernetes.io is not for
  // others.
  void CheckResourceName(std::string_view key, const std::string& name) {
    const std::size_t slash = name.find('/');
    const std::string domain = name.substr(0, std::min(slash, name.size()));
    const std::string last = slash == std::string::npos ? "" : name.substr(slash + 1);
    constexpr std::string_view kDomain = "abcdefghijklmnopqrstuvwxyz0123456789.-";
    constexpr std::string_view kLast =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    const bool valid = !domain.empty() && domain.size() <= 253 && !last.empty() &&
                       last.size() <= 63 &&
                       domain.find_first_not_of(kDomain) == std::string::npos &&
                       last.find_first_not_of(kLast) == std::string::npos;
    if (!valid || domain == "kubernetes.io" || StartsWith(domain, "requests.")) {
      Complain(key, "is \"" + Printable(name) +
                        "\"; give an extended resource name such as tencent.com/vcuda-core");
    }
  }

  void CheckAddresses() {
    CheckAddress("listen.extender", c_.listen.extender);
    CheckAddress("listen.admission", c_.listen.admission);
    const auto monitor = CheckAddress("listen.monitor", c_.listen.monitor);
    if (monitor && !IsLoopback(monitor->host)) {
      Complain("listen.monitor", "is \"" + Printable(c_.listen.monitor) +
                                     "\": the monitor asks nobody who they are, so it listens on "
                                     "loopback only; give 127.0.0.1 or [::1] as the host");
    }
    CheckDistinct();
  }

  std::optional<http::ListenAddress> CheckAddress(std::string_view key, const std::string& text) {
    const auto address = http::ParseListenAddress(text);
    if (!address.ok()) {
      Complain(key, "is \"" + Printable(text) + "\"; write host:port, [v6 address]:port or :port");
      return std::nullopt;
    }
    return *address;
  }

  static bool IsLoopback(const std::string& host) {
    const auto parts = Split(host, '.');
    const bool four_numbers =
        parts.size() == 4 && std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
          return ParseUnsigned(part).value_or(256) < 256;
        });
    return host == "::1" || (four_numbers && parts[0] == "127");
  }

  void CheckDistinct() {
    const std::array<std::pair<std::string_view, const std::string*>, 3> all = {
        {{"listen.extender", &c_.listen.extender},
         {"listen.admission", &c_.listen.admission},
         {"listen.monitor", &c_.listen.monitor}}};
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const auto address = http::ParseListenAddress(*all[i].second);
        if (address.ok() && address->port != 0 && *all[i].second == *all[j].second) {
          Complain(all[i].first, "is \"" + *all[i].second + "\", which is " +
                                     std::string(all[j].first) + " too; give each its own port");
        }
      }
    }
  }

  void CheckTls() {
    RequireFile("tls.certificateFile", c_.tls.certificate_file, "--tls-cert");
    RequireFile("tls.keyFile", c_.tls.key_file, "--tls-key");
    RequireFile("tls.clientCAFile", c_.tls.client_ca_file, "--client-ca");
    if (c_.tls.admission_certificate_file.empty() != c_.tls.admission_key_file.empty()) {
      const bool key_is_missing = c_.tls.admission_key_file.empty();
      Complain(key_is_missing ? "tls.admissionKeyFile" : "tls.admissionCertificateFile",
               std::string("is empty although tls.admission") +
                   (key_is_missing ? "CertificateFile" : "KeyFile") +
                   " is given; give both or neither");
    }
  }

  void RequireFile(std::string_view key, const std::string& path, std::string_view flag) {
    if (path.empty()) {
      Complain(key, "is empty; give the path of a PEM file here or with " + std::string(flag));
    }
  }

  void CheckLimits() {
    if (c_.http.max_buffered_bytes < c_.http.max_body_bytes) {
      Complain("http.maxBufferedBytes",
               "is " + std::to_string(c_.http.max_buffered_bytes) +
                   ", less than one body of http.maxBodyBytes; give at least " +
                   std::to_string(c_.http.max_body_bytes));
    }
    if (c_.search.steps_per_request < c_.search.steps_per_node) {
      Complain("search.stepsPerRequest", "is " + std::to_string(c_.search.steps_per_request) +
                                             ", less than search.stepsPerNode; give at least " +
                                             std::to_string(c_.search.steps_per_node));
    }
  }

  const Configuration& c_;
  const Origins& origins_;
  Problems& problems_;
};

// Control characters in a text would break messages, logs and the printed configuration.
class TextChecker final : public FieldVisitor {
 public:
  TextChecker(const Origins& origins, Problems& problems)
      : origins_(origins), problems_(problems) {}

  void BeginSection(std::string_view name) override { section_ = std::string(name) + "."; }
  void EndSection() override { section_.clear(); }
  void Text(std::string_view key, std::string& value) override {
    const auto bad = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    if (std::any_of(value.begin(), value.end(), bad)) {
      const std::string name = section_ + std::string(key);
      problems_.Add(WhereOf(origins_, name), name + " is \"" + Printable(value) +
                                                 "\", which holds a control character; remove it");
    }
  }
  void Choice(std::string_view, std::string&, const std::vector<std::string_view>&) override {}
  void Boolean(std::string_view, bool&) override {}
  void Integer(std::string_view, std::int64_t&, std::int64_t, std::int64_t) override {}
  void Duration(std::string_view, Milliseconds&, Milliseconds, Milliseconds) override {}

 private:
  const Origins& origins_;
  Problems& problems_;
  std::string section_;
};

}  // namespace

void CheckConfiguration(const Configuration& configuration, const Origins& origins,
                        Problems& problems) {
  Configuration copy = configuration;  // the visitors share one signature; this one changes nothing
  TextChecker texts(origins, problems);
  VisitFields(copy, texts);
  Checker(configuration, origins, problems).CheckAll();
}

}  // namespace aliquot::allocator
