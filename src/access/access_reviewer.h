// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "access/access_answer.h"
#include "api/caller_review_codec.h"
#include "base/clock.h"
#include "base/status.h"
#include "kubeclient/transport.h"

namespace aliquot::access {

// Whose pages they are.
struct Pages {
  std::string audience;     // tokens for them alone name it; nobody else takes those
  std::string reader_role;  // the ClusterRole that lets in, for the sentence
};

inline Pages AgentPages() { return {"aliquot-agent", "aliquot-agent-reader"}; }
inline Pages AllocatorPages() { return {"aliquot-allocator", "aliquot-allocator-reader"}; }

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
  ApiAccessReviewer(Pages pages, kubeclient::Transport& transport, const Clock& clock,
                    std::chrono::milliseconds timeout = std::chrono::seconds(4))
      : pages_(std::move(pages)), transport_(transport), clock_(clock), timeout_(timeout) {}

  AccessAnswer Review(std::string_view token, std::string_view path) override;

 private:
  // The reply's body.
  Result<std::string> Ask(const kubeclient::ApiVerb& verb, std::string body, SteadyTime deadline);
  Result<api::TokenReviewAnswer> AskWho(std::string_view token,
                                        const std::vector<std::string>& audiences,
                                        SteadyTime deadline);

  const Pages pages_;
  kubeclient::Transport& transport_;
  const Clock& clock_;
  const std::chrono::milliseconds timeout_;
};

}  // namespace aliquot::access
