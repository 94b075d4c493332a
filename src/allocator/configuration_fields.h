// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "allocator/configuration.h"
#include "program/field_visitor.h"

namespace aliquot::allocator {

// Every field in the order of the documentation. apiVersion and kind are not among them.
void VisitFields(Configuration& configuration, program::FieldVisitor& visitor);

}  // namespace aliquot::allocator
