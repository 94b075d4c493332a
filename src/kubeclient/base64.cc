// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/base64.h"

#include <openssl/evp.h>

#include <algorithm>

namespace aliquot::kubeclient {

std::optional<std::string> DecodeBase64(std::string_view text) {
  std::string compact;
  compact.reserve(text.size());
  std::copy_if(text.begin(), text.end(), std::back_inserter(compact),
               [](char c) { return c != '\n' && c != '\r' && c != ' '; });
  if (compact.size() % 4 != 0) return std::nullopt;
  const auto last = compact.find_last_not_of('=');
  const std::size_t padding =
      last == std::string::npos ? compact.size() : compact.size() - 1 - last;
  if (padding > 2) return std::nullopt;
  std::string out(compact.size() / 4 * 3, '\0');
  const int length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                     reinterpret_cast<const unsigned char*>(compact.data()),
                                     static_cast<int>(compact.size()));
  if (length < 0) return std::nullopt;
  out.resize(static_cast<std::size_t>(length) -
             padding);  // OpenSSL counts the padding as zero bytes
  return out;
}

std::string EncodeBase64(std::string_view bytes) {
  std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');  // OpenSSL ends it with a zero byte
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(length));
  return out;
}

}  // namespace aliquot::kubeclient
