// SPDX-License-Identifier: BSL-1.0
// Programs that reduce columns, or rows and columns together. Kernels must equal the interpreter.
#define BOOST_TEST_MODULE plan_columns
#include "support/check_kernels.hpp"

using namespace test;
using esp::keepdims;

namespace {
inline constexpr auto column_norm = [](auto x, auto w, auto b) { return normalize<0>(x, 1e-5) * w + b; };
// Leaves used at two places: as a row of columns and as a column of rows of a square.
inline constexpr auto both_ways = [](auto x, auto a) {
  return x * a + x * reshape<-1, 1>(a) + sum<0>(x, keepdims) - sum<1>(x, keepdims);
};
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
inline constexpr auto three_sums = [](auto x, auto y) {
  return sum<0>(x * y) * sum<0>(x) + sum<0>(y * y) * sum(x * y);
};
inline constexpr auto square_and_columns = [](auto x) {
  auto const s = sum<0>(x, keepdims);
  auto const r = sum<1>(x, keepdims);
  return matmul(r, s) * x + transpose(x);
};
inline constexpr auto weighted_rows = [](auto x, auto a) { return sum<0>(x * a) + max<0>(x) * sum<0>(x * x); };
inline constexpr auto indexed = [](auto x) { return x * sum<0>(exp(x), keepdims) + mean(x * x) * x; };
inline constexpr auto channel_norm = [](auto x, auto w) { return normalize<0, 2>(x, 1e-5) * w; };

/// Runs the parts of kernels from the last to the first.
struct backwards {
  static constexpr int threads = 2;
  void run(int parts, void (*f)(void const*, int, int), void const* context) const {
    for (int i = parts - 1; i >= 0; --i) f(context, i, 0);
  }
};
template <class F, class... X>
void check_parts(F, X const&... x) {
  using T = element_of_arguments<X...>;
  using Program = esp::detail::gradient_program<F, written<F, X...>::wanted, true, leaf_of<X>...>;
  auto const dy = numbers<T, shape_of_result<F, X...>>(99, 0.5, 1.5);
  auto whole = room_for<F, X...>(), cut = room_for<F, X...>();
  std::vector<T> workspace(static_cast<std::size_t>(esp::plan::plan_of<Program>.memory.workspace) + 1);
  auto const base_for = [&](auto& to, void** base) {
    int i = 0;
    base[esp::plan::base::workspace] = workspace.data();
    ((base[esp::plan::base::arguments + i++] = const_cast<T*>(x.data())), ...);
    base[esp::plan::base::arguments + i] = const_cast<T*>(dy.data());
    i = 0;
    for (T* result : to.results()) base[esp::plan::base::results + i++] = result;
  };
  void* base[esp::plan::base::count];
  base_for(whole, base);
  esp::on_cpu::run<Program, T>(base);
  base_for(cut, base);
  esp::on_cpu::run<Program, T, esp::on_cpu::default_arch>(base, backwards{});
  BOOST_TEST((whole.value == cut.value));
  BOOST_TEST((whole.gradients == cut.gradients));
}
}  // namespace

BOOST_AUTO_TEST_CASE(parts_give_the_same_bits) {
  check_parts(column_norm, floats<128, 520>(1), floats<520>(2), floats<520>(3));
  check_parts(three_sums, floats<131, 516>(1), floats<131, 516>(2));
  check_parts(channel_norm, floats<3, 30, 800>(1), floats<30, 1>(2));
}
BOOST_AUTO_TEST_CASE(norm_of_columns) {
  check_kernels("37x53", column_norm, doubles<37, 53>(1), doubles<53>(2), doubles<53>(3));
  check_kernels("8x64", column_norm, floats<8, 64>(1), floats<64>(2), floats<1, 64>(3));
}
BOOST_AUTO_TEST_CASE(few_columns) {
  check_kernels("203x3", column_norm, floats<203, 3>(1), floats<3>(2), floats<3>(3));
  check_kernels("64x10", column_norm, doubles<64, 10>(1), doubles<10>(2), doubles<10>(3));
  check_kernels("4x2", column_norm, doubles<4, 2>(1), doubles<2>(2), doubles<2>(3));
}
BOOST_AUTO_TEST_CASE(few_rows) {
  check_kernels("2x70", column_norm, floats<2, 70>(1), floats<70>(2), floats<70>(3));
  check_kernels("3x17", column_norm, doubles<3, 17>(1), doubles<17>(2), doubles<17>(3));
}
BOOST_AUTO_TEST_CASE(many_elements) {
  // in strips, to and fro
  check_kernels("130x520", column_norm, doubles<130, 520>(1), doubles<520>(2), doubles<520>(3));
  check_kernels("129x131", column_norm, floats<129, 131>(1), floats<131>(2), floats<131>(3));
}
BOOST_AUTO_TEST_CASE(values_of_rows_and_columns) {
  check_kernels("37x53", weighted_rows, doubles<37, 53>(1), doubles<37, 1>(2));
  check_kernels("37x19", indexed, doubles<37, 19>(1));
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
