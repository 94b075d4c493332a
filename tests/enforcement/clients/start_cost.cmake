# SPDX-License-Identifier: Apache-2.0
# What the start of a program is compared with: a preloaded object that does nothing.
add_library(enforcement_empty SHARED ${CMAKE_CURRENT_LIST_DIR}/start_cost/empty.c)
set_target_properties(enforcement_empty PROPERTIES OUTPUT_NAME empty LIBRARY_OUTPUT_DIRECTORY ${client_folder})
add_dependencies(enforcement_clients enforcement_empty)
