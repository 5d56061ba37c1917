// SPDX-License-Identifier: BSL-1.0
// Convolutions: forward, gradient of the images, gradient of the kernels. espalier reads and writes (N, H, W, C) and
// (rows, columns, inputs of a group, outputs) as a user has them.
#include "conv2d.hpp"

#include <espalier/eager/compiled.hpp>
#include <espalier/operation/operation.hpp>

#include "espalier_side.hpp"

namespace esp = espalier;

namespace {

using bench::conv2d_shape;

template <conv2d_shape S>
struct forward {
  constexpr auto operator()(auto x, auto w) const {
    return esp::conv2d<esp::convolution{.stride = S.stride, .padding = S.padding, .groups = S.groups}>(x, w);
  }
};
template <conv2d_shape S>
struct product {
  constexpr auto operator()(auto x, auto w, auto dy) const { return sum(forward<S>{}(x, w) * dy); }
};
template <conv2d_shape S, int Of>
struct gradient {
  constexpr auto operator()(auto x, auto w, auto dy) const { return esp::grad<Of>(product<S>{})(x, w, dy); }
};

template <conv2d_shape S>
struct rows {
  using X = esp::shape<S.n, S.h, S.w, S.c>;
  using W = esp::shape<S.k, S.k, S.inputs(), S.o>;
  using Y = esp::shape<S.n, S.rows(), S.columns(), S.o>;
  static constexpr double bytes = 4. * (X::size + W::size + Y::size), flops = 2. * Y::size * S.k * S.k * S.inputs();
  static bench::input kernels() { return {W::size, -.2f, .2f}; }
  static std::string name(int work) { return bench::conv2d_works[work] + S.name(); }
  bench::row what[3] = {{name(0), {{X::size}, kernels()}, {{Y::size}}, bytes, flops},
                        {name(1), {{X::size}, kernels(), {Y::size}}, {{X::size}}, bytes, flops},
                        {name(2), {{X::size}, kernels(), {Y::size}}, {{W::size}}, bytes, flops}};
  bench::implementation own[3] = {
      {name(0), "espalier",
       [](bench::operands o) { return bench::compiled_work<forward<S>, bench::in<X, W>, bench::out<Y>>(o); }},
      {name(1), "espalier",
       [](bench::operands o) { return bench::compiled_work<gradient<S, 0>, bench::in<X, W, Y>, bench::out<X>>(o); }},
      {name(2), "espalier",
       [](bench::operands o) { return bench::compiled_work<gradient<S, 1>, bench::in<X, W, Y>, bench::out<W>>(o); }}};
};

#define BENCH_JOINED(A, B) A##B
#define BENCH_NAMED(LINE) BENCH_JOINED(rows_, LINE)
#define ROWS(...) rows<conv2d_shape{__VA_ARGS__}> const BENCH_NAMED(__COUNTER__){};
BENCH_CONV2D_SHAPES(ROWS)

}  // namespace
