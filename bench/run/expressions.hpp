// SPDX-License-Identifier: BSL-1.0
#pragma once
/// Lengths of the expression rows.
namespace bench {
inline constexpr int million = 1 << 20;
inline constexpr int thousand = 1000;
}  // namespace bench
