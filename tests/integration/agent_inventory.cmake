# SPDX-License-Identifier: Apache-2.0
aliquot_test(agent_inventory_integration_test
  SOURCES agent_inventory_publish_test.cc kubeclient_fixture.cc
  LIBS aliquot_agent_inventory aliquot_fake_api_server
  LABELS integration)
