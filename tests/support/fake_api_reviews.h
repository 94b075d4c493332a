// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>

#include "base/mutex.h"
#include "tests/support/fake_api_store.h"

namespace aliquot::test {

// What the fake API server knows of tokens and rights: TokenReview, SubjectAccessReview on paths,
// TokenRequest. It follows the real one where a client can tell: a token is good for the audiences
// that it was made for, a review without audiences asks about the server's own. Thread-safe.
class FakeApiReviews {
 public:
  static constexpr char kOwnAudience[] = "https://kubernetes.default.svc";

  // A token of that user, good for one audience.
  void AddToken(const std::string& token, const std::string& user,
                const std::string& audience = kOwnAudience);
  void RemoveToken(const std::string& token);
  // The user may get the path.
  void Allow(const std::string& user, const std::string& path);

  FakeApiStore::Reply ReviewToken(const std::string& body) const;
  FakeApiStore::Reply ReviewAccess(const std::string& body) const;
  // Of a service account of any name; the token is "token-<n>".
  FakeApiStore::Reply RequestToken(const std::string& namespace_name, const std::string& name,
                                   const std::string& body);

 private:
  struct Token {
    std::string user;
    std::string audience;
  };

  mutable Mutex mutex_;
  std::map<std::string, Token> tokens_ GUARDED_BY(mutex_);
  std::set<std::pair<std::string, std::string>> allowed_ GUARDED_BY(mutex_);  // user and path
  int made_ GUARDED_BY(mutex_) = 0;
};

}  // namespace aliquot::test
