// SPDX-License-Identifier: BSL-1.0
// Row kernels: rows shorter than a register, rows that are kept in registers, long ones whose last vectors are not
// full, and kernels cut into parts.
#define BOOST_TEST_MODULE device_cpu_kernel_rows
#include "support/check_kernels.hpp"

#include <vector>

using namespace test;
using esp::keepdims;

namespace {
inline constexpr auto normalized = [](auto x, auto w, auto b) { return normalize<-1>(x, 1e-5) * w + b; };
// An expensive value that two sweeps read; a sum of rows, of columns and of everything at once.
inline constexpr auto shares = [](auto x, auto y) {
  auto const e = exp(x - max<-1>(x, keepdims));
  return e / sum<-1>(e, keepdims) * y + log(sum<-1>(e, keepdims)) * mean(e * y);
};

/// Runs a kernel whole and in parts, last part first: the same bits.
template <class Kernel, class T>
void check_parts(std::vector<std::vector<T>> const& operands, std::vector<std::size_t> const& outputs) {
  static_assert(Kernel::parts > 1);
  std::vector<std::vector<T>> whole, cut;
  for (std::size_t n : outputs) whole.emplace_back(n, T(-1)), cut.emplace_back(n, T(-2));
  struct memories {
    std::vector<void*> base;
    std::vector<esp::plan::address> arguments;
    esp::on_device::addresses<T> at() const { return {base.data(), arguments.data()}; }
  };
  auto const memories_of = [&](std::vector<std::vector<T>>& results) {
    memories r;
    for (auto& x : operands) r.base.push_back(const_cast<T*>(x.data()));
    for (auto& x : results) r.base.push_back(x.data());
    for (std::size_t i = 0; i < r.base.size(); ++i) r.arguments.push_back({static_cast<int>(i), 0});
    return r;
  };
  Kernel::run(memories_of(whole).at());
  std::vector<T> shared(static_cast<std::size_t>(Kernel::scratch) + 1);
  memories const p = memories_of(cut);
  for (int w = Kernel::parts - 1; w >= 0; --w) Kernel::part(p.at(), shared.data(), w);
  Kernel::finish(p.at(), shared.data());
  BOOST_CHECK(whole == cut);
}
template <class T>
std::vector<T> random_numbers(std::size_t n, unsigned seed) {
  std::vector<T> r(n);
  for (T& x : r) x = static_cast<T>((seed = seed * 1664525u + 1013904223u) >> 8) / T(1 << 24) - T(0.5);
  return r;
}

using esp::on_cpu::operand;
using esp::on_cpu::list;
using esp::on_cpu::output;
using esp::on_cpu::instruction;
using esp::plan::operand_kind;
using esp::plan::extent_class;
using whole_operand = operand<operand_kind::memory, extent_class::full, 0>;
}  // namespace

BOOST_AUTO_TEST_CASE(rows_shorter_than_a_register) {
  check_kernels("37x3", normalized, floats<37, 3>(1), floats<3>(2), floats<3>(3));
  check_kernels("16x16", normalized, floats<16, 16>(1), floats<16>(2), floats<16>(3));
  check_kernels("41x10", shares, floats<41, 10>(4), floats<41, 10>(5));
  check_kernels("32x5", shares, doubles<32, 5>(4), doubles<32, 5>(5));
  check_kernels("9x2", shares, doubles<9, 2>(4), doubles<9, 2>(5));
}
BOOST_AUTO_TEST_CASE(rows_in_registers) {
  check_kernels("1x256", normalized, floats<1, 256>(1), floats<256>(2), floats<256>(3));
  check_kernels("2x100", shares, doubles<2, 100>(4), doubles<2, 100>(5));
}
BOOST_AUTO_TEST_CASE(long_rows) {
  check_kernels("7x301", normalized, doubles<7, 301>(1), doubles<301>(2), doubles<301>(3));
  check_kernels("9x1000", shares, doubles<9, 1000>(4), doubles<9, 1000>(5));
}
BOOST_AUTO_TEST_CASE(parts_of_rows) {
  // y = x - sum of the row, the sum of x over rows, the sum of everything.
  using kernel = esp::on_cpu::row_kernel<float, esp::on_cpu::default_arch, 301, 517,
                                         list<instruction<esp::sum_, extent_class::row, -1, 0, 0>,
                                              instruction<esp::subtract_, extent_class::full, -1, 0, 0>,
                                              instruction<esp::sum_, extent_class::column, -1, 0, 0>,
                                              instruction<esp::multiply_, extent_class::full, 1, -1, 0>,
                                              instruction<esp::sum_, extent_class::single, 3, 0, 0>,
                                              instruction<esp::sqrt_, extent_class::single, 4, 0, 0>>,
                                         list<whole_operand>,
                                         list<output<1, false>, output<2, false>, output<4, false>, output<0, false>>>;
  check_parts<kernel, float>({random_numbers<float>(301 * 517, 1)}, {301 * 517, 517, 1, 301});
}
BOOST_AUTO_TEST_CASE(parts_of_one_row) {
  using kernel = esp::on_cpu::row_kernel<
      float, esp::on_cpu::default_arch, 1, 100003,
      list<instruction<esp::exp_, extent_class::full, -1, 0, 0>, instruction<esp::sum_, extent_class::row, 0, 0, 0>,
           instruction<esp::sqrt_, extent_class::row, 1, 0, 0>, instruction<esp::max_, extent_class::row, -1, 0, 0>>,
      list<whole_operand>, list<output<0, false>, output<2, false>, output<3, false>>>;
  check_parts<kernel, float>({random_numbers<float>(100003, 2)}, {100003, 1, 1});
}
// Equal numbers are rounded alike: added one after the other, their errors grow with their count.
BOOST_AUTO_TEST_CASE(long_rows_of_equal_numbers) {
  constexpr int rows = 2, columns = 1 << 18;
  using kernel = esp::on_cpu::row_kernel<float, esp::on_cpu::default_arch, rows, columns,
                                         list<instruction<esp::multiply_, extent_class::full, -1, -1, 0>,
                                              instruction<esp::sum_, extent_class::row, 0, 0, 0>>,
                                         list<whole_operand>, list<output<1, false>>>;
  std::vector<float> x(std::size_t{rows} * columns, 0.4f), sums(rows);
  void* base[] = {x.data(), sums.data()};
  esp::plan::address const arguments[] = {{0, 0}, {1, 0}};
  kernel::run(esp::on_device::addresses<float>{base, arguments});
  double const expected = columns * static_cast<double>(0.4f * 0.4f);
  for (float sum : sums) BOOST_TEST(std::fabs(static_cast<double>(sum) / expected - 1) < 4e-6);
}
