// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_rotary_embedding
#include "support/check_pullback.hpp"

using namespace test;
using esp::rotary, esp::shape, esp::tensor;

namespace {
template <rotary Options>
struct turn {
  constexpr auto operator()(auto x) const { return rotary_embedding<Options>(x * x); }
  constexpr auto operator()(auto x, auto positions) const { return rotary_embedding<Options>(x, positions); }
};
inline constexpr rotary halves{.interleaved = false, .base = 500, .first_position = 3};

/// Row (p) of x turned, pair by pair.
template <rotary Options, class X>
auto by_loops(X const& x) {
  constexpr int positions = X::shape_type::template extent<1>(), features = X::shape_type::template extent<2>();
  constexpr rotary options = Options;
  X y;
  for (int a = 0; a < X::shape_type::template extent<0>(); ++a)
    for (int p = 0; p < positions; ++p)
      for (int i = 0; i < features / 2; ++i) {
        int const first = options.interleaved ? 2 * i : i, second = options.interleaved ? 2 * i + 1 : i + features / 2;
        double const angle = (p + options.first_position) * std::pow(options.base, -2.0 * i / features);
        double const u = static_cast<double>(x(a, p, first)), v = static_cast<double>(x(a, p, second));
        using T = typename X::value_type;
        y(a, p, first) = static_cast<T>(u * std::cos(angle) - v * std::sin(angle));
        y(a, p, second) = static_cast<T>(v * std::cos(angle) + u * std::sin(angle));
      }
  return y;
}
template <class X>
X evaluated(auto const& formula) {
  return X{formula};
}

// Position 0 stays; position 1 of one pair turns by one radian. Also in constant expressions.
constexpr tensor<double, shape<2, 2>> turned = rotary_embedding(tensor<double, shape<2, 2>>{{3, 4}, {1, 0}});
static_assert(turned(0, 0) == 3 && turned(0, 1) == 4);
static_assert(all_close(turned, tensor<double, shape<2, 2>>{{3, 4}, {0.5403023058681398, 0.8414709848078965}}, 1e-14,
                        1e-14));
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  auto const x = doubles<3, 7, 6>(1);
  using X = tensor<double, shape<3, 7, 6>>;
  check_close("interleaved", evaluated<X>(rotary_embedding(x)), by_loops<rotary{}>(x), 1e-12);
  check_close("halves", evaluated<X>(rotary_embedding<halves>(x)), by_loops<halves>(x), 1e-12);
  check_close("far", evaluated<X>(rotary_embedding<{.first_position = 5000}>(x)),
              by_loops<rotary{.first_position = 5000}>(x), 1e-11);
}
// Positions that a program reads; first_position is added to them.
BOOST_AUTO_TEST_CASE(given_positions) {
  auto const x = doubles<3, 4, 6>(1);
  using X = tensor<double, shape<3, 4, 6>>;
  check_close("in order", evaluated<X>(rotary_embedding<halves>(x, tensor<double, shape<4>>{0, 1, 2, 3})),
              by_loops<halves>(x), 1e-12);
  X const y = rotary_embedding(x, tensor<double, shape<4>>{2, 0, 2, 9});
  for (int d = 0; d < 6; ++d) BOOST_TEST(y(1, 1, d) == x(1, 1, d));
}
BOOST_AUTO_TEST_CASE(long_sequences) {
  auto const x = doubles<1, 1100, 8>(1);
  using X = tensor<double, shape<1, 1100, 8>>;
  check_close("far", evaluated<X>(rotary_embedding(x)), by_loops<rotary{}>(x), 1e-10);
}
// A product of two rows depends on the distance of their positions.
BOOST_AUTO_TEST_CASE(products_depend_on_distance) {
  auto const q = doubles<1, 8>(1);
  auto const k = doubles<1, 8>(2);
  double const near = sum(rotary_embedding<{.first_position = 5}>(q) * rotary_embedding<{.first_position = 2}>(k));
  double const far = sum(rotary_embedding<{.first_position = 93}>(q) * rotary_embedding<{.first_position = 90}>(k));
  BOOST_TEST(std::fabs(near - far) < 1e-12);
}
BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("interleaved", turn<rotary{}>{}, floats<2, 3, 5, 8>(1));
  check_kernels("halves", turn<halves>{}, doubles<3, 5, 6>(1));
  check_kernels("given positions", turn<halves>{}, floats<3, 5, 6>(1), floats<5>(2));
}
BOOST_AUTO_TEST_CASE(gradients) {
  check_pullback("interleaved", turn<rotary{}>{}, doubles<2, 3, 4>(1));
  check_pullback("halves", turn<halves>{}, doubles<2, 3, 4>(1));
  check_pullback("given positions", turn<rotary{}>{}, doubles<2, 3, 4>(1), doubles<3>(2));
}
