// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_concatenate
#include "support/check_pullback.hpp"

using namespace test;

namespace {
template <int Axis>
struct concatenated {
  constexpr auto operator()(auto... x) const { return concatenate<Axis>(x * x...); }
};
inline constexpr auto with_itself = [](auto x) { return concatenate<1>(x, tanh(x), x * 2, x) * 3; };
inline constexpr auto through_a_product = [](auto a, auto b, auto w) { return matmul(concatenate<-1>(a, relu(b)), w); };

constexpr esp::tensor<float, esp::shape<1, 2>> one{{1, 2}};
constexpr esp::tensor<float, esp::shape<2, 2>> two{{3, 4}, {5, 6}};
static_assert(esp::tensor<float, esp::shape<4, 2>>{concatenate<0>(one, two, one)} ==
              esp::tensor<float, esp::shape<4, 2>>{{1, 2}, {3, 4}, {5, 6}, {1, 2}});
static_assert(esp::tensor<float, esp::shape<2, 4>>{concatenate<-1>(two, two + 1)} ==
              esp::tensor<float, esp::shape<2, 4>>{{3, 4, 4, 5}, {5, 6, 6, 7}});
static_assert(esp::tensor<float, esp::shape<1, 2>>{concatenate<0>(one)} == one);
static_assert(esp::grad<0>([](auto a, auto b) {
                return sum(concatenate<0>(a * a, b) * concatenate<0>(a, b));
              })(one, two) == esp::tensor<float, esp::shape<1, 2>>{{3, 12}});
/// Sixteen operands, each the number of its place.
template <int... I>
constexpr auto counted(std::integer_sequence<int, I...>) {
  return esp::tensor<float, esp::shape<sizeof...(I)>>{concatenate<0>(esp::tensor<float, esp::shape<1>>{I}...)};
}
constexpr auto sixteen = counted(std::make_integer_sequence<int, 16>{});
static_assert([] {
  for (int i = 0; i < 16; ++i)
    if (sixteen[i] != static_cast<float>(i)) return false;
  return true;
}());
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  auto const a = doubles<2, 3, 4>(1), c = doubles<2, 3, 4>(3);
  auto const b = doubles<2, 5, 4>(2);
  esp::tensor<double, esp::shape<2, 11, 4>> const y = concatenate<1>(a, b, c);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 11; ++j)
      for (int k = 0; k < 4; ++k)
        BOOST_TEST(y(i, j, k) == (j < 3 ? a(i, j, k) : j < 8 ? b(i, j - 3, k) : c(i, j - 8, k)));
}

BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("rows", concatenated<0>{}, floats<3, 17>(1), floats<1, 17>(2));
  check_kernels("columns", concatenated<1>{}, floats<3, 17>(1), floats<3, 5>(2), floats<3, 1>(3));
  check_kernels("five in the middle", concatenated<1>{}, doubles<2, 1, 3>(1), doubles<2, 2, 3>(2), doubles<2, 3, 3>(3),
                doubles<2, 4, 3>(4), doubles<2, 5, 3>(5));
  check_kernels("with itself", with_itself, doubles<3, 5>(1));
  check_kernels("before a product", through_a_product, floats<6, 5>(1), floats<6, 4>(2), floats<9, 7>(3));
}

BOOST_AUTO_TEST_CASE(gradients) {
  check_pullback("rows", concatenated<0>{}, doubles<3, 4>(1), doubles<1, 4>(2));
  check_pullback("columns", concatenated<-1>{}, doubles<3, 2>(1), doubles<3, 1>(2), doubles<3, 3>(3));
  check_pullback("with itself", with_itself, doubles<2, 3>(1));
  check_pullback("before a product", through_a_product, doubles<3, 2>(1), doubles<3, 2>(2), doubles<4, 2>(3));
}
