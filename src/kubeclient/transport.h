// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "kubeclient/cancellation.h"
#include "kubeclient/verbs.h"

// One request to the API server and what is known of its fate. curl_transport.h sends it; tests put
// their own behind the interface.

namespace aliquot::kubeclient {

struct Header {
  std::string name;
  std::string value;
};

struct ApiRequest {
  ApiVerb verb;                // method and path follow from it (api_path.h)
  std::string namespace_name;  // "" = cluster-scoped, or all namespaces
  std::string name;            // "" = the collection
  std::string query;           // encoded, without '?'
  std::string content_type;    // of the body
  std::string body;
  std::size_t max_reply_bytes = 4u << 20;
  std::string subpath{};  // encoded, what follows the subresource of a proxy: "/verify"
  // Besides the client's own. Values may be secrets; one with a control character is not sent.
  std::vector<Header> headers{};
};

struct ApiReply {
  int status = 0;
  std::vector<Header> headers;
  std::string body;

  // The first of that name in any case, or nullptr.
  const std::string* FindHeader(std::string_view name) const;
};

struct CallResult {
  enum class Outcome {
    kReply,    // the server answered; `reply` holds it
    kNotSent,  // not a byte of the request was written: it has certainly no effect
    kUnknown,  // it was, or may have been, sent; no complete answer came
  };
  enum class Cause {
    kNone,
    kConnect,
    kTls,
    kDeadline,
    kSilence,
    kCut,
    kTooLarge,
    kCancelled,
    kConsumer
  };

  Outcome outcome = Outcome::kNotSent;
  Cause cause = Cause::kNone;  // of kNotSent and kUnknown
  ApiReply reply;
  std::string message;  // one sentence for kNotSent and kUnknown; never a credential
};

struct StreamLimits {
  SteadyTime deadline;                // for all of it
  std::chrono::milliseconds silence;  // the longest wait for the next byte
};

// Told each piece of a 200 reply as it arrives; false ends the stream.
using ChunkConsumer = std::function<bool(std::string_view chunk)>;

// Blocking, thread-safe. Sends nothing twice, except after a 401: that answer proves that the
// server did nothing, and fresh credentials may be at hand.
class Transport {
 public:
  virtual ~Transport() = default;

  // `cancellation` may be nullptr.
  virtual CallResult Call(const ApiRequest& request, SteadyTime deadline,
                          Cancellation* cancellation) = 0;
  // A reply other than 200 comes back whole. kReply with 200 means that the server ended the stream
  // in good order; its body is empty here.
  virtual CallResult Stream(const ApiRequest& request, const StreamLimits& limits,
                            Cancellation& cancellation, const ChunkConsumer& consumer) = 0;
};

}  // namespace aliquot::kubeclient
