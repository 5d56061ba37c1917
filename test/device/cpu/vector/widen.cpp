// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE device_cpu_vector_widen
#include <boost/test/unit_test.hpp>

#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include <espalier/device/cpu/vector/simd.hpp>

namespace esp = espalier;

namespace {

using registers = esp::on_cpu::pack<float>;

/// All 65,536 numbers of a format.
template <class Number>
std::vector<Number> all() {
  std::vector<Number> r(1 << 16);
  for (std::size_t i = 0; i < r.size(); ++i) r[i].bits = static_cast<std::uint16_t>(i);
  return r;
}
template <class Number>
void check_whole_registers() {
  std::vector<Number> const numbers = all<Number>();
  int wrong = 0;
  for (std::size_t i = 0; i < numbers.size(); i += static_cast<std::size_t>(registers::size)) {
    float lanes[registers::size];
    registers::load(&numbers[i]).store(lanes);
    for (std::size_t k = 0; k < static_cast<std::size_t>(registers::size); ++k) {
      float const expected = numbers[i + k];
      bool const is_nan = expected != expected;
      wrong += is_nan ? lanes[k] == lanes[k] : std::memcmp(&lanes[k], &expected, sizeof expected) != 0;
    }
  }
  BOOST_TEST(wrong == 0);
}
template <class Number, int N>
void check_part() {
  Number from[static_cast<std::size_t>(N) + 1];
  for (int i = 0; i < N; ++i) from[i] = Number(1.5f + static_cast<float>(i));
  float lanes[registers::size];
  registers::template load_first<N>(from).store(lanes);
  for (int i = 0; i < registers::size; ++i) BOOST_TEST(lanes[i] == (i < N ? 1.5f + static_cast<float>(i) : 0));
}

template <class Number, int... N>
void check_parts(std::integer_sequence<int, N...>) {
  (check_part<Number, N>(), ...);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_register_of_16_bit_numbers_holds_the_floats_that_they_convert_to) {
  check_whole_registers<esp::bfloat16>();
  check_whole_registers<esp::half>();
}

BOOST_AUTO_TEST_CASE(lanes_behind_the_first_ones_are_zero) {
  check_parts<esp::bfloat16>(std::make_integer_sequence<int, registers::size + 1>{});
  check_parts<esp::half>(std::make_integer_sequence<int, registers::size + 1>{});
}
