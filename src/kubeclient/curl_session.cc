// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/curl_session.h"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include "base/strings.h"

namespace aliquot::kubeclient {

namespace {

constexpr std::size_t kMaxHeaders = 64;
constexpr std::size_t kMaxHeaderBytes = 8192;
constexpr std::size_t kMaxErrorBodyBytes = 256u
                                           << 10;  // of a stream that was answered with an error

struct SlistDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Slist = std::unique_ptr<curl_slist, SlistDeleter>;

bool Append(Slist& list, const std::string& line) {
  curl_slist* longer = curl_slist_append(list.get(), line.c_str());
  if (longer == nullptr) return false;
  static_cast<void>(list.release());  // it is the head of `longer` now
  list.reset(longer);
  return true;
}

curl_blob BlobOf(const std::string& text) {
  // libcurl does not write to a blob; its type has no const.
  return {const_cast<char*>(text.data()), text.size(), CURL_BLOB_NOCOPY};
}

CallResult::Cause CauseOf(CURLcode code) {
  switch (code) {
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR:
      return CallResult::Cause::kTls;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:  // only the connect time-out is libcurl's; the others are ours
      return CallResult::Cause::kConnect;
    default:
      return CallResult::Cause::kCut;
  }
}

// proxy-url as libcurl is told, with what kubectl means by it: the ports that it takes where none
// is named (libcurl's own is 1080), and names resolved by a SOCKS proxy.
std::string ProxyOf(const std::string& url) {
  const std::size_t begin = url.find("://") + 3;
  const std::string scheme = url.substr(0, begin);
  const std::string authority = url.substr(begin, url.find('/', begin) - begin);
  const std::size_t bracket = authority.find_last_of("]@");  // before the port, if anything
  const bool has_port =
      authority.find(':', bracket == std::string::npos ? 0 : bracket) != std::string::npos;
  const char* port = scheme == "http://" ? ":80" : scheme == "https://" ? ":443" : ":1080";
  return (scheme == "socks5://" ? "socks5h://" : scheme) + authority + (has_port ? "" : port);
}

}  // namespace

struct CurlSession::Handles {
  CURL* easy = nullptr;
  CURLM* multi = nullptr;

  Handles() {
    static std::once_flag once;
    std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
    easy = curl_easy_init();
    multi = curl_multi_init();
  }
  ~Handles() {
    curl_easy_cleanup(easy);
    curl_multi_cleanup(multi);
  }
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
};

// What happens to one request; libcurl's callbacks write here.
struct CurlSession::Transfer {
  const WireRequest& request;
  CURL* const easy;
  Slist headers;
  Slist connect_to;
  std::array<char, CURL_ERROR_SIZE> error{};
  ApiReply reply;
  CallResult::Cause cause = CallResult::Cause::kNone;  // why it was given up by us
  int sends = 0;          // how often libcurl was about to write the request
  bool heard = false;     // a byte came since the loop looked last
  bool finished = false;  // libcurl is done with it
  CURLcode code = CURLE_OK;

  // libcurl sends a request again, by itself, when a kept-alive connection turns out dead. Whether
  // the server acted on the first copy is not known then, so the second is refused for anything but
  // GET.
  static int BeforeSend(void* self, char*, char*, int, int) {
    auto* transfer = static_cast<Transfer*>(self);
    if (transfer->sends > 0 && transfer->request.method != "GET") return CURL_PREREQFUNC_ABORT;
    ++transfer->sends;
    return CURL_PREREQFUNC_OK;
  }

  static std::size_t OnHeader(char* data, std::size_t size, std::size_t count, void* self) {
    auto* transfer = static_cast<Transfer*>(self);
    transfer->heard = true;
    const std::string_view line = Trim(std::string_view(data, size * count));
    if (StartsWith(line, "HTTP/")) {
      transfer->reply.headers.clear();  // an interim reply's are of no use
      return size * count;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || line.size() > kMaxHeaderBytes ||
        transfer->reply.headers.size() >= kMaxHeaders) {
      return size * count;
    }
    transfer->reply.headers.push_back(
        {std::string(line.substr(0, colon)), std::string(Trim(line.substr(colon + 1)))});
    return size * count;
  }

  static std::size_t OnBody(char* data, std::size_t size, std::size_t count, void* self) {
    auto* transfer = static_cast<Transfer*>(self);
    transfer->heard = true;
    const std::string_view chunk(data, size * count);
    return transfer->Take(chunk) ? chunk.size() : 0;
  }

