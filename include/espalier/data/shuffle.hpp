// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdint>

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

/// 64 random bits of (seed, epoch, position), as two words: Philox4x32-10.
struct drawn {
  std::uint64_t high, low;
};
constexpr drawn draw_for_shuffle(std::uint64_t seed, std::int64_t epoch, std::int64_t position) noexcept {
  auto const word = [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits); };
  std::uint32_t c[4] = {word(static_cast<std::uint64_t>(position)), word(static_cast<std::uint64_t>(epoch)),
                        word(static_cast<std::uint64_t>(epoch) >> 32), 0x73687566u};
  std::uint32_t k[2] = {word(seed), word(seed >> 32)};
  for (int round = 0; round < 10; ++round) {
    std::uint64_t const a = std::uint64_t{0xD2511F53u} * c[0], b = std::uint64_t{0xCD9E8D57u} * c[2];
    std::uint32_t const next[4] = {word(b >> 32) ^ c[1] ^ k[0], word(b), word(a >> 32) ^ c[3] ^ k[1], word(a)};
    for (int i = 0; i < 4; ++i) c[i] = next[i];
    k[0] += 0x9E3779B9u;
    k[1] += 0xBB67AE85u;
  }
  return {c[0], c[1]};
}

/// Fisher-Yates: order becomes the permutation of (seed, epoch), the same on every machine, whatever it was before. Position i is exchanged
/// with floor(r (i + 1) / 2^64), r 64 random bits that depend on seed, epoch and i alone: no permutation is favoured by more than n^2 / 2^64.
inline void arrange(io::owned<std::int32_t>& order, data::order how, std::int64_t epoch) noexcept {
  for (std::int64_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int32_t>(i);
  if (!how.permuted) return;
  for (std::int64_t i = order.size() - 1; i > 0; --i) {
    auto const choices = static_cast<std::uint64_t>(i + 1);
    auto const [high, low] = draw_for_shuffle(how.seed, epoch, i);
    auto const j = static_cast<std::int64_t>((high * choices + (low * choices >> 32)) >> 32);
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
