// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace aliquot::agent {

// Names one loading of NVIDIA's kernel driver in one boot of the node: the boot ID, and the inode
// of /sys/module/nvidia, which is another one after the module was loaded again. Equal names: the
// driver has been there all the time. `root` is the host's root as this process sees it, "" for its
// own. What cannot be read is left out, so that no driver has a name of its own, too.
std::string DriverIncarnation(const std::string& root);

}  // namespace aliquot::agent
