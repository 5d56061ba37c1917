// SPDX-License-Identifier: BSL-1.0
// LayerNorm and RMSNorm forward: rows of every length, 2^26 elements each.
#include <espalier/operation/operation.hpp>

#include "cuda.hpp"

namespace bench {

namespace {

struct layer_norm {
  constexpr auto operator()(auto x, auto w, auto b) const { return esp::normalize<1>(x, 1e-5) * w + b; }
};
struct rms_norm {
  constexpr auto operator()(auto x, auto w) const { return esp::rms_normalize<1>(x, 1e-5) * w; }
};

template <int Columns>
void add_rows(measurements& to) {
  constexpr int rows = (1 << 26) / Columns;
  using X = number_leaf<esp::shape<rows, Columns>>;
  using W = number_leaf<esp::shape<Columns>>;
  add<program_of_function<layer_norm, X, W, W>>(to, "layer_norm_forward", extents(rows, Columns));
  add<program_of_function<rms_norm, X, W>>(to, "rms_norm_forward", extents(rows, Columns));
}

}  // namespace

void add_forward_norms(measurements& to) {
  add_rows<64>(to), add_rows<256>(to), add_rows<1023>(to), add_rows<1024>(to), add_rows<4095>(to), add_rows<4096>(to),
      add_rows<16383>(to), add_rows<16384>(to);
  add_rows<32768>(to), add_rows<65536>(to), add_rows<262144>(to);
}

}  // namespace bench
