# SPDX-License-Identifier: Apache-2.0
# The commit is read at configure time; a source archive without git says "unknown".
execute_process(COMMAND git -C ${CMAKE_CURRENT_SOURCE_DIR} rev-parse --short=12 HEAD
                OUTPUT_VARIABLE ALIQUOT_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT ALIQUOT_COMMIT)
  set(ALIQUOT_COMMIT "unknown")
endif()
