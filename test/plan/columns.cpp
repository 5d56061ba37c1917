// SPDX-License-Identifier: BSL-1.0
// Programs that reduce columns, or rows and columns together. Kernels must equal the interpreter.
#define BOOST_TEST_MODULE plan_columns
#include "support/check_kernels.hpp"

using namespace test;
using esp::keepdims;

namespace {
inline constexpr auto column_norm = [](auto x, auto w, auto b) { return normalize<0>(x, 1e-5) * w + b; };
// Leaves used at two places: as a row of columns and as a column of rows of a square.
inline constexpr auto both_ways = [](auto x, auto a) { return x * a + x * reshape<-1, 1>(a) + sum<0>(x, keepdims) - sum<1>(x, keepdims); };
inline constexpr auto rows_of_columns = [](auto x) {
  auto const n = x - mean<0>(x, keepdims);
  auto const m = n - mean<1>(n, keepdims);
  return m * n + x;
};
inline constexpr auto columns_of_rows = [](auto x) { return softmax<0>(softmax<1>(x) * 5) + softmax<1>(x); };
inline constexpr auto everything = [](auto x) {
  auto const c = x - mean(x);
  auto const v = mean(c * c);
  return c / sqrt(v + 0.01) + max(x) * v;
};
inline constexpr auto three_sums = [](auto x, auto y) { return sum<0>(x * y) * sum<0>(x) + sum<0>(y * y) * sum(x * y); };
inline constexpr auto square_and_columns = [](auto x) {
  auto const s = sum<0>(x, keepdims);
  auto const r = sum<1>(x, keepdims);
  return matmul(r, s) * x + transpose(x);
};
}  // namespace

BOOST_AUTO_TEST_CASE(norm_of_columns) {
  check_kernels("37x53", column_norm, doubles<37, 53>(1), doubles<53>(2), doubles<53>(3));
  check_kernels("8x64", column_norm, floats<8, 64>(1), floats<64>(2), floats<1, 64>(3));
}
BOOST_AUTO_TEST_CASE(one_leaf_both_ways) { check_kernels("64x64", both_ways, doubles<64, 64>(1), doubles<64>(2)); }
BOOST_AUTO_TEST_CASE(rows_after_columns) {
  check_kernels("64x64", rows_of_columns, doubles<64, 64>(1));
  check_kernels("1x1", rows_of_columns, doubles<1, 1>(1));
}
BOOST_AUTO_TEST_CASE(columns_after_rows) { check_kernels("37x53", columns_of_rows, doubles<37, 53>(1)); }
BOOST_AUTO_TEST_CASE(everything_reduced) {
  check_kernels("37x53", everything, doubles<37, 53>(1));
  check_kernels("5x1x7", everything, doubles<5, 1, 7>(1));
}
BOOST_AUTO_TEST_CASE(three_sums_at_once) { check_kernels("33x17", three_sums, doubles<33, 17>(1), doubles<33, 17>(2)); }
BOOST_AUTO_TEST_CASE(outer_product) { check_kernels("64x64", square_and_columns, doubles<64, 64>(1)); }
