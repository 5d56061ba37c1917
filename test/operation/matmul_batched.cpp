// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_matmul_batched
#include "support/check_pullback.hpp"

using namespace test;

namespace {
inline constexpr auto plain = [](auto a, auto b) { return matmul(a, b); };
inline constexpr auto ta = [](auto a, auto b) { return matmul(transpose(a), b); };
inline constexpr auto tb = [](auto a, auto b) { return matmul(a, transpose(b)); };
inline constexpr auto tab = [](auto a, auto b) { return matmul(transpose(a), transpose(b)); };
/// Scores of attention: batches on both sides, and a product of a product.
inline constexpr auto attention = [](auto q, auto k, auto v) {
  return matmul(softmax(matmul(q, transpose(k)) * 0.5), v);
};
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  auto const a = doubles<2, 1, 3, 4>(1);
  auto const c = doubles<5, 4, 2>(3);
  esp::tensor<double, esp::shape<2, 5, 3, 2>> const y = matmul(a, c);
  for (int n = 0; n < 2; ++n)
    for (int m = 0; m < 5; ++m)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 2; ++j) {
          double sum = 0;
          for (int k = 0; k < 4; ++k) sum += a(n, 0, i, k) * c(m, k, j);
          BOOST_TEST(y(n, m, i, j) == sum, boost::test_tools::tolerance(1e-12));
        }
}

BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("same batches", plain, floats<3, 5, 7>(1), floats<3, 7, 4>(2));
  check_kernels("one matrix on the right", plain, floats<3, 5, 7>(1), floats<7, 4>(2));
  check_kernels("one matrix on the left", plain, doubles<5, 7>(1), doubles<3, 7, 4>(2));
  check_kernels("batches across", plain, doubles<2, 1, 3, 4>(1), doubles<5, 4, 2>(2));
  check_kernels("batches of one", plain, doubles<1, 1, 3, 4>(1), doubles<1, 4, 2>(2));
  check_kernels("aT b", ta, doubles<3, 7, 5>(1), doubles<3, 7, 4>(2));
  check_kernels("aT b, one matrix on the right", ta, doubles<3, 7, 5>(1), doubles<7, 4>(2));
  check_kernels("a bT", tb, doubles<3, 5, 7>(1), doubles<1, 4, 7>(2));
  check_kernels("aT bT", tab, doubles<1, 7, 5>(1), doubles<3, 4, 7>(2));
  check_kernels("attention", attention, doubles<2, 3, 5, 4>(1), doubles<2, 3, 6, 4>(2), doubles<2, 3, 6, 7>(3));
}

BOOST_AUTO_TEST_CASE(gradients) {
  check_pullback("same batches", plain, doubles<3, 2, 4>(1), doubles<3, 4, 2>(2));
  check_pullback("one matrix on the right", plain, doubles<3, 2, 4>(1), doubles<4, 2>(2));
  check_pullback("one matrix on the left", plain, doubles<2, 4>(1), doubles<3, 4, 2>(2));
  check_pullback("batches across", plain, doubles<2, 1, 3, 4>(1), doubles<5, 4, 2>(2));
  check_pullback("aT b", ta, doubles<3, 4, 2>(1), doubles<3, 4, 2>(2));
  check_pullback("a bT", tb, doubles<2, 1, 2, 4>(1), doubles<3, 2, 4>(2));
  check_pullback("aT bT", tab, doubles<2, 1, 4, 2>(1), doubles<3, 2, 4>(2));
}
