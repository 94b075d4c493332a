# SPDX-License-Identifier: Apache-2.0
# The whole agent against a fake kubelet and a fake API server.
add_library(agent_test_fixture STATIC agent_fixture.cc agent_pod.cc http_test_client.cc)
target_include_directories(agent_test_fixture PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(agent_test_fixture PUBLIC ALIQUOT_SOURCE_DIR=".")
target_link_libraries(agent_test_fixture
  PUBLIC aliquot_agent aliquot_kubelet_proto aliquot_fake_api_server aliquot_fake_kubelet GTest::gmock GTest::gtest
  PRIVATE aliquot_warnings)

aliquot_test(agent_integration_test
  SOURCES agent_api_test.cc agent_enforcement_test.cc agent_identity_test.cc agent_kubelet_test.cc agent_life_test.cc agent_machine_test.cc agent_pages_test.cc
          agent_refusal_test.cc agent_restart_test.cc agent_storage_test.cc
  LIBS agent_test_fixture
  LABELS integration)
target_compile_definitions(agent_integration_test PRIVATE ALIQUOT_AGENT_PROGRAM="$<TARGET_FILE:aliquot-agent>")
add_dependencies(agent_integration_test aliquot-agent)

# Of its own, since libnvidia-ml is loaded into the process.
aliquot_test(agent_nvml_integration_test
  SOURCES agent_nvml_test.cc
  LIBS agent_test_fixture
  LABELS integration)
target_compile_definitions(agent_nvml_integration_test PRIVATE ALIQUOT_SIMULATED_NVML="$<TARGET_FILE:simgpu_nvml>")
add_dependencies(agent_nvml_integration_test simgpu_nvml)
