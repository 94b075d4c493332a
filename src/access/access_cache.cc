// SPDX-License-Identifier: Apache-2.0
#include "access/access_cache.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace aliquot::access {

AccessCache::AccessCache() : AccessCache(Limits()) {}

AccessCache::AccessCache(Limits limits) : limits_(limits), salt_() {
  if (RAND_bytes(salt_.data(), static_cast<int>(salt_.size())) != 1) {
    std::abort();  // no random numbers: nothing that depends on secrets may go on
  }
}

AccessCache::Key AccessCache::KeyOf(std::string_view token, std::string_view path) const {
  // A path holds no zero byte (the HTTP server refuses it) and a token neither: the pair is unique.
  std::string text;
  text.reserve(token.size() + 1 + path.size());
  text.append(token).push_back('\0');
  text.append(path);
  Key key{};
  unsigned int size = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  const bool made = HMAC(EVP_sha256(), salt_.data(), static_cast<int>(salt_.size()), bytes,
                         text.size(), key.data(), &size) != nullptr;
  OPENSSL_cleanse(text.data(), text.size());
  if (!made || size != key.size()) {
    std::abort();  // a key that several tokens share would let the wrong one in
  }
  return key;
}

std::optional<AccessAnswer> AccessCache::Find(const Key& key, SteadyTime now) const {
  for (const Entries* entries : {&allowed_, &refused_}) {
    const auto found = entries->find(key);
    if (found != entries->end() && now < found->second.until) {
      return found->second.answer;
    }
  }
  return std::nullopt;
}

void AccessCache::Keep(const Key& key, const AccessAnswer& answer, SteadyTime now) {
  using Kind = AccessAnswer::Kind;
  const bool refused = answer.kind == Kind::kUnknownCaller || answer.kind == Kind::kForbidden;
  if (!answer.allowed() && !refused) {
    return;
  }
  allowed_.erase(key);
  refused_.erase(key);
  Entries& entries = refused ? refused_ : allowed_;
  if (entries.size() >= limits_.entries) {
    entries.erase(std::min_element(
        entries.begin(), entries.end(),
        [](const auto& a, const auto& b) { return a.second.until < b.second.until; }));
  }
  entries[key] = {answer, now + (refused ? limits_.refused : limits_.allowed)};
}

}  // namespace aliquot::access
