// SPDX-License-Identifier: BSL-1.0
#pragma once

/// Cases that cost a compiler much and differ little are divided between a longer run (long_tests: the gate clang) and
/// all others (the README's tests, with g++): each compiler sees every kernel, and the two runs together all cases.
namespace test {

#if defined(ESPALIER_TEST_ALL)
inline constexpr bool longer_run = true;
#else
inline constexpr bool longer_run = false;
#endif

}  // namespace test
