// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier/base/build_mode.hpp>

/// Cases that cost a compiler much and differ little are divided between a longer run (long_tests) and all others: each
/// sees every kernel, and the two together all cases. A longer run of drafts, which cost less, has all cases.
namespace test {

#if defined(ESPALIER_TEST_ALL)
inline constexpr bool longer_run = true;
#else
inline constexpr bool longer_run = false;
#endif

/// Whether case `Number` of a list is compiled in this run: every other one.
template <int Number>
#if ESPALIER_IS_DRAFT
inline constexpr bool in_this_run = longer_run || Number % 2 == 0;
#else
inline constexpr bool in_this_run = Number % 2 == (longer_run ? 1 : 0);
#endif

}  // namespace test
