# SPDX-License-Identifier: Apache-2.0
# Every third-party library, found once. tools/install-dependencies.sh installs the Debian packages.
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(spdlog REQUIRED)
find_package(Boost 1.74 REQUIRED)  # Boost.Graph: headers only (src/topology)
find_package(pugixml 1.13 REQUIRED)  # NCCL's topology files (src/topology)
find_package(absl REQUIRED)
find_package(prometheus-cpp CONFIG REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(simdjson REQUIRED IMPORTED_TARGET simdjson)
# cpp-httplib's macros (OpenSSL, zlib, Brotli) change the layout of its classes: take them from pkg-config, always.
pkg_check_modules(cpp_httplib REQUIRED IMPORTED_TARGET cpp-httplib)
# The API client's transport (src/kubeclient); Debian's OpenSSL flavour, libcurl4-openssl-dev.
find_package(CURL 7.88 REQUIRED)
# The kubelet's device plugin protocol (src/agent/plugin).
find_package(Protobuf 3.21 REQUIRED)
find_package(gRPC 1.51 CONFIG REQUIRED)
find_program(ALIQUOT_GRPC_CPP_PLUGIN grpc_cpp_plugin REQUIRED)
include(GrpcLibraries)
if(ALIQUOT_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
