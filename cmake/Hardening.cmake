# SPDX-License-Identifier: Apache-2.0
# Release programs get the usual hardening; sanitizer builds replace it with stronger checks.
if(CMAKE_BUILD_TYPE MATCHES "Rel" AND NOT ALIQUOT_SANITIZE)
  add_compile_options(-fstack-protector-strong -fcf-protection -fPIE)
  add_compile_definitions(_FORTIFY_SOURCE=2)
  add_link_options(-pie -Wl,-z,relro,-z,now)
endif()
