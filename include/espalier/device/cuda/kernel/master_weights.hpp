// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "convert.hpp"

/// Master weights for parameters of 16 bits: the optimizer updates float copies, because a step is often smaller than
/// the spacing of 16-bit numbers. The update is a program of floats. This kernel runs before it, and a convert_kernel
/// behind it rounds the result.
namespace espalier::on_cuda {

/// Refreshes master weights whose parameter was overwritten since the last update. A master weight that rounds to the
/// stored parameter stays; any other becomes the stored parameter. Unchanged vectors are not written.
/// Size    a multiple of 4, as all storage of parameters
/// table   stored, master_weights
template <class T, std::int64_t Size>
struct master_weights_kernel {
  static constexpr int V = full_width<float>, threads = 256, cluster = 1;
  static_assert(Size % V == 0);
  static constexpr std::int64_t packs = Size / V, blocks = (packs + threads - 1) / threads;
  static constexpr int access = 16;
  using table = kernel_table<2>;

  template <class Context>
  ESPALIER_HOST_DEVICE static void run(Context const& c, table const& t) {
    index32 const i =
        static_cast<index32>(c.block()) * static_cast<index32>(threads) + static_cast<index32>(c.thread());
    if (i >= static_cast<index32>(packs)) return;
    float* const at = static_cast<float*>(t.pointer[1]) + i * V;
    pack<T, V> const stored = fetch<T, V>(static_cast<T const*>(t.pointer[0]) + i * V);
    pack<float, V> master_weights = fetch<float, V>(at);
    bool as_left = true;
    ESPALIER_UNROLL
    for (int k = 0; k < V; ++k) {
      if (static_cast<T>(master_weights.at[k]).bits == stored.at[k].bits) continue;
      master_weights.at[k] = static_cast<float>(stored.at[k]);
      as_left = false;
    }
    if (!as_left) put<float, V>(at, master_weights);
  }
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
