// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_split
#include "support/check_pullback.hpp"

using namespace test;

namespace {
inline constexpr auto unbound = [](auto const& x) {
  auto const [a, b, c] = split<1>(x);
  return a * b + exp(c);
};
inline constexpr auto sections = [](auto const& x) {
  auto const [a, b, c] = split<-1, 2, 1, 3>(x);
  return concatenate<1>(c * c, a, b * 2);
};
/// What was split is put together again.
inline constexpr auto round_trip = [](auto const& x) {
  return std::apply([](auto... part) { return stack<0>(part...); }, split<0>(x)) * x;
};

constexpr esp::tensor<float, esp::shape<2, 3>> rows{{1, 2, 3}, {4, 5, 6}};
static_assert(esp::tensor<float, esp::shape<2>>{unbound(rows) - exp(std::get<2>(split<-1>(rows)))} ==
              esp::tensor<float, esp::shape<2>>{2, 20});
static_assert(esp::tensor<float, esp::shape<3>>{std::get<1>(split<0>(rows))} ==
              esp::tensor<float, esp::shape<3>>{4, 5, 6});
static_assert(esp::tensor<float, esp::shape<2, 2>>{std::get<1>(split<1, 1, 2>(rows))} ==
              esp::tensor<float, esp::shape<2, 2>>{{2, 3}, {5, 6}});
static_assert(std::tuple_size_v<decltype(split<1>(rows))> == 3);
static_assert(esp::tensor<float, esp::shape<2, 3>>{round_trip(rows)} ==
              esp::tensor<float, esp::shape<2, 3>>{rows * rows});
/// Parts of a tensor that nobody else keeps own what they read.
constexpr auto of_a_temporary = [] {
  auto const [a, b] = split<0>(esp::tensor<float, esp::shape<2, 3>>{rows});
  return esp::tensor<float, esp::shape<3>>{a * b};
}();
static_assert(of_a_temporary == esp::tensor<float, esp::shape<3>>{4, 10, 18});
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  auto const x = doubles<3, 4, 5>(1);
  auto const [a, b, c, d] = split<1>(x);
  auto const [head, tail] = split<2, 1, 4>(x);
  esp::tensor<double, esp::shape<3, 5>> const third = c, sum_of_all = a + b + c + d;
  esp::tensor<double, esp::shape<3, 4, 4>> const rest = tail;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 5; ++k) {
      BOOST_TEST(third(i, k) == x(i, 2, k));
      BOOST_TEST(sum_of_all(i, k) == x(i, 0, k) + x(i, 1, k) + x(i, 2, k) + x(i, 3, k));
      if (k > 0) BOOST_TEST(rest(i, 3, k - 1) == x(i, 3, k));
    }
}

BOOST_AUTO_TEST_CASE(kernels_and_gradients) {
  check_kernels("unbound", unbound, floats<5, 3, 17>(1));
  check_kernels("unbound columns", unbound, doubles<9, 3>(1));
  check_kernels("sections", sections, floats<5, 6>(1));
  check_kernels("back", round_trip, doubles<4, 5>(1));
  check_pullback("unbound", unbound, doubles<2, 3, 2>(1));
  check_pullback("sections", sections, doubles<3, 6>(1));
  check_pullback("back", round_trip, doubles<3, 4>(1));
}
