// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_matmul
#include "support/check_pullback.hpp"

using namespace test;

namespace {
inline constexpr auto plain = [](auto a, auto b) { return matmul(a, b); };
inline constexpr auto ta = [](auto a, auto b) { return matmul(transpose(a), b); };
inline constexpr auto tb = [](auto a, auto b) { return matmul(a, transpose(b)); };
inline constexpr auto tab = [](auto a, auto b) { return matmul(transpose(a), transpose(b)); };
inline constexpr auto transposed_product = [](auto a, auto b) { return transpose(matmul(a, b)); };
inline constexpr auto chain = [](auto a, auto b, auto c) { return matmul(matmul(a, b), c); };
inline constexpr auto squared = [](auto a) { return matmul(a, a) + matmul(transpose(a), a); };

template <class A, class B>
auto by_hand(A const& a, B const& b) {
  constexpr int m = A::shape_type::value.at[0], k = A::shape_type::value.at[1], n = B::shape_type::value.at[1];
  esp::tensor<typename A::value_type, esp::shape<m, n>> y;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < k; ++l) sum += static_cast<double>(a(i, l)) * static_cast<double>(b(l, j));
      y(i, j) = static_cast<typename A::value_type>(sum);
    }
  return y;
}
template <class A, class B>
void check_product(A const& a, B const& b) {
  decltype(by_hand(a, b)) const y = matmul(a, b);
  check_close("product", y, by_hand(a, b), std::is_same_v<typename A::value_type, float> ? 2e-5 : 1e-12);
}
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  check_product(floats<1, 1>(1), floats<1, 1>(2));
  check_product(floats<3, 17>(1), floats<17, 33>(2));
  check_product(floats<33, 100>(1), floats<100, 3>(2));
  check_product(doubles<17, 1>(1), doubles<1, 33>(2));
  check_product(floats<1, 100>(1), floats<100, 1>(2));
  check_product(floats<64, 64>(1), floats<64, 64>(2));
  check_product(doubles<7, 3>(1), doubles<3, 100>(2));
}

BOOST_AUTO_TEST_CASE(transposes) {
  check_kernels("a b", plain, floats<9, 17>(1), floats<17, 33>(2));
  check_kernels("aT b", ta, floats<17, 9>(1), floats<17, 33>(2));
  check_kernels("a bT", tb, doubles<9, 17>(1), doubles<33, 17>(2));
  check_kernels("aT bT", tab, doubles<17, 9>(1), doubles<33, 17>(2));
  check_kernels("(a b)T", transposed_product, doubles<9, 17>(1), doubles<17, 3>(2));
  check_kernels("chain", chain, doubles<5, 7>(1), doubles<7, 3>(2), doubles<3, 4>(3));
  check_kernels("squared", squared, doubles<8, 8>(1));
}

BOOST_AUTO_TEST_CASE(gradients) {
  check_pullback("a b", plain, doubles<3, 4>(1), doubles<4, 5>(2));
  check_pullback("aT b", ta, doubles<4, 3>(1), doubles<4, 5>(2));
  check_pullback("a bT", tb, doubles<3, 4>(1), doubles<5, 4>(2));
  check_pullback("aT bT", tab, doubles<4, 3>(1), doubles<5, 4>(2));
  check_pullback("squared", squared, doubles<4, 4>(1));
}
