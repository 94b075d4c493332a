// SPDX-License-Identifier: Apache-2.0
#include "http/router.h"

#include <utility>

namespace aliquot::http {

Router& Router::Get(std::string path, Handler handler) {
  return Add("GET", std::move(path), std::move(handler));
}

Router& Router::Post(std::string path, Handler handler) {
  return Add("POST", std::move(path), std::move(handler));
}

Router& Router::Add(std::string method, std::string path, Handler handler) {
  Route& route = routes_[path];
  route.path = std::move(path);
  if (!route.allow.empty()) route.allow += ", ";
  route.allow += method;
  route.methods.push_back({std::move(method), std::move(handler)});
  return *this;
}

Router::Match Router::Find(std::string_view method, std::string_view path) const {
  Match match;
  // Debian builds Abseil with a string_view of its own.
  const auto found = routes_.find(absl::string_view(path.data(), path.size()));
  if (found == routes_.end()) return match;
  const Route& route = found->second;
  match.path = route.path;
  match.allow = route.allow;
  for (const Method& candidate : route.methods) {
    if (candidate.name == method) match.handler = &candidate.handler;
  }
  return match;
}

}  // namespace aliquot::http
