// SPDX-License-Identifier: BSL-1.0
// Taps that read only padding: programs leave them out, and convolutions are the same as by the book.
#define BOOST_TEST_MODULE operation_reaching_taps
#include <espalier/operation/conv1d.hpp>
#include <espalier/operation/matmul.hpp>
#include <espalier/operation/pad.hpp>
#include <espalier/operation/slice.hpp>

#include "support/images.hpp"

using namespace test;
using esp::convolution, esp::nchw, esp::shape, esp::extents;

namespace {

/// The taps along the rows that are kept of images with so many rows.
struct taken {
  int first, count;
  friend constexpr bool operator==(taken, taken) = default;
};
constexpr taken taps(int image, int kernel, int before, int after, int stride = 1, int dilation = 1) {
  extents const x{4, {1, image, 1, 1}};
  esp::movement const m =
      esp::windows_of(x, kernel, 1, {.stride = stride, .padding = {before, 0, after, 0}, .dilation = {dilation, 1}});
  esp::detail::tap_range const r = esp::detail::reaching_taps(m.map, x, m.shape, 1);
  return {r.first, r.count};
}

/// The elements of the kernels that the products and sums of a function's value read for one result, or for one result
/// of one channel.
template <class F, class... X>
std::int64_t terms_of(F, bool plain, bool keeps_taps, X const&...) {
  auto p = std::make_unique<graph::program>();
  graph::node_table& g = p->nodes;
  g.plain = plain;
  g.keeps_taps = keeps_taps;
  esp::tracing::tracer t{*p, esp::tracing::mode::evaluation, false, 0, 0};
  auto const own = arguments_of<X...>(t);
  auto needed = std::make_unique<bool[]>(graph::capacity);
  needed[static_cast<std::size_t>(esp::tracing::trace_operand(t, std::apply(F{}, own)))] = true;
  std::int64_t terms = 0;
  for (int id = g.size; id > 0; --id) {
    if (!needed[static_cast<std::size_t>(id)]) continue;
    graph::node const& n = g[id];
    extents const& s = g[n.operand[0]].shape;
    if (n.op->family == graph::op_family::contraction) terms += s.at[s.rank - 1];
    if (n.op->family == graph::op_family::reduction) terms += s.size() / n.shape.size();
    for (int const x : n.operand) needed[static_cast<std::size_t>(x)] = true;
  }
  return terms;
}
template <convolution Options, class X, class W>
void check_terms(char const* name, std::int64_t terms, X const& x, W const& w) {
  using F = convolution_of_both<Options>;
  using kernels = esp::detail::kernel_axes<typename W::shape_type, Options.layout>;
  std::int64_t const all = std::int64_t{kernels::rows} * kernels::columns * kernels::inputs;
  BOOST_TEST_CONTEXT(name) {
    BOOST_TEST(terms_of(F{}, false, false, x, w) == terms);
    BOOST_TEST(terms_of(F{}, true, false, x, w) == all);
    BOOST_TEST(terms_of(F{}, false, true, x, w) == all);
  }
  check_convolution<Options>(name, x, w);
}

template <convolution Options>
struct signals {
  constexpr auto operator()(auto x, auto w) const { return esp::conv1d<Options>(x, w); }
};
/// Windows of a part of an image: the first of them begins behind the first pixel.
struct of_a_part {
  constexpr auto operator()(auto x, auto w) const {
    return esp::conv2d<convolution{.padding = 1, .dilation = 2}>(esp::slice<1, 1, 4>(esp::slice<2, 2, 5>(x)), w);
  }
};
/// Kernels that two convolutions share, which keep other taps of them.
struct shared_kernels {
  constexpr auto operator()(auto x, auto y, auto w) const {
    return esp::conv2d<convolution{.padding = 1}>(x, w) + esp::conv2d<convolution{.stride = 2, .padding = 1}>(y, w);
  }
};
struct kernels_of_a_formula {
  constexpr auto operator()(auto x, auto w) const {
    return esp::tanh(esp::conv2d<convolution{.padding = 1, .layout = nchw}>(x, w * w + 1));
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(ranges) {
  static_assert(taps(1, 3, 1, 1) == taken{1, 1});
  static_assert(taps(2, 3, 1, 1) == taken{0, 3});
  static_assert(taps(2, 3, 1, 1, 2) == taken{1, 2});
  static_assert(taps(2, 5, 2, 2) == taken{1, 3});
  static_assert(taps(3, 5, 2, 2) == taken{0, 5});
  static_assert(taps(3, 3, 2, 2, 1, 2) == taken{0, 3});
  static_assert(taps(2, 3, 2, 2, 1, 2) == taken{1, 1});
  static_assert(taps(1, 4, 3, 0) == taken{3, 1});  // causal
  static_assert(taps(4, 5, 0, 7) == taken{0, 4});  // behind the image only
  static_assert(taps(3, 3, 1, 1, 1, 2) == taken{1, 1});
  static_assert(taps(1, 1, 2, 2, 5) == taken{0, 1});  // nothing reaches the image
  static_assert(taps(1, 2, 3, 4, 7) == taken{1, 1});
  static_assert(taps(1, 4, 3, 3, 3) == taken{0, 4});  // the middle ones read padding, too
  static_assert(taps(100, 7, 3, 3, 2) == taken{0, 7});
}

BOOST_AUTO_TEST_CASE(small_images) {
  check_terms<convolution{.padding = 1}>("1x1", 9, doubles<3, 1, 1, 9>(1), doubles<3, 3, 9, 8>(2));
  check_terms<convolution{.padding = 1}>("1x2", 2 * 3, floats<2, 1, 2, 2>(1), floats<3, 3, 2, 3>(2) /* 1 x 3 taps */);
  check_terms<convolution{.padding = 1}>("2x2", 9 * 9, floats<2, 2, 2, 9>(1), floats<3, 3, 9, 20>(2));
  check_terms<convolution{.stride = 2, .padding = 1}>("2x2, every second", 4 * 16, floats<5, 2, 2, 16>(1),
                                                      floats<3, 3, 16, 24>(2));
  check_terms<convolution{.padding = 2}>("5x5 of 2x2", 9 * 3, doubles<2, 2, 2, 3>(1), doubles<5, 5, 3, 4>(2));
  check_terms<convolution{.padding = 2}>("5x5 of 2x1", 3 * 8, doubles<1, 2, 1, 8>(1), doubles<5, 5, 8, 4>(2));
  check_terms<convolution{.padding = 2, .dilation = 2}>("dilated", 8 * 3, doubles<2, 2, 3, 8>(1),
                                                        doubles<3, 3, 8, 7>(2));
  check_terms<convolution{.padding = {3, 0, 0, 2}, .dilation = {1, 2}}>("edges", 2, doubles<2, 1, 1, 2>(1),
                                                                        doubles<4, 2, 2, 3>(2));
}
BOOST_AUTO_TEST_CASE(nothing_but_padding) {
  check_terms<convolution{.stride = 5, .padding = 2}>("1x1", 3, doubles<2, 1, 1, 3>(1), doubles<1, 1, 3, 2>(2));
  check_terms<convolution{.stride = 7, .padding = {3, 3, 4, 4}}>("2x2", 3, doubles<2, 1, 1, 3>(1),
                                                                 doubles<2, 2, 3, 2>(2));
}
BOOST_AUTO_TEST_CASE(channels_first_and_groups) {
  check_terms<convolution{.padding = 1, .layout = nchw}>("1x1", 5, floats<3, 5, 1, 1>(1), floats<4, 5, 3, 3>(2));
  check_terms<convolution{.stride = 2, .padding = 1, .layout = nchw}>("2x2", 4 * 5, floats<3, 5, 2, 2>(1),
                                                                      floats<4, 5, 3, 3>(2));
  check_terms<convolution{.padding = 1, .groups = 2}>("groups", 8, doubles<3, 1, 1, 16>(1), doubles<3, 3, 8, 6>(2));
  check_terms<convolution{.stride = 2, .padding = 1, .groups = 2, .layout = nchw}>(
      "groups, channels first", 2 * 2 * 3, doubles<2, 6, 2, 2>(1), doubles<4, 3, 3, 3>(2));
}
BOOST_AUTO_TEST_CASE(a_kernel_for_each_channel) {
  check_terms<convolution{.padding = 2, .groups = 4}>("5x5 of 2x2", 9, doubles<3, 2, 2, 4>(1), doubles<5, 5, 1, 4>(2));
  check_terms<convolution{.stride = 2, .padding = 1, .groups = 9}>("2x2, every second", 4, floats<2, 2, 2, 9>(1),
                                                                   floats<3, 3, 1, 9>(2));
  check_terms<convolution{.stride = 2, .padding = 1, .groups = 9}>("one image", 4, doubles<1, 2, 2, 9>(1),
                                                                   doubles<3, 3, 1, 9>(2));
  check_terms<convolution{.padding = 1, .groups = 3, .layout = nchw}>("1x2, two outputs for each", 3,
                                                                      doubles<2, 3, 1, 2>(1), doubles<6, 1, 3, 3>(2));
  check_convolution<convolution{.padding = 1, .groups = 4}>("1x1", doubles<2, 1, 1, 4>(1), doubles<3, 3, 1, 4>(2));
}
BOOST_AUTO_TEST_CASE(signals_and_other_windows) {
  auto const w = doubles<5, 3, 4>(2);
  using causal = signals<convolution{.padding = {0, 8, 0, 0}, .dilation = 2}>;
  BOOST_TEST(terms_of(causal{}, false, false, doubles<2, 3, 3>(1), w) == 2 * 3);
  check_kernels("causal", causal{}, doubles<2, 3, 3>(1), w);
  using of_each = signals<convolution{.padding = {0, 4, 0, 0}, .groups = 6}>;
  BOOST_TEST(terms_of(of_each{}, false, false, doubles<2, 3, 6>(1), doubles<5, 1, 6>(2)) == 3);
  check_kernels("causal, each channel", of_each{}, doubles<2, 3, 6>(1), doubles<5, 1, 6>(2));
  BOOST_TEST(terms_of(of_a_part{}, false, false, doubles<2, 6, 6, 3>(1), doubles<3, 3, 3, 4>(2)) == 3);
  check_kernels("a part of an image", of_a_part{}, doubles<2, 6, 6, 3>(1), doubles<3, 3, 3, 4>(2));
  check_kernels("shared kernels", shared_kernels{}, doubles<2, 1, 1, 3>(1), doubles<2, 2, 2, 3>(2),
                doubles<3, 3, 3, 4>(3));
  check_kernels("kernels of a formula", kernels_of_a_formula{}, doubles<2, 3, 1, 1>(1), doubles<4, 3, 3, 3>(2));
  check_transposed<esp::transposed_convolution{.padding = 1}>("transposed", doubles<2, 1, 1, 3>(1),
                                                              doubles<3, 3, 4, 3>(2));
  check_transposed<esp::transposed_convolution{.stride = 2, .padding = 1}>(
      "transposed, enlarging", doubles<2, 1, 2, 3>(1), doubles<3, 3, 4, 3>(2));
}

BOOST_AUTO_TEST_CASE(the_gradient_of_taps_that_are_left_out_is_0) {
  auto const x = doubles<3, 1, 1, 2>(1);
  auto const w = doubles<3, 3, 2, 4>(2);
  auto const got = fused(convolution_of_both<convolution{.padding = 1}>{}, doubles<3, 1, 1, 4>(3), x, w);
  auto const& dw = std::get<1>(got.gradients);
  for (int tap = 0; tap < 9; ++tap)
    for (int i = 0; i < 8; ++i) BOOST_TEST((dw[8 * tap + i] == 0) == (tap != 4));
}
BOOST_AUTO_TEST_CASE(gradients) {
  constexpr convolution plain{.padding = 1}, wide{.padding = 2}, each{.padding = 2, .groups = 2},
      first{.stride = 2, .padding = 1, .layout = nchw};
  check_pullback("1x1", convolution_of_both<plain>{}, doubles<2, 1, 1, 2>(1), doubles<3, 3, 2, 3>(2));
  check_pullback("5x5 of 2x2", convolution_of_both<wide>{}, doubles<1, 2, 2, 2>(1), doubles<5, 5, 2, 2>(2));
  check_pullback("each channel", convolution_of_both<each>{}, doubles<2, 2, 1, 2>(1), doubles<5, 5, 1, 2>(2));
  check_pullback("channels first", convolution_of_both<first>{}, doubles<2, 2, 2, 2>(1), doubles<3, 2, 3, 3>(2));
  check_pullback("shared kernels", shared_kernels{}, doubles<2, 1, 1, 2>(1), doubles<2, 2, 2, 2>(2),
                 doubles<3, 3, 2, 2>(3));
}
BOOST_AUTO_TEST_CASE(by_the_compiler) {
  constexpr esp::tensor<double, shape<1, 1, 1, 1>> x{{{{2}}}};
  constexpr esp::tensor<double, shape<3, 3, 1, 1>> w{
      {{{1}}, {{2}}, {{3}}}, {{{4}}, {{5}}, {{6}}}, {{{7}}, {{8}}, {{9}}}};
  constexpr esp::tensor<double, shape<1, 1, 1, 1>> y = esp::conv2d<convolution{.padding = 1}>(x, w);
  static_assert(y[0] == 10);
}
