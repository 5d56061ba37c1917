// SPDX-License-Identifier: BSL-1.0
// Squares of numbers in registers, transposed.
#define BOOST_TEST_MODULE device_cpu_kernel_turn
#include <boost/test/unit_test.hpp>

#include <vector>

#include <espalier/device/cpu/kernel/turn.hpp>

namespace on_cpu = espalier::on_cpu;

namespace {

template <class T>
void turned() {
  using V = on_cpu::pack<T, on_cpu::default_arch>;
  constexpr auto side = static_cast<std::size_t>(V::size);
  std::vector<T> numbers(side * side), result(side * side);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<T>(i);
  V square[side];
  for (std::size_t i = 0; i < side; ++i) square[i] = V::load(numbers.data() + i * side);
  on_cpu::detail::turn(square);
  for (std::size_t i = 0; i < side; ++i) square[i].store(result.data() + i * side);
  bool same = true;
  for (std::size_t i = 0; i < side; ++i)
    for (std::size_t j = 0; j < side; ++j) same = same && result[i * side + j] == numbers[j * side + i];
  BOOST_TEST(same, sizeof(T) << " bytes, squares of " << side);
}

}  // namespace

BOOST_AUTO_TEST_CASE(rows_become_columns) {
  turned<float>();
  turned<double>();
}
