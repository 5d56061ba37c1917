// SPDX-License-Identifier: BSL-1.0
// Layer and batch normalization: forward, forward with backward, evaluation.
#include "normalization.hpp"

#include <espalier/eager/compiled.hpp>
#include <espalier/operation/operation.hpp>

#include "espalier_side.hpp"
#include "harness.hpp"

namespace esp = espalier;

namespace {

struct layer_norm {
  constexpr auto operator()(auto x, auto w, auto b) const { return esp::normalize<1>(x, bench::norm_eps) * w + b; }
};
struct batch_norm {
  constexpr auto operator()(auto x, auto w, auto b) const { return esp::normalize<0>(x, bench::norm_eps) * w + b; }
};
struct batch_norm2d {
  constexpr auto operator()(auto x, auto w, auto b) const {
    constexpr int c = esp::shape_of<decltype(w)>::value.at[0];
    return esp::normalize<0, 2, 3>(x, bench::norm_eps) * esp::reshape<c, 1, 1>(w) + esp::reshape<c, 1, 1>(b);
  }
};
struct batch_norm_evaluation {
  constexpr auto operator()(auto x, auto w, auto b, auto mean, auto variance) const {
    return (x - mean) * (w / sqrt(variance + bench::norm_eps)) + b;
  }
};

/// y, dx, dw, db of a norm and dy.
template <class Norm>
struct with_backward {
  struct product {
    constexpr auto operator()(auto x, auto w, auto b, auto dy) const { return sum(Norm{}(x, w, b) * dy); }
  };
  constexpr auto operator()(auto x, auto w, auto b, auto dy) const {
    return std::tuple{Norm{}(x, w, b), esp::grad<0>(product{})(x, w, b, dy), esp::grad<1>(product{})(x, w, b, dy),
                      esp::grad<2>(product{})(x, w, b, dy)};
  }
};

using bench::input, bench::output;
input const x_like(std::size_t count) { return {count, -1.5f, 2.f}; }
input const gain(std::size_t count) { return {count, 0.5f, 1.5f}; }

template <class Norm, class X, class C>
struct rows {
  static constexpr std::size_t size = X::size, channels = C::size;
  static constexpr double elements = static_cast<double>(size);
  bench::row forward, backward;
  bench::implementation own_forward, own_backward;
  rows(std::string const& name, std::string const& shape)
      : forward{name + "_forward/" + shape,
                {x_like(size), gain(channels), {channels}},
                {{size}},
                8 * elements,
                8 * elements},
        backward{name + "_forward_backward/" + shape,
                 {x_like(size), gain(channels), {channels}, {size}},
                 {{size}, {size}, {channels}, {channels}},
                 16 * elements,
                 20 * elements},
        own_forward{name + "_forward/" + shape, "espalier",
                    [](bench::operands o) { return bench::compiled_work<Norm, bench::in<X, C, C>, bench::out<X>>(o); }},
        own_backward{
            name + "_forward_backward/" + shape, "espalier", [](bench::operands o) {
              return bench::compiled_work<with_backward<Norm>, bench::in<X, C, C, X>, bench::out<X, X, C, C>>(o);
            }} {}
};
template <class X, class C>
struct evaluation_row {
  static constexpr std::size_t size = X::size, channels = C::size;
  bench::row row;
  bench::implementation own;
  explicit evaluation_row(std::string const& name)
      : row{name,
            {x_like(size), gain(channels), {channels}, {channels}, gain(channels)},
            {{size}},
            8. * size,
            2. * size},
        own{name, "espalier", [](bench::operands o) {
              return bench::compiled_work<batch_norm_evaluation, bench::in<X, C, C, C, C>, bench::out<X>>(o);
            }} {}
};

#define LAYER_NORM(N, D) \
  rows<layer_norm, esp::shape<N, D>, esp::shape<D>> const layer_norm_##N##_##D{"layer_norm", bench::extents(N, D)};
BENCH_LAYER_NORM_SHAPES(LAYER_NORM)
#define BATCH_NORM(N, D)                                                                                              \
  rows<batch_norm, esp::shape<N, D>, esp::shape<D>> const batch_norm_##N##_##D{"batch_norm1d", bench::extents(N, D)}; \
  evaluation_row<esp::shape<N, D>, esp::shape<D>> const evaluation_##N##_##D{"batch_norm1d_evaluation/" +             \
                                                                             bench::extents(N, D)};
BENCH_BATCH_NORM_SHAPES(BATCH_NORM)
#define BATCH_NORM2D(N, C, H, W)                                                                         \
  rows<batch_norm2d, esp::shape<N, C, H, W>, esp::shape<C>> const batch_norm2d_##N##_##C{"batch_norm2d", \
                                                                                         bench::extents(N, C, H, W)};
BENCH_BATCH_NORM2D_SHAPES(BATCH_NORM2D)

}  // namespace
