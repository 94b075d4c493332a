// SPDX-License-Identifier: Apache-2.0
#pragma once

// Names for clang's thread-safety attributes, so that a lock rule is written once and checked by
// the compiler (the clang preset makes a breach an error). Other compilers see nothing. Source:
// https://clang.llvm.org/docs/ThreadSafetyAnalysis.html

#if defined(__clang__)
#define ALIQUOT_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define ALIQUOT_THREAD_ATTRIBUTE(x)
#endif

// Abseil's containers still bring two of these names, with the same meaning.
#undef GUARDED_BY
#undef NO_THREAD_SAFETY_ANALYSIS

// Abseil's headers define some of the same short names, with the same meaning.
#undef CAPABILITY
#undef SCOPED_CAPABILITY
#undef GUARDED_BY
#undef REQUIRES
#undef EXCLUDES
#undef ACQUIRE
#undef RELEASE
#undef NO_THREAD_SAFETY_ANALYSIS
#define CAPABILITY(x) ALIQUOT_THREAD_ATTRIBUTE(capability(x))
#define SCOPED_CAPABILITY ALIQUOT_THREAD_ATTRIBUTE(scoped_lockable)
#define GUARDED_BY(x) ALIQUOT_THREAD_ATTRIBUTE(guarded_by(x))
#define REQUIRES(...) ALIQUOT_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) ALIQUOT_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define ACQUIRE(...) ALIQUOT_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define RELEASE(...) ALIQUOT_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define NO_THREAD_SAFETY_ANALYSIS ALIQUOT_THREAD_ATTRIBUTE(no_thread_safety_analysis)
