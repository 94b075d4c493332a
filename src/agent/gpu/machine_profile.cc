// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/machine_profile.h"
