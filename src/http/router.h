// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "http/message.h"

namespace aliquot::http {

// A table of literal routes: exact path, then exact method; one hash lookup whatever the input.
// Build it before the server starts; read-only and thread-safe after that.
class Router {
 public:
  // Pre: `path` begins with '/' and the pair is new. A POST takes application/json only.
  Router& Get(std::string path, Handler handler);
  Router& Post(std::string path, Handler handler);

  struct Match {
    std::string_view path;             // the registered path, empty if there is none: 404
    const Handler* handler = nullptr;  // null with a path: 405
    std::string_view allow;  // the methods that the path has, as the Allow header wants them
  };
  // Views and handler live as long as the router.
  Match Find(std::string_view method, std::string_view path) const;

 private:
  struct Method {
    std::string name;
    Handler handler;
  };
  struct Route {
    std::string path;
    std::string allow;
    std::vector<Method> methods;
  };

  Router& Add(std::string method, std::string path, Handler handler);

  absl::flat_hash_map<std::string, Route> routes_;
};

}  // namespace aliquot::http
