// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "agent/access/access_answer.h"
#include "api/caller_review_codec.h"
#include "base/clock.h"
#include "base/status.h"
#include "kubeclient/transport.h"

namespace aliquot::agent {

// Tokens for us alone name this audience; nobody else takes them.
inline constexpr std::string_view kAgentAudience = "aliquot-agent";

// Who is behind a token, and may he "get" the path? Thread-safe; may block as long as the API
// server takes.
class AccessReviewer {
 public:
  virtual ~AccessReviewer() = default;
  virtual AccessAnswer Review(std::string_view token, std::string_view path) = 0;
};

// Asks the API server: a TokenReview for our own audience, another for the API server's own where
// the first knows nobody (Prometheus shows the token of its service account), then a
// SubjectAccessReview on the path. The protocol is that of the kubelet's webhook authorisation:
// kubernetes.io/docs/reference/access-authn-authz/kubelet-authn-authz.
class ApiAccessReviewer final : public AccessReviewer {
 public:
  // `timeout` is for all questions of one review together. Both outlive it.
  ApiAccessReviewer(kubeclient::Transport& transport, const Clock& clock,
                    std::chrono::milliseconds timeout = std::chrono::seconds(4))
      : transport_(transport), clock_(clock), timeout_(timeout) {}

  AccessAnswer Review(std::string_view token, std::string_view path) override;

 private:
  // The reply's body.
  Result<std::string> Ask(const kubeclient::ApiVerb& verb, std::string body, SteadyTime deadline);
  Result<api::TokenReviewAnswer> AskWho(std::string_view token,
                                        const std::vector<std::string>& audiences,
                                        SteadyTime deadline);

  kubeclient::Transport& transport_;
  const Clock& clock_;
  const std::chrono::milliseconds timeout_;
};

}  // namespace aliquot::agent
