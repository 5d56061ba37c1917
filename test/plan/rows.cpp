// SPDX-License-Identifier: BSL-1.0
// Programs that reduce rows and use the result again, in every way that came to mind. Kernels must equal the
// interpreter.
#define BOOST_TEST_MODULE plan_rows
#include "support/check_kernels.hpp"

using namespace test;
using esp::keepdims;

namespace {
// A value used inside a reduction and after it.
inline constexpr auto reduce_then_use = [](auto x) {
  auto const e = exp(x);
  return e / sum<-1>(e, keepdims) + x * mean<-1>(x, keepdims);
};
// Two levels: a reduction of what a reduction made.
inline constexpr auto nested = [](auto x) { return softmax(normalize<-1>(softmax(x), 1e-5) * 3 + x); };
// The same leaf as full and, by another argument, as a row.
inline constexpr auto row_and_full = [](auto x, auto r) {
  return (x * r + sum<-1>(x * x, keepdims)) * r - x / (1 + r * r);
};
// A row value that is computed on and then broadcast to two places.
inline constexpr auto row_chain = [](auto x) {
  auto const m = mean<-1>(x, keepdims);
  auto const v = mean<-1>((x - m) * (x - m), keepdims);
  auto const s = sqrt(v + 0.1);
  return (x - m) / s + s * m * x + tanh(m - s);
};
// Rows, then everything, then back to full.
inline constexpr auto rows_then_all = [](auto x) {
  auto const r = sum<-1>(x * x, keepdims);
  return x * r / sum(r) + max(r) - x;
};
// Different row reductions of one value, and a row result as result.
inline constexpr auto several_reductions = [](auto x) {
  return max<-1>(x) * sum<-1>(exp(x - max<-1>(x, keepdims))) + mean<-1>(x * x) - logsumexp<-1>(x * 2);
};
}  // namespace

BOOST_AUTO_TEST_CASE(reduction_then_use) {
  check_kernels("37x53", reduce_then_use, doubles<37, 53>(1));
  check_kernels("1x1", reduce_then_use, doubles<1, 1>(1));
  check_kernels("5x1x7", reduce_then_use, doubles<5, 1, 7>(1));
}
BOOST_AUTO_TEST_CASE(nested_reductions) { check_kernels("64x64", nested, doubles<64, 64>(2)); }
BOOST_AUTO_TEST_CASE(rows_and_full) {
  check_kernels("64x64", row_and_full, doubles<64, 64>(3), doubles<64, 1>(4));
  check_kernels("8x1", row_and_full, doubles<8, 1>(3), doubles<8, 1>(4));
}
BOOST_AUTO_TEST_CASE(chains_of_row_values) { check_kernels("2x3x4x5", row_chain, doubles<2, 3, 4, 5>(5)); }
BOOST_AUTO_TEST_CASE(rows_then_everything) { check_kernels("37x53", rows_then_all, doubles<37, 53>(6)); }
BOOST_AUTO_TEST_CASE(several_reductions_of_a_row) { check_kernels("8x64", several_reductions, doubles<8, 64>(7)); }
