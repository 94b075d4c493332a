// SPDX-License-Identifier: Apache-2.0
#include "interposer/memory_calls.h"

#include "interposer/cards.h"

ALIQUOT_DRIVER_FUNCTION(CUresult, cuCtxGetCurrent, (CUcontext*));

namespace aliquot::interposer {

Place CurrentPlace() {
  Place place{-1, nullptr};
  if (ALIQUOT_REAL(cuCtxGetCurrent)(&place.context) == CUDA_SUCCESS && place.context != nullptr) {
    place.card = PlaceOfContext(place.context).card;
  }
  return place;
}

}  // namespace aliquot::interposer
