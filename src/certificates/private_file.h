// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/status.h"

namespace aliquot::certificates {

// A file of the directory with this content, readable by its owner only, replaced in one step;
// nothing is written when it has the content already. Pre: the directory is nobody else's. The
// error names the file and holds no content.
Status ReplacePrivateFile(const std::string& directory, const std::string& name,
                          const std::string& content);

}  // namespace aliquot::certificates
