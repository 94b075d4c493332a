# SPDX-License-Identifier: Apache-2.0
include(GoogleTest)

# aliquot_test(NAME SOURCES a.cc ... LIBS aliquot_x ... [LABELS unit] [TIMEOUT 60])
# One GoogleTest program; each of its tests becomes a ctest. Tests run in the root of the sources, and ALIQUOT_SOURCE_DIR is that place seen
# from there: a path of this machine in the command would make every checkout compile all tests anew.
function(aliquot_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LIBS;LABELS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBS} aliquot_warnings GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(${name} PRIVATE ALIQUOT_SOURCE_DIR=".")
  gtest_discover_tests(${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} DISCOVERY_TIMEOUT 60 PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
endfunction()
