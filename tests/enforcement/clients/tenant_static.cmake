# SPDX-License-Identifier: Apache-2.0
# The tenant as one static program, the simulated driver included: no loader, so nothing is preloaded.
add_executable(enforcement_tenant_static ${CMAKE_CURRENT_LIST_DIR}/tenant.c $<TARGET_OBJECTS:simgpu_cuda_objects>)
set_target_properties(enforcement_tenant_static PROPERTIES OUTPUT_NAME tenant-static RUNTIME_OUTPUT_DIRECTORY ${client_folder}
  LINKER_LANGUAGE CXX)
target_include_directories(enforcement_tenant_static PRIVATE ${CMAKE_CURRENT_LIST_DIR})
target_include_directories(enforcement_tenant_static SYSTEM PRIVATE ${ALIQUOT_CUDA_HEADERS})
target_compile_options(enforcement_tenant_static PRIVATE -O1 -g -Wall -Wextra)
target_link_options(enforcement_tenant_static PRIVATE -static -no-pie)
target_link_libraries(enforcement_tenant_static PRIVATE simgpu_world)
add_dependencies(enforcement_clients enforcement_tenant_static)
