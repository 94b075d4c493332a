# SPDX-License-Identifier: Apache-2.0
aliquot_test(allocator_integration_test
  SOURCES allocator_api_server_test.cc allocator_bad_input_test.cc allocator_cluster_file_test.cc allocator_fixture.cc allocator_pages_test.cc
          allocator_program_test.cc http_test_client.cc
  LIBS aliquot_allocator aliquot_fake_api_server spdlog::spdlog
  LABELS integration)
target_compile_definitions(allocator_integration_test PRIVATE
  ALIQUOT_ALLOCATOR_PROGRAM="$<TARGET_FILE:aliquot-allocator>")
add_dependencies(allocator_integration_test aliquot-allocator)
