// SPDX-License-Identifier: Apache-2.0
#include "http/request_head.h"

#include <cstdint>

#include "base/strings.h"
#include "http/header_text.h"

namespace aliquot::http {
namespace {

using MaybeRefusal = std::optional<Refusal>;

Refusal Refuse(int status, std::string sentence) { return Refusal{status, std::move(sentence)}; }

std::string Quoted(std::string_view text) { return "'" + Printable(text, 60) + "'"; }

// Collects the fields that decide the framing; each may appear once.
struct FramingFields {
  std::optional<std::string_view> content_length;
  std::optional<std::string_view> transfer_encoding;
  std::optional<std::string_view> host;
  std::optional<std::string_view> content_type;
  std::optional<std::string_view> expect;

  std::optional<std::string_view>* Find(std::string_view name) {
    if (EqualsIgnoringCase(name, "content-length")) return &content_length;
    if (EqualsIgnoringCase(name, "transfer-encoding")) return &transfer_encoding;
    if (EqualsIgnoringCase(name, "host")) return &host;
    if (EqualsIgnoringCase(name, "content-type")) return &content_type;
    if (EqualsIgnoringCase(name, "expect")) return &expect;
    return nullptr;
  }
};

MaybeRefusal CollectFields(const std::vector<HeaderView>& headers, FramingFields* fields,
                           Framing* framing) {
  for (const auto& [name, value] : headers) {
    if (std::optional<std::string_view>* field = fields->Find(name)) {
      if (field->has_value()) {
        return Refuse(400, "header " + Quoted(name) + " appears twice; send it once");
      }
      *field = value;
    } else if (EqualsIgnoringCase(name, "connection")) {
      if (ListContains(value, "close")) framing->keep_alive = false;
    } else if (EqualsIgnoringCase(name, "content-encoding")) {
      if (!EqualsIgnoringCase(value, "identity")) {
        return Refuse(415, "content-encoding " + Quoted(value) +
                               " is not supported; send the body without compression");
      }
    } else if (EqualsIgnoringCase(name, "range")) {
      return Refuse(400, "header 'Range' is not supported; ask for the whole resource");
    }
  }
  return std::nullopt;
}

MaybeRefusal CheckTransferEncoding(std::string_view value, const RequestLine& line,
                                   const FramingFields& fields) {
  if (fields.content_length) {
    return Refuse(400, "headers 'Content-Length' and 'Transfer-Encoding' together; send one");
  }
  if (line.http_1_0) return Refuse(400, "header 'Transfer-Encoding' in HTTP/1.0; use HTTP/1.1");
  if (!EqualsIgnoringCase(value, "chunked")) {
    return Refuse(501, "transfer-encoding " + Quoted(value) + " is not supported; use chunked");
  }
  return std::nullopt;
}

MaybeRefusal CheckContentLength(std::string_view value, const HeadLimits& limits,
                                Framing* framing) {
  const std::optional<std::int64_t> length = ParseUnsigned(value);
  if (!length) {
    return Refuse(400, "content-length " + Quoted(value) + " is no length; send decimal digits");
  }
  if (static_cast<std::uint64_t>(*length) > limits.max_body_bytes) {
    return Refuse(413, "content-length " + std::to_string(*length) + " is over the limit; send " +
                           std::to_string(limits.max_body_bytes) + " bytes at most");
  }
  framing->content_length = static_cast<std::size_t>(*length);
  return std::nullopt;
}

}  // namespace

MaybeRefusal ParseRequestLine(std::string_view line, RequestLine* parsed) {
  const std::vector<std::string_view> parts = Split(line, ' ');
  if (parts.size() != 3 || !IsToken(parts[0]) || parts[1].empty() || !IsFieldValue(parts[1]) ||
      parts[1].find('\t') != std::string_view::npos) {
    return Refuse(400,
                  "request line " + Quoted(line) + " is malformed; send METHOD target HTTP/1.1");
  }
  if (parts[2] != "HTTP/1.1" && parts[2] != "HTTP/1.0") {
    if (!StartsWith(parts[2], "HTTP/")) {
      return Refuse(400, "request line " + Quoted(line) + " has no version; send HTTP/1.1");
    }
    return Refuse(505, "version " + Quoted(parts[2]) + " is not supported; use HTTP/1.1");
  }
  parsed->method = parts[0];
  parsed->target = parts[1];
  parsed->http_1_0 = parts[2] == "HTTP/1.0";
  return std::nullopt;
}

MaybeRefusal ParseHeaderLine(std::string_view line, HeaderView* parsed) {
  const std::size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  // Covers a folded line (it begins with a blank) and a blank before the colon, both used to
  // smuggle.
  if (colon == std::string_view::npos || !IsToken(name)) {
    return Refuse(400, "header line " + Quoted(line) + " is malformed; send name: value");
  }
  const std::string_view value = line.substr(colon + 1);
  if (!IsFieldValue(value)) {
    return Refuse(400, "header " + Quoted(name) + " has a control character in its value");
  }
  *parsed = {name, Trim(value)};
  return std::nullopt;
}

MaybeRefusal CheckFraming(const RequestLine& line, const std::vector<HeaderView>& headers,
                          const HeadLimits& limits, Framing* framing) {
  FramingFields fields;
  framing->keep_alive = !line.http_1_0;
  if (MaybeRefusal refusal = CollectFields(headers, &fields, framing)) return refusal;
  if (!fields.host && !line.http_1_0) return Refuse(400, "header 'Host' is missing; send it");
  if (fields.content_type && StartsWith(MediaType(*fields.content_type), "multipart/")) {
    return Refuse(415, "content-type " + Quoted(*fields.content_type) +
                           " is not supported; send application/json");
  }
  if (fields.transfer_encoding) {
    if (MaybeRefusal refusal = CheckTransferEncoding(*fields.transfer_encoding, line, fields)) {
      return refusal;
    }
    framing->chunked = true;
  }
  if (fields.content_length) {
    if (MaybeRefusal refusal = CheckContentLength(*fields.content_length, limits, framing)) {
      return refusal;
    }
  }
  if (fields.expect) {
    if (!EqualsIgnoringCase(*fields.expect, "100-continue")) {
      return Refuse(417, "expectation " + Quoted(*fields.expect) + " is not supported");
    }
    framing->expects_continue = !line.http_1_0;
  }
  return std::nullopt;
}

}  // namespace aliquot::http
