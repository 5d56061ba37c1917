// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cstdint>

#include "../base/needs_header.hpp"
#include "../base/philox.hpp"
#include "../io/owned.hpp"
#include "samples.hpp"

namespace espalier::data {

/// Your own order, the same in every epoch: a permutation of 0 .. n-1. A loader copies it.
struct permutation {
  espalier::span<std::int32_t const> positions;
};

/// The order of a loader's samples: in_order{}, shuffled{seed} or permutation{positions}. part, parts: data::sharded.
struct order {
  constexpr order(in_order) noexcept : permuted{false}, seed{0} {}
  constexpr order(shuffled requested) noexcept : permuted{true}, seed{requested.seed} {}
  constexpr order(permutation requested) noexcept
      : permuted{false}, seed{0}, listed{true}, positions{requested.positions} {}
  bool permuted;
  std::uint64_t seed;
  bool listed = false;
  espalier::span<std::int32_t const> positions{};
  int part = 0, parts = 1;
};

namespace detail {

/// Where the samples of one of several parts are in an order, for batches of one size. A batch of all parts together is
/// contiguous, and so is each part of it.
struct share {
  std::int64_t samples;  ///< of all parts
  int batch, part, parts;

  /// Batches that all parts have, and samples of all parts behind them.
  constexpr std::int64_t whole() const { return samples / (std::int64_t{batch} * parts); }
  constexpr std::int64_t rest() const { return samples % (std::int64_t{batch} * parts); }
  /// The samples of this part that fill no batch of all parts.
  constexpr std::int64_t own_rest() const { return rest() / parts + (part < rest() % parts); }
  constexpr std::int64_t own_samples() const { return whole() * batch + own_rest(); }
  /// Where the batch that begins with sample `own` of this part is in the order.
  constexpr std::int64_t begin_of(std::int64_t own) const {
    std::int64_t const number = own / batch;
    if (number < whole()) return (number * parts + part) * batch;
    std::int64_t const longer = rest() % parts;
    return whole() * batch * parts + rest() / parts * part + (part < longer ? part : longer);
  }
};

/// The random words of (seed, epoch, position). The seed is the key of Philox; the counter is (position, epoch,
/// "shuf"), so that other uses of the seed get other numbers.
constexpr philox_block shuffle_words(std::uint64_t seed, std::int64_t epoch, std::int64_t position) noexcept {
  auto const low = [](auto bits) { return static_cast<std::uint32_t>(bits & 0xffffffffu); };
  return philox({{low(position), low(epoch), low(epoch >> 32), 0x73687566u}}, {{low(seed), low(seed >> 32)}});
}

/// Fisher-Yates, as in `shuffled`: overwrites order with the permutation of (seed, epoch).
inline void arrange(io::owned<std::int32_t>& order, data::order const& requested, std::int64_t epoch) noexcept {
  if (requested.listed) return;  // begin_order has filled it
  for (std::int64_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int32_t>(i);
  if (!requested.permuted) return;
  for (std::int64_t i = order.size() - 1; i > 0; --i) {
    auto const choices = static_cast<std::uint64_t>(i + 1);
    philox_block const words = shuffle_words(requested.seed, epoch, i);
    auto const j = static_cast<std::int64_t>((words.word[0] * choices + (words.word[1] * choices >> 32)) >> 32);
    std::int32_t const kept = order[i];
    order[i] = order[j];
    order[j] = kept;
  }
}

/// Fills the order of a loader's samples for its first epoch. Copies a list of positions, or throws if it is no
/// permutation.
inline void begin_order(io::owned<std::int32_t>& order, data::order& requested) {
  if (!requested.listed) return arrange(order, requested, 0);
  auto const& positions = requested.positions;
  long long const count = order.size();
  if (positions.size() != order.size())
    io::throw_error<size_error>("loader: expected a permutation of %lld samples, got %lld positions", count,
                                static_cast<long long>(positions.size()));
  for (std::int64_t i = 0; i < count; ++i) order[i] = -1;
  for (std::int64_t i = 0; i < count; ++i) {
    if (positions[i] < 0 || positions[i] >= count)
      io::throw_error<size_error>("loader: expected positions from 0 to %lld, got %d at position %lld", count - 1,
                                  static_cast<int>(positions[i]), static_cast<long long>(i));
    if (order[positions[i]] >= 0)
      io::throw_error<size_error>("loader: expected each position once, got %d at positions %d and %lld",
                                  static_cast<int>(positions[i]), static_cast<int>(order[positions[i]]),
                                  static_cast<long long>(i));
    order[positions[i]] = static_cast<std::int32_t>(i);
  }
  for (std::int64_t i = 0; i < count; ++i) order[i] = positions[i];
  requested.positions = {};
}

/// Returns the number of samples. Throws if a loader with these sizes has no batch, or another last batch than it was
/// compiled for.
inline std::int64_t checked_count(std::int64_t samples, int batch, bool padded, int tail, order const& requested) {
  long long const actual = samples;
  if (requested.parts < 1 || requested.part < 0 || requested.part >= requested.parts)
    io::throw_error<size_error>("loader: sharded: expected a part from 0 to %d, got %d", requested.parts - 1,
                                requested.part);
  if (samples <= 0) io::throw_error<size_error>("loader: expected at least one sample, got %lld", actual);
  if (samples > INT32_MAX)
    io::throw_error<size_error>("loader: expected at most %ld samples, got %lld", static_cast<long>(INT32_MAX), actual);
  long long const together = static_cast<long long>(batch) * requested.parts, rest = actual % together;
  if (!padded && tail == 0 && samples < together) {
    if (requested.parts == 1)
      io::throw_error<size_error>(
          "loader: expected samples for at least one batch of %d (the last batch is dropped), got %lld", batch, actual);
    io::throw_error<size_error>(
        "loader: expected samples for at least one batch of %d in each of %d parts (the last batch is dropped), got %lld",
        batch, requested.parts, actual);
  }
  if (tail > 0 && rest != static_cast<long long>(tail) * requested.parts) {
    if (requested.parts == 1)
      io::throw_error<size_error>(
          "loader: expected a remainder of %d samples after batches of %d, for which second_batch was compiled, got %lld "
          "(%lld samples)",
          tail, batch, rest, actual);
    io::throw_error<size_error>(
        "loader: expected a remainder of %d samples in each of %d parts after batches of %d, for which second_batch was "
        "compiled, got %lld in all (%lld samples)",
        tail, requested.parts, batch, rest, actual);
  }
  return samples;
}

}  // namespace detail
}  // namespace espalier::data
#include "../base/diagnostics_pop.hpp"
