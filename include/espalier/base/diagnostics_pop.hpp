// SPDX-License-Identifier: BSL-1.0
// Ends what diagnostics_push.hpp begins.
#pragma GCC diagnostic pop
// [macros]
#if ESPALIER_HIDES_MACROS == 1
#include "restore_macros.hpp"
#endif
#undef ESPALIER_HIDES_MACROS
#pragma pop_macro("ESPALIER_HIDES_MACROS")
