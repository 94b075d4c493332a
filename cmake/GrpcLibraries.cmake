# SPDX-License-Identifier: Apache-2.0
# ALIQUOT_GRPC_LIBRARIES: gRPC without TLS and protobuf's lite runtime, by their files, since gRPC's own targets would bring the full
# protobuf runtime along.
#
# Release programs take them, and abseil, from the archives of the same Debian packages: a program maps and relocates far more of 45
# shared libraries than it uses, and the agent's memory is counted (docs/adr/0012-grpc.md). Other builds keep the shared ones: they link
# faster, and the sanitizers' suppressions name them.
set(ALIQUOT_GRPC_LIBRARIES)
if(CMAKE_BUILD_TYPE MATCHES "Rel" AND NOT ALIQUOT_SANITIZE)
  get_property(imported DIRECTORY PROPERTY IMPORTED_TARGETS)
  list(FILTER imported INCLUDE REGEX "^(absl|gRPC)::")
  foreach(target IN LISTS imported)
    get_target_property(shared ${target} IMPORTED_LOCATION_NONE)
    string(REGEX REPLACE "\\.so\\.[0-9.]+$" ".a" archive "${shared}")
    if(archive MATCHES "\\.a$" AND EXISTS ${archive})
      set_target_properties(${target} PROPERTIES IMPORTED_LOCATION_NONE ${archive})
    endif()
  endforeach()
  find_library(ALIQUOT_CARES libcares.a REQUIRED)
  find_library(ALIQUOT_PROTOBUF_LITE libprotobuf-lite.a REQUIRED)
  foreach(target grpc++_unsecure grpc_unsecure upb address_sorting gpr)
    list(APPEND ALIQUOT_GRPC_LIBRARIES $<TARGET_FILE:gRPC::${target}>)
  endforeach()
  list(APPEND ALIQUOT_GRPC_LIBRARIES ${ALIQUOT_CARES} ${ALIQUOT_PROTOBUF_LITE} absl::flat_hash_map absl::hash absl::statusor absl::status
       absl::cord absl::random_random absl::str_format absl::strings absl::time absl::synchronization ZLIB::ZLIB)
else()
  foreach(target grpc++_unsecure grpc_unsecure gpr)
    list(APPEND ALIQUOT_GRPC_LIBRARIES $<TARGET_FILE:gRPC::${target}>)
  endforeach()
  list(APPEND ALIQUOT_GRPC_LIBRARIES protobuf::libprotobuf-lite absl::synchronization)
endif()
list(APPEND ALIQUOT_GRPC_LIBRARIES Threads::Threads)
