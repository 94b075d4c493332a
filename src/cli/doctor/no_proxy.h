// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace aliquot::cli {

// Whether a program written in Go that has this NO_PROXY calls `host` (a name or an IPv4 or IPv6
// address) without its proxy. Pure. Rules: golang.org/x/net/http/httpproxy, and Kubernetes'
// NewProxierWithNoProxyCIDR, which are alike: "*"; an address or CIDR; a name, which stands for
// what ends in it too; with a leading "." or "*." for the latter alone. An entry's port is passed
// over, so that what is said is rather "leaves out" than an alarm for a port.
bool LeavesOut(const std::string& no_proxy, const std::string& host);

}  // namespace aliquot::cli