  bool Take(std::string_view chunk) {
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    if (request.consumer != nullptr && status == 200) {
      if ((*request.consumer)(chunk)) return true;
      cause = CallResult::Cause::kConsumer;
      return false;
    }
    const std::size_t limit =
        request.consumer != nullptr ? kMaxErrorBodyBytes : request.max_reply_bytes;
    if (reply.body.size() + chunk.size() > limit) {
      cause = CallResult::Cause::kTooLarge;
      return false;
    }
    reply.body.append(chunk);
    return true;
  }
};

Endpoint MakeEndpoint(const ClientConfig& config) {
  Endpoint endpoint;
  endpoint.base_url = config.server;
  if (!config.proxy_url.empty()) endpoint.proxy = ProxyOf(config.proxy_url);
  const std::size_t scheme = config.server.find("://") + 3;
  if (config.tls_server_name.empty()) return endpoint;
  // libcurl verifies, and names in SNI, the host of the URL. So the URL gets the name to verify,
  // and the connection is led to the real host.
  const std::size_t path = std::min(config.server.find('/', scheme), config.server.size());
  const std::string authority = config.server.substr(scheme, path - scheme);
  const std::size_t bracket = authority.rfind(']');
  const std::size_t colon = authority.rfind(':');
  const bool has_port =
      colon != std::string::npos && (bracket == std::string::npos || colon > bracket);
  const std::string host = has_port ? authority.substr(0, colon) : authority;
  const std::string port = has_port ? authority.substr(colon + 1) : "443";
  endpoint.base_url = config.server.substr(0, scheme) + config.tls_server_name + ":" + port +
                      config.server.substr(path);
  endpoint.connect_to = config.tls_server_name + ":" + port + ":" + host + ":" + port;
  endpoint.host_header = "Host: " + authority;
  return endpoint;
}

std::unique_ptr<CurlSession> CurlSession::Create(const Endpoint& endpoint,
                                                 std::shared_ptr<const CredentialSet> credentials) {
  auto handles = std::make_unique<Handles>();
  if (handles->easy == nullptr || handles->multi == nullptr) return nullptr;
  return std::unique_ptr<CurlSession>(
      new CurlSession(endpoint, std::move(credentials), std::move(handles)));
}

CurlSession::CurlSession(const Endpoint& endpoint, std::shared_ptr<const CredentialSet> credentials,
                         std::unique_ptr<Handles> handles)
    : endpoint_(endpoint), credentials_(std::move(credentials)), handles_(std::move(handles)) {}

CurlSession::~CurlSession() = default;

bool CurlSession::PrepareTls() {
  CURL* easy = handles_->easy;
  bool ok = curl_easy_setopt(easy, CURLOPT_SSLVERSION, long{CURL_SSLVERSION_TLSv1_2}) == CURLE_OK;
  ok &= curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L) == CURLE_OK;
  ok &= curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L) == CURLE_OK;
  if (!credentials_->ca_pem.empty()) {
    // Only this CA: the system's directory would be trusted beside it otherwise.
    ok &= curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr) == CURLE_OK;
    ok &= curl_easy_setopt(easy, CURLOPT_CAINFO, nullptr) == CURLE_OK;
    const curl_blob ca = BlobOf(credentials_->ca_pem);
    ok &= curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &ca) == CURLE_OK;
    if (!endpoint_.proxy.empty()) {  // kubectl verifies an https proxy by the cluster's CA, too
      ok &= curl_easy_setopt(easy, CURLOPT_PROXY_CAPATH, nullptr) == CURLE_OK;
      ok &= curl_easy_setopt(easy, CURLOPT_PROXY_CAINFO, nullptr) == CURLE_OK;
      ok &= curl_easy_setopt(easy, CURLOPT_PROXY_CAINFO_BLOB, &ca) == CURLE_OK;
    }
  }
  if (!credentials_->certificate_pem.empty()) {
    const curl_blob certificate = BlobOf(credentials_->certificate_pem);
    const curl_blob key = BlobOf(credentials_->key_pem);
    ok &= curl_easy_setopt(easy, CURLOPT_SSLCERT_BLOB, &certificate) == CURLE_OK;
    ok &= curl_easy_setopt(easy, CURLOPT_SSLCERTTYPE, "PEM") == CURLE_OK;
    ok &= curl_easy_setopt(easy, CURLOPT_SSLKEY_BLOB, &key) == CURLE_OK;
    ok &= curl_easy_setopt(easy, CURLOPT_SSLKEYTYPE, "PEM") == CURLE_OK;
  }
  return ok;
}

