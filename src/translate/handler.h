// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "admission/handlers.h"
#include "translate/translate.h"

namespace aliquot::translate {

// POST /admission/translate/<scheme>: of a pod's CREATE the translation, its notes as warnings; a
// pod that cannot be translated is refused with the sentence why. It must be called before the
// mutating webhook, which judges what comes out. Anything else is allowed unchanged. Thread-safe;
// nothing escapes as an exception.
admission::ReviewReply HandleTranslate(std::string_view body, Scheme scheme,
                                       const TranslateOptions& options);

}  // namespace aliquot::translate
