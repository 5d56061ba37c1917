// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "numbers.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Parameters of 16 bits that an optimizer moves: it works on precise ones, floats beside them, because a step is often smaller than what 16 bits can
/// tell apart. Before the update, a program of floats, comes this kernel, and behind it a numbers_kernel, which rounds.
namespace espalier::on_cuda {

/// precise = the parameters in float: where they are what the precise ones were rounded to, those; else as they are stored. So only what somebody else
/// wrote is written here.
/// Size    a multiple of 4, as all storage of parameters
/// table   stored, precise
template <class T, std::int64_t Size>
struct precise_kernel {
  static constexpr int V = full_width<float>, threads = 256, cluster = 1;
  static_assert(Size % V == 0);
  static constexpr std::int64_t packs = Size / V, blocks = (packs + threads - 1) / threads;
  static constexpr int access = 16;
  using table = kernel_table<2>;

  template <class Context>
  ESPALIER_EVERYWHERE static void run(Context const& c, table const& t) {
    index32 const i = static_cast<index32>(c.block()) * static_cast<index32>(threads) + static_cast<index32>(c.thread());
    if (i >= static_cast<index32>(packs)) return;
    float* const at = static_cast<float*>(t.pointer[1]) + i * V;
    pack<T, V> const stored = fetch<T, V>(static_cast<T const*>(t.pointer[0]) + i * V);
    pack<float, V> precise = fetch<float, V>(at);
    bool as_left = true;
    ESPALIER_UNROLL
    for (int k = 0; k < V; ++k) {
      if (static_cast<T>(precise.at[k]).bits == stored.at[k].bits) continue;
      precise.at[k] = static_cast<float>(stored.at[k]);
      as_left = false;
    }
    if (!as_left) put<float, V>(at, precise);
  }
};

}  // namespace espalier::on_cuda
#pragma GCC diagnostic pop
