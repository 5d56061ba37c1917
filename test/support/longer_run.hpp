// SPDX-License-Identifier: BSL-1.0
#pragma once

/// Cases that cost a compiler much and differ little are divided between a longer run (all tests with kernels, in the
/// gates full and long) and all others. Each sees every kernel, and the two together all cases.
namespace test {

#if defined(ESPALIER_TEST_ALL)
inline constexpr bool longer_run = true;
#else
inline constexpr bool longer_run = false;
#endif

/// Whether case `Number` of a list is compiled in this run: every other one.
template <int Number>
inline constexpr bool in_this_run = Number % 2 == (longer_run ? 1 : 0);

}  // namespace test
