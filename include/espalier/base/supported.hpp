// SPDX-License-Identifier: BSL-1.0
#pragma once

/// Checks the compiler and its options before anything else, so that an unsupported one causes one readable error.
/// Every header includes this one first, or a header that does. A file that cannot be included ends the compilation, so
/// the sentence is the name of such a file. #error would not end it, and hundreds of lines about the language would
/// follow.
#if defined(_MSC_VER) && !defined(__clang__)
#define ESPALIER_REQUIRES \
  "espalier requires g++ 12 or later, or clang 14 or later (this is another compiler; no file is missing)"
#elif defined(_MSVC_LANG) ? _MSVC_LANG < 202002L : __cplusplus < 202002L
#define ESPALIER_REQUIRES "espalier requires C++20: compile with -std=c++20 (no file is missing)"
#elif defined(__apple_build_version__) && __clang_major__ < 17
#define ESPALIER_REQUIRES \
  "espalier requires clang 14 or later, or Apple clang 17 or later (this one is older; no file is missing)"
#elif defined(__clang__) && !defined(__apple_build_version__) && __clang_major__ < 14
#define ESPALIER_REQUIRES \
  "espalier requires clang 14 or later, or g++ 12 or later (this clang is older; no file is missing)"
#elif defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 12
#define ESPALIER_REQUIRES \
  "espalier requires g++ 12 or later, or clang 14 or later (this g++ is older; no file is missing)"
#elif defined(__FLT_EVAL_METHOD__) && (__FLT_EVAL_METHOD__ == 1 || __FLT_EVAL_METHOD__ == 2)
// Elementary functions split numbers by rounding. With the 80 bits of an x87 they would be wrong by millions of units
// in the last place, without an error.
#define ESPALIER_REQUIRES \
  "espalier requires float arithmetic without excess precision: compile with -msse2 -mfpmath=sse (no file is missing)"
#elif defined(__ARM_FEATURE_MVE) && defined(__GNUC__) && !defined(__clang__)
// g++ 12 compiles vectors for this extension to wrong instructions: trained nets are NaN. clang is right.
#define ESPALIER_REQUIRES \
  "espalier does not support MVE with g++: compile with -mcpu=cortex-m55+nomve, or with clang (no file is missing)"
#elif defined(ESPALIER_SEPARATE_ROUNDING) && (defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || \
                                              (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__))
#define ESPALIER_REQUIRES \
  "espalier cannot fix the bits of numbers with -ffast-math: remove it, or ESPALIER_SEPARATE_ROUNDING (no file is missing)"
#endif
#if defined(ESPALIER_REQUIRES)
#include ESPALIER_REQUIRES
#endif
