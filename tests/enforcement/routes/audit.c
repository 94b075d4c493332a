/* SPDX-License-Identifier: Apache-2.0
 * An rtld-audit(7) library that looks at everything and changes nothing. */
#define _GNU_SOURCE
#include <link.h>

unsigned la_version(unsigned version) { return version; }

unsigned la_objopen(struct link_map* map, Lmid_t space, unsigned long* cookie) {
  (void)map;
  (void)space;
  (void)cookie;
  return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}
