// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kubeclient/exec_credential.h"

namespace aliquot::cli {

// Runs a program to its end and takes what it prints: posix_spawn(3), pidfd_open(2). Its standard
// error is ours. It inherits no other file of ours, stays in our process group, so that an
// interrupt at the terminal reaches it, and is ended with SIGTERM, then SIGKILL, when its time is
// over. The answer is complete when the program itself has ended: what it leaves running behind is
// not waited for.
kubeclient::CommandEnd RunCommand(const kubeclient::CommandStart& start);

// This process's terminal and programs.
kubeclient::PluginHost OwnPluginHost();

}  // namespace aliquot::cli
