// SPDX-License-Identifier: BSL-1.0
// Ends what diagnostics_push.hpp begins.
#pragma GCC diagnostic pop
// [macros]
#if defined(ESPALIER_HIDES_MACROS)
#undef ESPALIER_HIDES_MACROS
#pragma pop_macro("near")
#pragma pop_macro("far")
#pragma pop_macro("small")
#pragma pop_macro("min")
#pragma pop_macro("max")
#pragma pop_macro("abs")
#pragma pop_macro("round")
#pragma pop_macro("bit")
#pragma pop_macro("word")
#pragma pop_macro("F")
#pragma pop_macro("I")
#pragma pop_macro("Always")
#pragma pop_macro("True")
#pragma pop_macro("False")
#pragma pop_macro("major")
#pragma pop_macro("minor")
#pragma pop_macro("slots")
#pragma pop_macro("signals")
#pragma pop_macro("emit")
#pragma pop_macro("check")
#pragma pop_macro("verify")
#pragma pop_macro("require")
#endif
