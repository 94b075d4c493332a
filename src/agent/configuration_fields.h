// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "agent/configuration.h"
#include "program/field_visitor.h"

namespace aliquot::agent {

// Every field in the order of the documentation. apiVersion and kind are not among them.
void VisitFields(Configuration& configuration, program::FieldVisitor& visitor);

}  // namespace aliquot::agent
