// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace aliquot::signing {

// Reads key files as they lie on disk, a mounted Secret or ConfigMap included. Errors are half
// sentences, as in ed25519_key.h, and never quote content.

// Far more than any set of keys needs.
inline constexpr std::size_t kMaxKeyFileBytes = 64 << 10;

// The whole of a regular file (or of a link to one); neither a FIFO nor a device makes it wait.
Result<std::string> ReadKeyFile(const std::string& path);

// The files that `path` stands for: itself, or, when it is a directory, what is in it under a name
// that ends in ".pem", sorted, hidden ones left out (Kubernetes keeps its bookkeeping in "..data").
// NOT_FOUND for a directory without one: keys may still come.
Result<std::vector<std::string>> KeyFilesAt(const std::string& path);

// SHA-256, to notice a change without keeping a second copy of a key.
std::string DigestOf(std::string_view bytes);

// Overwrites the bytes before they are freed.
void Wipe(std::string& bytes);

}  // namespace aliquot::signing
