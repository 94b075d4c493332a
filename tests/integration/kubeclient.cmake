# SPDX-License-Identifier: Apache-2.0
aliquot_test(kubeclient_integration_test
  SOURCES kubeclient_fixture.cc kubeclient_source_test.cc kubeclient_tls_test.cc kubeclient_transport_test.cc
          kubeclient_writer_test.cc
  LIBS aliquot_kubeclient aliquot_fake_api_server
  LABELS integration)
