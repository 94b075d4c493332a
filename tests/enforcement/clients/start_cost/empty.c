/* SPDX-License-Identifier: Apache-2.0
 * A library with nothing in it: what any preloaded object costs. */
typedef int Nothing;
