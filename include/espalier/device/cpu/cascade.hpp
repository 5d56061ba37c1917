// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include <cstdint>

#include "../../base/host_device.hpp"

/// Sums of many terms. A chain of additions loses digits: its sum grows, and each term is rounded to the digits of the
/// sum. So a chain ends after a block of terms. Its sum is added to a sum of blocks, which ends after 16 of them and is
/// added to a sum of the next level, and so on. The error grows with the number of levels instead of the number of
/// terms. A block is long enough that levels take no time: so are 32 additions where the sums of lanes, of registers or
/// of rows are added to each other first. Sums of one block have the order of a chain.
namespace espalier::on_cpu::detail {

inline constexpr int blocks_of_level = 16;
/// Terms of a block.
inline constexpr int terms_of_block = 128;
/// Additions of a block, one after the other, of sums in registers or of several terms each.
inline constexpr int turns_of_block = 32;

/// The number of levels above so many whole blocks.
constexpr int count_levels(std::int64_t blocks) {
  int levels = 0;
  for (; blocks > 0; blocks /= blocks_of_level) ++levels;
  return levels;
}

/// Sum 0 is that of a block, sums 1 ... Levels are those of levels. move(to, from) adds sum `from` to sum `to`, and
/// starts sum `from` again.
/// After a block, whose number is `block`, and whose sum is already in sum 1.
template <int Levels, class Move>
ESPALIER_INLINE void carry_levels(std::int64_t block, Move const& move) {
  for (int level = 1; level < Levels && block % blocks_of_level == blocks_of_level - 1; ++level) {
    move(level + 1, level);
    block /= blocks_of_level;
  }
}
/// After a block, whose number is `block`.
template <int Levels, class Move>
ESPALIER_INLINE void carry_block(std::int64_t block, Move const& move) {
  move(1, 0);
  carry_levels<Levels>(block, move);
}
/// At the end: all sums are added to sum 0.
template <int Levels, class Move>
ESPALIER_INLINE void gather_levels(Move const& move) {
  for (int level = 0; level < Levels; ++level) move(level + 1, level);
  move(0, Levels);
}

}  // namespace espalier::on_cpu::detail
#include "../../base/diagnostics_pop.hpp"
