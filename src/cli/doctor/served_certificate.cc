// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor/served_certificate.h"

#include <curl/curl.h>

#include <memory>

#include "base/strings.h"

namespace aliquot::cli {
namespace {

struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
struct FreeHandle {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};

std::size_t Discard(char*, std::size_t size, std::size_t count, void*) { return size * count; }

// A copy of the text, because the easy handle outlives the call.
void SetBlob(CURL* handle, CURLoption option, const std::string& text) {
  curl_blob blob{const_cast<char*>(text.data()), text.size(), CURL_BLOB_COPY};
  curl_easy_setopt(handle, option, &blob);
}

// How far the connection came.
struct Progress {
  bool connected = false;
  bool trusted = false;  // the TLS handshake is done, and with it the server's certificate verified
};

ProbeOutcome::Kind KindOf(CURLcode code, const Progress& progress, bool has_certificate) {
  switch (code) {
    case CURLE_OK:
      return ProbeOutcome::Kind::kGood;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      return ProbeOutcome::Kind::kUntrusted;
    default:
      break;
  }
  if (!progress.connected) {
    return ProbeOutcome::Kind::kUnreachable;
  }
  // TLS 1.3: a server says that it does not accept the client after the client's handshake. One
  // that shows no certificate is to be refused.
  return progress.trusted && !has_certificate ? ProbeOutcome::Kind::kGood
                                              : ProbeOutcome::Kind::kRefused;
}

}  // namespace

ProbeOutcome Probe(const ServiceProbe& probe, std::chrono::milliseconds timeout) {
  static const CURLcode kReady = curl_global_init(CURL_GLOBAL_DEFAULT);
  const std::unique_ptr<CURL, FreeHandle> handle(kReady == CURLE_OK ? curl_easy_init() : nullptr);
  if (handle == nullptr) {
    return {ProbeOutcome::Kind::kUnreachable, "libcurl cannot start"};
  }
  const bool v6 = probe.address.find(':') != std::string::npos;
  const std::string target = v6 ? "[" + probe.address + "]" : probe.address;
  const std::unique_ptr<curl_slist, FreeList> connect_to(
      curl_slist_append(nullptr, ("::" + target + ":" + std::to_string(probe.port)).c_str()));
  const std::string url = "https://" + probe.server_name + ":" + std::to_string(probe.port) + "/";
  char problem[CURL_ERROR_SIZE] = "";
  CURL* const curl = handle.get();
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_CONNECT_TO, connect_to.get());
  curl_easy_setopt(curl, CURLOPT_PROXY, "");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, problem);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, Discard);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout.count()));
  curl_easy_setopt(curl, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  SetBlob(curl, CURLOPT_CAINFO_BLOB, probe.authority);
  if (!probe.certificate.empty()) {
    SetBlob(curl, CURLOPT_SSLCERT_BLOB, probe.certificate);
    SetBlob(curl, CURLOPT_SSLKEY_BLOB, probe.key);
  }
  const CURLcode code = curl_easy_perform(curl);
  curl_off_t connected = 0;
  curl_easy_getinfo(curl, CURLINFO_CONNECT_TIME_T, &connected);
  curl_off_t trusted = 0;
  curl_easy_getinfo(curl, CURLINFO_APPCONNECT_TIME_T, &trusted);
  const auto kind = KindOf(code, {connected > 0, trusted > 0}, !probe.certificate.empty());
  const std::string says = *problem != '\0' ? problem : curl_easy_strerror(code);
  return {kind, kind == ProbeOutcome::Kind::kGood ? "" : Printable(says, 200)};
}

}  // namespace aliquot::cli
