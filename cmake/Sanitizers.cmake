# SPDX-License-Identifier: Apache-2.0
if(ALIQUOT_SANITIZE)
  add_compile_options(-fsanitize=${ALIQUOT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${ALIQUOT_SANITIZE})
endif()
if(ALIQUOT_BUILD_FUZZERS)
  # The code under test needs coverage instrumentation; the fuzz targets themselves link libFuzzer.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
