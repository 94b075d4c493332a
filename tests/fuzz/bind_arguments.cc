// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "api/bind_wire.h"
#include "api/binding_codec.h"
#include "tests/fuzz/fuzz_targets.h"

namespace aliquot::fuzz {

void BindArguments(std::string_view input) {
  const auto args = api::ParseBindArgs(input);
  std::string reply;
  api::WriteBindResult(reply, args.status().message());
  Require(nlohmann::json::accept(reply));
  if (!args.ok()) {
    return;
  }
  // What passes goes into a request path and a body.
  for (const std::string* part :
       {&args->pod.name, &args->pod.namespace_name, &args->uid, &args->node}) {
    Require(part->find_first_of("/?#% \r\n") == std::string::npos && !part->empty());
  }
  const std::string body = api::FormatBinding(args->pod, args->uid, args->node, {{"a", "b"}});
  Require(nlohmann::json::parse(body)["target"]["name"] == args->node);
}

}  // namespace aliquot::fuzz
