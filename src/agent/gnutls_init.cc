// SPDX-License-Identifier: Apache-2.0

// Debian's libcurl brings GnuTLS along, for protocols that are switched off here. Loading it would
// initialise it, which touches half a megabyte of it that is never used. This is the library's own
// way to say no (GNUTLS_SKIP_GLOBAL_INIT in gnutls/gnutls.h): it looks for this function, which
// CMakeLists.txt therefore exports.
extern "C" int _gnutls_global_init_skip() { return 1; }  // NOLINT: the library's name
