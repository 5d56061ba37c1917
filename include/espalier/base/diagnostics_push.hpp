// SPDX-License-Identifier: BSL-1.0
// Each header includes this file after its other includes, and diagnostics_pop.hpp at its end; therefore it has no
// `#pragma once`. Where templates are instantiated, g++ compares their parameters and variables with the global
// variables of the program. Without the pragma, -Wshadow would warn about a program's `x` or `rows` in each of them.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
// [macros] Names of the library that are macros elsewhere: near, far, small, min and max in windows.h; abs, round, bit,
// word and F in Arduino.h; Always, True and False in X11; major and minor in glibc; slots, signals and emit in Qt;
// check, verify and require on macOS; I in complex.h. They are hidden until diagnostics_pop.hpp, where they return. A
// program that has included none of these evaluates one condition.
#if defined(near) || defined(far) || defined(small) || defined(min) || defined(max) || defined(abs) ||                 \
    defined(round) || defined(bit) || defined(word) || defined(F) || defined(I) || defined(Always) || defined(True) || \
    defined(False) || defined(major) || defined(minor) || defined(slots) || defined(signals) || defined(emit) ||       \
    defined(check) || defined(verify) || defined(require)
#define ESPALIER_HIDES_MACROS
#pragma push_macro("near")
#undef near
#pragma push_macro("far")
#undef far
#pragma push_macro("small")
#undef small
#pragma push_macro("min")
#undef min
#pragma push_macro("max")
#undef max
#pragma push_macro("abs")
#undef abs
#pragma push_macro("round")
#undef round
#pragma push_macro("bit")
#undef bit
#pragma push_macro("word")
#undef word
#pragma push_macro("F")
#undef F
#pragma push_macro("I")
#undef I
#pragma push_macro("Always")
#undef Always
#pragma push_macro("True")
#undef True
#pragma push_macro("False")
#undef False
#pragma push_macro("major")
#undef major
#pragma push_macro("minor")
#undef minor
#pragma push_macro("slots")
#undef slots
#pragma push_macro("signals")
#undef signals
#pragma push_macro("emit")
#undef emit
#pragma push_macro("check")
#undef check
#pragma push_macro("verify")
#undef verify
#pragma push_macro("require")
#undef require
#endif
