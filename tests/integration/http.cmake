# SPDX-License-Identifier: Apache-2.0
aliquot_test(http_integration_test
  SOURCES http_cve_test.cc http_drain_test.cc http_idle_test.cc http_limits_test.cc http_server_test.cc
          http_tls_test.cc http_test_client.cc http_test_server.cc
  LIBS aliquot_http aliquot_test_support
  LABELS integration)
