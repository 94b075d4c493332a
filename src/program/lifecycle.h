// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace aliquot::program {

// How the process is asked to end. SIGTERM and SIGINT ask for a clean end; a second one ends it at
// once. SIGHUP is ignored (certificates reload by themselves, the configuration is read at start
// only), and so is SIGPIPE (a peer that goes away is an error of that write).

// Lets the process open as many files as it may: each connection takes one, and the usual limit
// (1,024) is below what a server here accepts. Keeps the limit as it is when that cannot be
// changed.
void RaiseOpenFileLimit();

// Call before any thread is started, since threads inherit what is blocked.
void PrepareSignals();
// True once the end was asked for, also before anybody waits for it: for what a start has to wait
// for.
bool EndRequested();
// Waits for the first request to end. From its return on the next one ends the process.
void WaitForEndRequest();

}  // namespace aliquot::program
