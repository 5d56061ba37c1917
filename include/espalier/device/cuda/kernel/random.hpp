// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../base/philox.hpp"
#include "../../random_state.hpp"
#include "result_kernel_base.hpp"

/// Uniform random numbers, bit for bit those of the CPU.
namespace espalier::on_cuda {

/// Random numbers flat ... flat + 3 of stream `number` of a run, for kernels that use them without storing them.
/// flat    a multiple of 4
/// range   [0, 1), in steps of 2^-24 (2^-32 for double)
/// cost    16 bytes of state, which all threads share, and ten rounds of two 32-bit multiplications
template <class T>
ESPALIER_HOST_DEVICE ESPALIER_INLINE pack<compute_type<T>, 4> random_numbers(on_device::random_state const* state,
                                                                             std::uint64_t number, index32 flat) {
  using C = compute_type<T>;
  std::uint64_t const key = state->key, stream = state->step << 20 | number;
  philox_block const bits =
      philox({{flat / 4, 0, static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)}},
             {{static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)}});
  return {{uniform_from_bits<C>(bits.word[0]), uniform_from_bits<C>(bits.word[1]), uniform_from_bits<C>(bits.word[2]),
           uniform_from_bits<C>(bits.word[3])}};
}

namespace detail {
/// Rounds x in [0, 1) down to a T: no number becomes 1, and x < p keeps its result for every p of type T.
template <class T>
ESPALIER_HOST_DEVICE ESPALIER_INLINE T rounded_down(compute_type<T> x) {
  T y = static_cast<T>(x);
  if constexpr (sizeof(T) == 2)
    if (static_cast<float>(y) > x) y.bits = static_cast<std::uint16_t>(y.bits - 1u);
  return y;
}
}  // namespace detail

/// y = uniform random numbers.
/// table   state (on_device::random_state), y; stream number
template <class T, std::int64_t Size>
struct random_uniform_kernel
    : result_kernel_base<random_uniform_kernel<T, Size>, T, Size, (full_width<T> > 4 ? full_width<T> : 4), 2, 1, 1> {
  using table = kernel_table<2, 1>;
  static constexpr int V = full_width<T> > 4 ? full_width<T> : 4;

  ESPALIER_HOST_DEVICE static ESPALIER_INLINE pack<T, V> some(table const& t, index32 i) {
    pack<T, V> y;
    ESPALIER_UNROLL
    for (int v = 0; v < V; v += 4) {
      auto const x = random_numbers<T>(static_cast<on_device::random_state const*>(t.pointer[0]), t.number[0],
                                       i * V + static_cast<index32>(v));
      ESPALIER_UNROLL
      for (int k = 0; k < 4; ++k) y.at[v + k] = detail::rounded_down<T>(x.at[k]);
    }
    return y;
  }
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE T one(table const& t, index32 flat) {
    auto const x =
        random_numbers<T>(static_cast<on_device::random_state const*>(t.pointer[0]), t.number[0], flat / 4 * 4);
    index32 const k = flat % 4;
    return detail::rounded_down<T>(k == 0 ? x.at[0] : k == 1 ? x.at[1] : k == 2 ? x.at[2] : x.at[3]);
  }
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
