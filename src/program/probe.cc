// SPDX-License-Identifier: Apache-2.0
#include "program/probe.h"

#include <curl/curl.h>

#include <memory>

#include "base/strings.h"
#include "http/listen_address.h"
#include "program/addresses_file.h"

namespace aliquot::program {
namespace {

constexpr std::size_t kMaxReplyBytes = 4096;

struct CurlDeleter {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};

// curl's write callback; `user` is the text so far.
std::size_t Append(char* data, std::size_t size, std::size_t count, void* user) {
  auto& text = *static_cast<std::string*>(user);
  text.append(data, size * count);
  return text.size() > kMaxReplyBytes ? 0 : size * count;
}

}  // namespace

Result<std::string> MonitorAddress(const std::string& listen_monitor,
                                   const std::string& addresses_file) {
  const auto configured = http::ParseListenAddress(listen_monitor);
  if (!configured.ok()) {
    return configured.status();
  }
  if (configured->port != 0) {
    return listen_monitor;
  }
  if (addresses_file.empty()) {
    return FailedPrecondition(
        "listen.monitor has port 0, so only the running program knows its port; give "
        "addressesFile too");
  }
  return ReadAddress(addresses_file, "monitor");
}

Status Probe(const std::string& monitor_address, std::string_view what,
             std::chrono::milliseconds timeout) {
  const std::string url = "http://" + monitor_address + (what == "ready" ? "/readyz" : "/healthz");
  const std::unique_ptr<CURL, CurlDeleter> handle(curl_easy_init());
  std::string reply;
  long status = 0;
  if (handle == nullptr) {
    return Internal("libcurl could not be set up");
  }
  CURL* curl = handle.get();
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http");
  curl_easy_setopt(curl, CURLOPT_PROXY, "");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout.count()));
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, Append);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &reply);
  const CURLcode code = curl_easy_perform(curl);
  if (code != CURLE_OK) {
    return Unavailable("nothing answers at " + monitor_address + " (" + curl_easy_strerror(code) +
                       ")");
  }
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  if (status != 200) {
    return Unavailable("not " + std::string(what) + ": " + Printable(Trim(reply), kMaxReplyBytes));
  }
  return Status::Ok();
}

}  // namespace aliquot::program
