# SPDX-License-Identifier: Apache-2.0
# The agent's policies over a simulated card, without an agent.
add_executable(enforcement_lend ${CMAKE_CURRENT_LIST_DIR}/../lend/lend.cc ${PROJECT_SOURCE_DIR}/src/agent/enforcement/lending.cc
                                ${PROJECT_SOURCE_DIR}/src/agent/enforcement/time_correction.cc)
set_target_properties(enforcement_lend PROPERTIES OUTPUT_NAME lend RUNTIME_OUTPUT_DIRECTORY ${client_folder})
target_link_libraries(enforcement_lend PRIVATE simgpu_world aliquot_quota aliquot_warnings)
target_include_directories(enforcement_lend PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src)
add_dependencies(enforcement_clients enforcement_lend)
