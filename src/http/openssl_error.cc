// SPDX-License-Identifier: Apache-2.0
#include "http/openssl_error.h"

#include <openssl/err.h>

namespace aliquot::http {

std::string TakeOpensslError() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (code == 0) return "unknown error";
  const char* reason = ERR_reason_error_string(code);
  return reason != nullptr ? reason : "error " + std::to_string(code);
}

}  // namespace aliquot::http
