// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdint>

#include "../base/philox.hpp"
#include "../io/owned.hpp"
#include "samples.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::data {

/// The samples as they stand, in every epoch.
struct in_order {};
/// Every epoch a permutation of its own, from a seed; the same on every machine and with every compiler:
///     order = 0, 1, ..., n - 1
///     for i = n - 1, ..., 1:
///       (w0, w1, w2, w3) = Philox4x32-10 of the counter (i, epoch mod 2^32, floor(epoch / 2^32), 0x73687566) and the key (seed mod 2^32, floor(seed / 2^32))
///       j = floor((w0 2^32 + w1) (i + 1) / 2^64)
///       exchange order[i] and order[j]
/// so that no permutation is favoured by more than n^2 / 2^64.
struct shuffled {
  std::uint64_t seed;
};
/// An order of one's own, the same in every epoch: a permutation of 0 .. n-1. A loader copies it.
struct permutation {
  espalier::span<std::int32_t const> positions;
};

/// The order of a loader's samples: in_order{}, shuffled{seed} or permutation{positions}.
struct order {
  constexpr order(in_order) noexcept : permuted{false}, seed{0} {}
  constexpr order(shuffled how) noexcept : permuted{true}, seed{how.seed} {}
  constexpr order(permutation how) noexcept : permuted{false}, seed{0}, listed{true}, positions{how.positions} {}
  bool permuted;
  std::uint64_t seed;
  bool listed = false;
  espalier::span<std::int32_t const> positions{};
};

namespace detail {

/// The random words of (seed, epoch, position): the seed is Philox' key; its counter is (position, epoch, "shuf"), so that other uses of the
/// seed meet other numbers.
constexpr philox_block draw_for_shuffle(std::uint64_t seed, std::int64_t epoch, std::int64_t position) noexcept {
  auto const low = [](auto bits) { return static_cast<std::uint32_t>(bits & 0xffffffffu); };
  return philox({{low(position), low(epoch), low(epoch >> 32), 0x73687566u}}, {{low(seed), low(seed >> 32)}});
}

/// Fisher-Yates, as `shuffled` says: order becomes the permutation of (seed, epoch), whatever it was before.
inline void arrange(io::owned<std::int32_t>& order, data::order const& how, std::int64_t epoch) noexcept {
  if (how.listed) return;  // take_list has been there
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

/// The first order of a loader's samples. A list of positions is taken over, unless it is no permutation.
inline void begin_order(io::owned<std::int32_t>& order, data::order& how) {
  if (!how.listed) return arrange(order, how, 0);
  auto const& positions = how.positions;
  long long const count = order.size();
  if (positions.size() != order.size())
    io::refuse<size_error>("loader: expected a permutation of %lld samples, came %lld positions", count,
                           static_cast<long long>(positions.size()));
  for (std::int64_t i = 0; i < count; ++i) order[i] = -1;
  for (std::int64_t i = 0; i < count; ++i) {
    if (positions[i] < 0 || positions[i] >= count)
      io::refuse<size_error>("loader: expected positions from 0 to %lld, came %d at place %lld", count - 1, static_cast<int>(positions[i]),
                             static_cast<long long>(i));
    if (order[positions[i]] >= 0)
      io::refuse<size_error>("loader: expected each position once, came %d at places %d and %lld", static_cast<int>(positions[i]),
                             static_cast<int>(order[positions[i]]), static_cast<long long>(i));
    order[positions[i]] = static_cast<std::int32_t>(i);
  }
  for (std::int64_t i = 0; i < count; ++i) order[i] = positions[i];
  how.positions = {};
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
#pragma GCC diagnostic pop