bool CurlSession::Prepare(Transfer& transfer) {
  CURL* easy = handles_->easy;
  curl_easy_reset(easy);  // keeps the connection
  bool ok = PrepareTls();
  const auto set = [easy, &ok](CURLoption option, auto value) {
    ok &= curl_easy_setopt(easy, option, value) == CURLE_OK;
  };
  const std::string url = endpoint_.base_url + transfer.request.target;
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "https,http");  // CheckClientConfig has judged the scheme
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_PROXY, endpoint_.proxy.c_str());  // "": also not the environment's
  set(CURLOPT_NOPROXY, "");
  set(CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_TCP_NODELAY, 1L);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_MAXAGE_CONN, static_cast<long>(endpoint_.max_idle_age.count()));
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(endpoint_.connect_timeout.count()));
  set(CURLOPT_USERAGENT, endpoint_.user_agent.c_str());
  set(CURLOPT_ERRORBUFFER, transfer.error.data());
  set(CURLOPT_PREREQFUNCTION, &Transfer::BeforeSend);
  set(CURLOPT_PREREQDATA, &transfer);
  set(CURLOPT_HEADERFUNCTION, &Transfer::OnHeader);
  set(CURLOPT_HEADERDATA, &transfer);
  set(CURLOPT_WRITEFUNCTION, &Transfer::OnBody);
  set(CURLOPT_WRITEDATA, &transfer);

  for (const std::string& header : transfer.request.headers) ok &= Append(transfer.headers, header);
  if (!endpoint_.host_header.empty()) ok &= Append(transfer.headers, endpoint_.host_header);
  ok &= Append(transfer.headers, "Expect:");  // no wait for "100 Continue" before a large body
  set(CURLOPT_HTTPHEADER, transfer.headers.get());
  if (!endpoint_.connect_to.empty()) {
    ok &= Append(transfer.connect_to, endpoint_.connect_to);
    set(CURLOPT_CONNECT_TO, transfer.connect_to.get());
  }
  if (transfer.request.body != nullptr) {
    set(CURLOPT_POST, 1L);
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(transfer.request.body->size()));
    set(CURLOPT_POSTFIELDS, transfer.request.body->c_str());
    set(CURLOPT_CUSTOMREQUEST, std::string(transfer.request.method).c_str());
  }
  return ok;
}

void CurlSession::Drive(Transfer& transfer, const Clock& clock) {
  using std::chrono::milliseconds;
  using Cause = CallResult::Cause;
  const StreamLimits& limits = transfer.request.limits;
  Cancellation* cancellation = transfer.request.cancellation;
  SteadyTime last_byte = clock.SteadyNow();
  for (;;) {
    int running = 0;
    if (curl_multi_perform(handles_->multi, &running) != CURLM_OK) return;
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(handles_->multi, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      transfer.finished = true;
      transfer.code = message->data.result;
      return;
    }
    const SteadyTime now = clock.SteadyNow();
    if (std::exchange(transfer.heard, false)) last_byte = now;
    if (cancellation != nullptr && cancellation->cancelled()) {
      transfer.cause = Cause::kCancelled;
      return;
    }
    const SteadyTime silent = last_byte + limits.silence;
    if (now >= limits.deadline || now >= silent) {
      transfer.cause = now >= limits.deadline ? Cause::kDeadline : Cause::kSilence;
      return;
    }
    const auto wait = std::chrono::ceil<milliseconds>(std::min(limits.deadline, silent) - now);
    const auto bounded = std::clamp(wait, milliseconds(1), milliseconds(1000));
    if (curl_multi_poll(handles_->multi, nullptr, 0, static_cast<int>(bounded.count()), nullptr) !=
        CURLM_OK) {
      return;
    }
  }
}

CallResult CurlSession::Conclude(Transfer& transfer) {
  using Cause = CallResult::Cause;
  CallResult result;
  if (transfer.finished && transfer.code == CURLE_OK) {
    long status = 0;
    curl_easy_getinfo(handles_->easy, CURLINFO_RESPONSE_CODE, &status);
    transfer.reply.status = static_cast<int>(status);
    result.outcome = CallResult::Outcome::kReply;
    result.reply = std::move(transfer.reply);
    return result;
  }
  result.outcome =
      transfer.sends == 0 ? CallResult::Outcome::kNotSent : CallResult::Outcome::kUnknown;
  result.cause = transfer.cause;
  switch (transfer.cause) {
    case Cause::kCancelled:
      result.message = "given up because this program stops";
      break;
    case Cause::kConsumer:
      result.message = "ended by its reader";
      break;
    case Cause::kDeadline:
      result.message = "no answer by the deadline";
      break;
    case Cause::kSilence:
      result.message = "not a byte came for too long";
      break;
    case Cause::kTooLarge:
      result.message = "the reply is larger than allowed";
      break;
    default: {
      result.cause = transfer.finished ? CauseOf(transfer.code) : Cause::kCut;
      const std::string detail =
          transfer.error[0] != '\0' ? transfer.error.data() : curl_easy_strerror(transfer.code);
      result.message = "the connection failed: " + Printable(detail, 200);
    }
  }
  return result;
}

CallResult CurlSession::Perform(const WireRequest& request, const Clock& clock) {
  Transfer transfer{request, handles_->easy, {}, {}, {}, {}};
  if (!Prepare(transfer) || curl_multi_add_handle(handles_->multi, handles_->easy) != CURLM_OK) {
    CallResult result;
    result.message = "libcurl refused the request's settings";
    return result;
  }
  {
    std::optional<Cancellation::Waker> waker;
    if (request.cancellation != nullptr) {
      waker.emplace(*request.cancellation, [this] { curl_multi_wakeup(handles_->multi); });
    }
    Drive(transfer, clock);
  }
  CallResult result = Conclude(transfer);
  // Of a transfer that is not finished this closes the connection.
  curl_multi_remove_handle(handles_->multi, handles_->easy);
  return result;
}

}  // namespace aliquot::kubeclient
