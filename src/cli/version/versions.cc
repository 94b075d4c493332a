// SPDX-License-Identifier: Apache-2.0
#include "cli/version/versions.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/strings.h"
#include "cli/doctor/api_reader.h"

namespace aliquot::cli {
namespace {

using nlohmann::json;

constexpr char kUnknown[] = "unknown";

// The container that the chart names after its part; somebody's webhook may put others before it.
std::string ImageOf(const json& pod, const std::string& part) {
  const json& containers = MemberAt(pod, "/spec/containers");
  for (const json& container : containers) {
    if (TextAt(container, "/name") == part) {
      return TextAt(container, "/image");
    }
  }
  return TextAt(containers, "/0/image");
}

// "registry:5000/aliquot-agent:v0.1.0@sha256:.." is of 0.1.0; a tag that is no version says
// nothing.
std::string VersionOfTag(const std::string& image) {
  std::string name = image.substr(0, image.find('@'));
  name.erase(0, name.rfind('/') + 1);
  const std::size_t colon = name.find(':');
  std::string tag = colon == std::string::npos ? "" : name.substr(colon + 1);
  if (StartsWith(tag, "v")) {
    tag.erase(0, 1);
  }
  const bool version = !tag.empty() && tag.front() >= '0' && tag.front() <= '9' &&
                       tag.find('.') != std::string::npos;
  return version ? tag : "";
}

// The tag is what runs; the label is of the chart, which may be told another image.
std::string VersionOf(const json& pod, const std::string& image) {
  std::string version = VersionOfTag(image);
  if (version.empty()) {
    version = TextAt(pod, "/metadata/labels/app.kubernetes.io~1version");
  }
  return version.empty() ? kUnknown : version;
}

void Count(const std::string& version, const std::string& image, std::vector<VersionRow>& rows) {
  const auto place = std::lower_bound(
      rows.begin(), rows.end(), std::tie(version, image),
      [](const VersionRow& row, const std::tuple<const std::string&, const std::string&>& wanted) {
        return std::tie(row.version, row.image) < wanted;
      });
  if (place != rows.end() && place->version == version && place->image == image) {
    ++place->pods;
  } else {
    rows.insert(place, {version, image, 1});
  }
}

// "the allocator is 0.1.0", "48 agents are 0.1.0", a phrase a version.
void Say(const std::vector<VersionRow>& rows, const std::string& one, const std::string& many,
         std::set<std::string>& versions, std::vector<std::string>& phrases) {
  for (auto row = rows.begin(); row != rows.end();) {
    const std::string& version = row->version;
    int pods = 0;
    for (; row != rows.end() && row->version == version; ++row) {
      pods += row->pods;
    }
    if (version != kUnknown) {
      versions.insert(version);
    }
    phrases.push_back(pods == 1 ? one + " is " + version
                                : std::to_string(pods) + " " + many + " are " + version);
  }
}

}  // namespace

void CountPod(const json& pod, ClusterVersions& versions) {
  const std::string phase = TextAt(pod, "/status/phase");
  if (phase == "Succeeded" || phase == "Failed" ||
      MemberAt(pod, "/metadata").contains("deletionTimestamp")) {
    return;
  }
  const std::string name = TextAt(pod, "/metadata/labels/app.kubernetes.io~1name");
  for (const char* part : {"allocator", "agent"}) {
    if (name == std::string("aliquot-") + part) {
      const std::string image = ImageOf(pod, part);
      Count(VersionOf(pod, image), image,
            std::string(part) == "agent" ? versions.agents : versions.allocators);
    }
  }
}

std::string Skew(const std::string& client, const ClusterVersions& versions) {
  std::set<std::string> seen{client};
  std::vector<std::string> phrases{"aliquotctl is " + client};
  Say(versions.allocators, "the allocator", "allocators", seen, phrases);
  Say(versions.agents, "one agent", "agents", seen, phrases);
  if (seen.size() < 2) {
    return {};
  }
  return "not all are of one version: " + Join(phrases, ", ") +
         "; finish the upgrade, and use the aliquotctl of the allocator's version";
}

}  // namespace aliquot::cli
