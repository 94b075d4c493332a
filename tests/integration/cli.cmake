# SPDX-License-Identifier: Apache-2.0
aliquot_test(cli_integration_test
  SOURCES cli_run_command_test.cc
  LIBS aliquot_run_command aliquot_test_support
  LABELS integration)
