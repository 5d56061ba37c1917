// SPDX-License-Identifier: BSL-1.0
// Each header includes this file after its other includes, and diagnostics_pop.hpp at its end; therefore it has no
// `#pragma once`. Where templates are instantiated, g++ compares their parameters and variables with the global
// variables of the program. Without the pragma, -Wshadow would warn about a program's `x` or `rows` in each of them.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
