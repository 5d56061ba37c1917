// SPDX-License-Identifier: BSL-1.0
// Each header includes this file before its other includes, and diagnostics_pop.hpp at its end; therefore it has no
// `#pragma once`. Where templates are instantiated, g++ compares their parameters and variables with the global
// variables of the program. Without the pragma, -Wshadow would warn about a program's `x` or `rows` in each of them.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#if defined(__clang__) && defined(__cpp_deleted_function)
#pragma GCC diagnostic ignored "-Wc++26-extensions"  // deleted members give their reasons
#endif
// [macros] Macros of the program and of other headers are hidden from the first header that it includes until the end
// of that one: from what espalier includes, too. The mark is 1 in that header and 2 in those that it includes.
#pragma push_macro("ESPALIER_HIDES_MACROS")
#if defined(ESPALIER_HIDES_MACROS)
#undef ESPALIER_HIDES_MACROS
#define ESPALIER_HIDES_MACROS 2
#else
#define ESPALIER_HIDES_MACROS 1
#include "hide_macros.hpp"
#endif
