// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace aliquot::program {

// Sets how the C library's allocator keeps memory, for the whole process; call it before any thread
// starts.
//
// Two arenas instead of eight a core: every connection's worker would else keep the largest request
// and reply it ever saw in an arena of its own. And replies of some hundred kilobytes come from the
// heap, which keeps them, instead of being mapped, cleared page by page and unmapped each time:
// that was more than half of the time to write a reply for 5,000 nodes.
void PrepareMemory();

// The same for a program that answers little and is to be small: one arena, and what is free goes
// back to the system, large pieces at once.
void PrepareLeanMemory();

}  // namespace aliquot::program
