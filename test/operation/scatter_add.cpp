// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_scatter_add
#include <string>

#include "support/check_pullback.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
template <int Axis>
struct added {
  constexpr auto operator()(auto x, auto index, auto source) const {
    return scatter_add<Axis>(x * x, index, source * source * source);
  }
};
template <int Axis>
struct added_to {
  constexpr auto operator()(auto x, auto index, auto source) const { return scatter_add<Axis>(x, index, source); }
};

constexpr tensor<float, shape<2, 3>> x{{1, 2, 3}, {4, 5, 6}};
constexpr tensor<std::int32_t, shape<2, 2>> index{{2, 2}, {0, 1}};
constexpr tensor<float, shape<2, 2>> source{{10, 20}, {30, 40}};
static_assert(tensor<float, shape<2, 3>>{scatter_add<1>(x, index, source)} ==
              tensor<float, shape<2, 3>>{{1, 2, 33}, {34, 45, 6}});
// Indices that are fewer than the source or x on another axis leave the rest as it is.
static_assert(tensor<float, shape<2, 3>>{scatter_add<0>(x, tensor<std::int32_t, shape<1, 2>>{{1, 0}}, source)} ==
              tensor<float, shape<2, 3>>{{1, 22, 3}, {14, 5, 6}});
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  auto const to = doubles<3, 4, 5>(1);
  auto const from = doubles<3, 9, 5>(2);
  auto const at = labels<2, 7, 5>(3, 4);
  tensor<double, shape<3, 4, 5>> const y = scatter_add<1>(to, at, from);
  tensor<double, shape<3, 4, 5>> expected = to;
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 7; ++b)
      for (int c = 0; c < 5; ++c) expected(a, at(a, b, c), c) += from(a, b, c);
  check_close("scatter_add", y, expected);
}

BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("first axis", added<0>{}, floats<5, 9>(1), labels<7, 9>(2, 5), floats<7, 9>(3));
  check_kernels("last axis", added_to<1>{}, doubles<5, 9>(1), labels<5, 20>(2, 9), doubles<5, 20>(3));
  check_kernels("middle axis", added<1>{}, doubles<3, 4, 5>(1), labels<3, 6, 5>(2, 4), doubles<3, 6, 5>(3));
  check_kernels("parts", added<1>{}, doubles<3, 4, 5>(1), labels<2, 6, 3>(2, 4), doubles<3, 7, 4>(3));
  check_kernels("one element", added_to<0>{}, floats<4>(1), labels<1>(2, 4), floats<1>(3));
}

BOOST_AUTO_TEST_CASE(gradients) {
  check_pullback("first axis", added<0>{}, doubles<5, 3>(1), labels<7, 3>(2, 5), doubles<7, 3>(3));
  check_pullback("last axis", added<-1>{}, doubles<2, 4>(1), labels<2, 6>(2, 4), doubles<2, 6>(3));
  check_pullback("parts", added<1>{}, doubles<2, 4, 3>(1), labels<2, 5, 2>(2, 4), doubles<3, 5, 2>(3));
}

BOOST_AUTO_TEST_CASE(indices_outside_the_axis) {
  tensor<float, shape<4>> const zeros{};
  tensor<float, shape<2>> const one{1, 1};
  std::string text;
  try {
    (void)evaluate(scatter_add<0>(zeros, tensor<std::int32_t, shape<2>>{3, 4}, one));
  } catch (esp::index_error const& error) {
    text = error.what();
  }
  BOOST_TEST(text == "indices: expected 0 to 3, got 4 at position 1");
}
