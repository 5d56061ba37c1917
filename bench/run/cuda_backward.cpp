// SPDX-License-Identifier: BSL-1.0
// Gradients of norms, and batch norms.
#include <espalier/operation/operation.hpp>

#include "cuda.hpp"

namespace bench {

namespace {

struct layer_norm {
  constexpr auto operator()(auto x, auto w, auto b) const { return esp::normalize<1>(x, 1e-5) * w + b; }
};
struct batch_norm {
  constexpr auto operator()(auto x, auto w, auto b) const { return esp::normalize<0>(x, 1e-5) * w + b; }
};
struct batch_norm2d {
  constexpr auto operator()(auto x, auto w, auto b) const {
    constexpr int channels = esp::shape_of<decltype(w)>::value.at[0];
    return esp::normalize<0, 2, 3>(x, 1e-5) * esp::reshape<channels, 1, 1>(w) + esp::reshape<channels, 1, 1>(b);
  }
};

/// dx, dw, db from x, w and dy; b is an argument that nothing reads.
template <class Norm>
struct gradients {
  struct product {
    constexpr auto operator()(auto x, auto w, auto b, auto dy) const { return sum(Norm{}(x, w, b) * dy); }
  };
  constexpr auto operator()(auto x, auto w, auto b, auto dy) const {
    return std::tuple{esp::grad<0>(product{})(x, w, b, dy), esp::grad<1>(product{})(x, w, b, dy),
                      esp::grad<2>(product{})(x, w, b, dy)};
  }
};

template <class Norm, class S, class C>
void add_gradients(measurements& to, std::string name, std::string shape) {
  using X = number_leaf<S>;
  using W = number_leaf<C>;
  add<program_of_function<gradients<Norm>, X, W, W, X>>(to, name + "_backward", shape);
}
template <class Norm, class S, class C>
void add_both(measurements& to, std::string name, std::string shape) {
  add<program_of_function<Norm, number_leaf<S>, number_leaf<C>, number_leaf<C>>>(to, name + "_forward", shape);
  add_gradients<Norm, S, C>(to, name, shape);
}
template <int Columns>
void add_rows(measurements& to) {
  constexpr int rows = (1 << 26) / Columns;
  add_gradients<layer_norm, esp::shape<rows, Columns>, esp::shape<Columns>>(to, "layer_norm", extents(rows, Columns));
}

}  // namespace

void add_backward_norms(measurements& to) {
  add_rows<256>(to), add_rows<1024>(to), add_rows<4096>(to), add_rows<8192>(to), add_rows<16384>(to);
  add_both<batch_norm, esp::shape<65536, 256>, esp::shape<256>>(to, "batch_norm1d", "65536x256");
  add_both<batch_norm2d, esp::shape<64, 64, 56, 56>, esp::shape<64>>(to, "batch_norm2d", "64x64x56x56");
}

}  // namespace bench
