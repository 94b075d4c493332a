// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace aliquot::api {

// The grammars of names in Kubernetes. Source:
// kubernetes.io/docs/concepts/overview/working-with-objects/names and
// k8s.io/apimachinery/pkg/util/validation. What passes is safe in a URL path.

// Names of pods and nodes: up to 253 bytes of labels separated by dots.
bool IsDnsSubdomain(std::string_view text);
// Names of namespaces and containers: up to 63 of a-z, 0-9 and '-', not at either end.
bool IsDnsLabel(std::string_view text);
// Keys of annotations and labels: [subdomain/]name, the name up to 63 of letters, digits, '-', '_'
// and '.', beginning and ending with a letter or digit.
bool IsQualifiedName(std::string_view text);
// UIDs are opaque; a UUID in practice. Up to 128 letters, digits, '-', '_' and '.'.
bool IsUid(std::string_view text);

}  // namespace aliquot::api
