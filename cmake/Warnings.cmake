# SPDX-License-Identifier: Apache-2.0
# One interface target carries the warnings, so that third-party headers never see them.
add_library(aliquot_warnings INTERFACE)
target_compile_options(aliquot_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
                                                  -Wold-style-cast -Wextra-semi)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # The lock rules written as GUARDED_BY are part of the interface: breaking one is an error.
  target_compile_options(aliquot_warnings INTERFACE -Wthread-safety -Werror=thread-safety)
endif()
if(ALIQUOT_WERROR)
  target_compile_options(aliquot_warnings INTERFACE -Werror)
endif()
