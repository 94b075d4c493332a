# SPDX-License-Identifier: Apache-2.0
file(GLOB memory_commands CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/memory/*.c)
target_sources(enforcement_memory PRIVATE ${memory_commands})
