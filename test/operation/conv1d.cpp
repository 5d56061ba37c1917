// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_conv1d
#include <espalier/operation/conv1d.hpp>

#include "support/images.hpp"

using namespace test;
using esp::convolution;
using esp::nchw;
using esp::shape;

namespace {
template <convolution Options>
struct signals {
  constexpr auto operator()(auto x, auto w) const { return conv1d<Options>(x, w); }
};

/// Against the loops: signals are images of one row.
template <convolution Options, int N, int L, int C, int K, int I, int O>
void check(char const* name) {
  auto const x = numbers<float, shape<N, L, C>>(1);
  auto const w = numbers<float, shape<K, I, O>>(2);
  check_kernels(name, signals<Options>{}, x, w);
  using Y = shape_of_result<signals<Options>, esp::tensor<float, shape<N, L, C>>, esp::tensor<float, shape<K, I, O>>>;
  auto const dy = numbers<float, Y>(7);
  auto const got = fused(signals<Options>{}, dy, x, w);
  constexpr convolution along = esp::detail::along_columns(Options);
  esp::tensor<double, Y> y;
  esp::tensor<double, shape<N, L, C>> dx;
  esp::tensor<double, shape<K, I, O>> dw;
  for_each_product<along, shape<N, 1, Y::value.at[1], O>, shape<N, 1, L, C>, shape<1, K, I, O>>(
      [&](int at_y, int at_x, int at_w) {
        y[at_y] += static_cast<double>(x[at_x]) * static_cast<double>(w[at_w]);
        dx[at_x] += static_cast<double>(dy[at_y]) * static_cast<double>(w[at_w]);
        dw[at_w] += static_cast<double>(dy[at_y]) * static_cast<double>(x[at_x]);
      });
  BOOST_TEST_CONTEXT(name) {
    check_close("value", got.value, y, tolerance<float>);
    check_close("gradient of the signals", std::get<0>(got.gradients), dx, tolerance<float>);
    check_close("gradient of the kernels", std::get<1>(got.gradients), dw, tolerance<float>);
  }
}
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  constexpr esp::tensor<double, shape<1, 5, 1>> x{{{1}, {2}, {3}, {4}, {5}}};
  constexpr esp::tensor<double, shape<3, 1, 1>> w{{{1}}, {{0}}, {{-1}}};
  constexpr esp::tensor<double, shape<1, 3, 1>> y = conv1d(x, w);
  static_assert(y == esp::tensor<double, shape<1, 3, 1>>{{{-2}, {-2}, {-2}}});
  check<convolution{.padding = 1}, 2, 10, 8, 3, 8, 5>("many channels");
  check<convolution{.stride = 2, .padding = {0, 3, 0, 1}, .dilation = 2, .groups = 2}, 2, 11, 4, 4, 2, 6>(
      "everything set");
}

BOOST_AUTO_TEST_CASE(a_kernel_for_each_channel) {
  check<convolution{.padding = {0, 2, 0, 0}, .groups = 9}, 2, 30, 9, 3, 1, 9>("causal");
  check<convolution{.padding = {0, 15}, .groups = 20}, 1, 70, 20, 31, 1, 20>("a long kernel");
  check<convolution{.stride = 2, .padding = {0, 3}, .dilation = 2, .groups = 4}, 2, 25, 4, 5, 1, 8>("everything set");
}

// What belongs to rows is not read: not even where it would not fit.
BOOST_AUTO_TEST_CASE(rows_do_not_matter) {
  auto const x = doubles<2, 9, 3>(1);
  auto const w = doubles<3, 3, 4>(2);
  esp::tensor<double, shape<2, 5, 4>> const
      a = conv1d<convolution{.stride = {7, 2}, .padding = {9, 1}, .dilation = {4, 1}}>(x, w),
      b = conv1d<convolution{.stride = 2, .padding = 1}>(x, w);
  BOOST_TEST((a == b));
}

BOOST_AUTO_TEST_CASE(channels_first) {
  auto const x = doubles<2, 3, 9>(1);
  auto const w = doubles<4, 3, 2>(2);
  constexpr convolution options{.stride = 2, .padding = 1, .layout = nchw};
  esp::tensor<double, shape<2, 4, 5>> const y = conv1d<options>(x, w);
  esp::tensor<double, shape<2, 5, 4>> const other =
      conv1d<convolution{.stride = 2, .padding = 1}>(transpose(x), transpose<0, 2>(w));
  check_close("channels first", y, esp::tensor<double, shape<2, 4, 5>>(transpose(other)));
  check_kernels("channels first", signals<options>{}, x, w);
}

BOOST_AUTO_TEST_CASE(gradients) {
  check_pullback("strided", signals<convolution{.stride = 2, .padding = 1}>{}, doubles<2, 6, 2>(1),
                 doubles<3, 2, 3>(2));
  check_pullback("channels first", signals<convolution{.padding = {0, 2}, .dilation = 2, .layout = nchw}>{},
                 doubles<1, 2, 6>(1), doubles<3, 2, 3>(2));
}
