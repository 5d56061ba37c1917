// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdint>

#include "../base/philox.hpp"
#include "../io/owned.hpp"
#include "dataset.hpp"

namespace espalier::data {

/// The samples as they stand, in every epoch.
struct in_order {};
/// Every epoch a permutation of its own, from a seed.
struct shuffled {
  std::uint64_t seed;
};

/// The order of a loader's samples: in_order{} or shuffled{seed}.
struct order {
  constexpr order(in_order) noexcept : permuted{false}, seed{0} {}
  constexpr order(shuffled how) noexcept : permuted{true}, seed{how.seed} {}
  bool permuted;
  std::uint64_t seed;
};

namespace detail {

/// The random words of (seed, epoch, position): the seed is Philox' key; its counter is (position, epoch, "shuf"), so that other uses of the
/// seed meet other numbers.
constexpr philox_block draw_for_shuffle(std::uint64_t seed, std::int64_t epoch, std::int64_t position) noexcept {
  auto const low = [](auto bits) { return static_cast<std::uint32_t>(bits & 0xffffffffu); };
  return philox({{low(position), low(epoch), low(epoch >> 32), 0x73687566u}}, {{low(seed), low(seed >> 32)}});
}

/// Fisher-Yates: order becomes the permutation of (seed, epoch), the same on every machine, whatever it was before. Position i is exchanged
/// with floor(r (i + 1) / 2^64), r 64 random bits that depend on seed, epoch and i alone: no permutation is favoured by more than n^2 / 2^64.
inline void arrange(io::owned<std::int32_t>& order, data::order how, std::int64_t epoch) noexcept {
  for (std::int64_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int32_t>(i);
  if (!how.permuted) return;
  for (std::int64_t i = order.size() - 1; i > 0; --i) {
    auto const choices = static_cast<std::uint64_t>(i + 1);
    philox_block const drawn = draw_for_shuffle(how.seed, epoch, i);
    auto const j = static_cast<std::int64_t>((drawn.word[0] * choices + (drawn.word[1] * choices >> 32)) >> 32);
    std::int32_t const kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
}

/// The number of samples, unless a loader with these sizes would give no batch or another last batch than it was compiled for.
inline std::int64_t checked_count(std::int64_t samples, int batch, bool padded, int tail) {
  long long const came = samples;
  if (samples <= 0) io::refuse<size_error>("loader: expected at least one sample, came %lld", came);
  if (samples > INT32_MAX) io::refuse<size_error>("loader: expected at most %ld samples, came %lld", static_cast<long>(INT32_MAX), came);
  if (!padded && tail == 0 && samples < batch)
    io::refuse<size_error>("loader: expected samples for at least one batch of %d (the last batch is dropped), came %lld", batch, came);
  if (tail > 0 && samples % batch != tail)
    io::refuse<size_error>(
        "loader: expected a remainder of %d samples after batches of %d, for which second_batch was compiled, came %lld "
        "(%lld samples)",
        tail, batch, static_cast<long long>(samples % batch), came);
  return samples;
}

}  // namespace detail
}  // namespace espalier::data
