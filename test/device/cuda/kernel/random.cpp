// SPDX-License-Identifier: BSL-1.0
// Random numbers, conversions and copies.
#define BOOST_TEST_MODULE device_cuda_kernel_random
#include <boost/test/unit_test.hpp>

#include <espalier/device/cpu/kernel/random.hpp>
#include <espalier/device/cuda/kernel/convert.hpp>
#include <espalier/device/cuda/kernel/random.hpp>

#include "launched.hpp"

using namespace launched;

namespace {

constexpr espalier::on_device::random_state state{0x0123456789abcdefull, 7};
constexpr std::uint64_t attribute = 5, stream = state.step << 20 | attribute;

template <class T, int64_t Size>
std::vector<T> numbers() {
  memory<T> y(Size);
  on_cuda::fiber_launcher launcher;
  launcher.launch<on_cuda::random_uniform_kernel<T, Size>>(
      {{const_cast<espalier::on_device::random_state*>(&state), y.data()}, {attribute}});
  return y.untouched_around() ? y.values() : std::vector<T>{};
}
template <class T, int64_t Size>
void equals_the_cpu() {
  std::vector<T> expected(static_cast<size_t>(Size));
  espalier::on_cpu::random_uniform_kernel<T, Size>::run(expected.data(), state.key, stream);
  BOOST_TEST(same(numbers<T, Size>(), expected), Size << " numbers of " << sizeof(T) << " bytes");
}

/// Never above the float that was drawn, by less than one step, and on the same side of a number that T holds.
template <class T, int64_t Size>
void rounds_down() {
  std::vector<float> expected(static_cast<size_t>(Size));
  espalier::on_cpu::random_uniform_kernel<float, Size>::run(expected.data(), state.key, stream);
  auto const got = numbers<T, Size>();
  int wrong = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    T next = got[i];
    next.bits = static_cast<std::uint16_t>(next.bits + 1u);
    wrong +=
        !(got[i] <= expected[i] && next > expected[i] && got[i] < 1.0f && (got[i] < 0.25f) == (expected[i] < 0.25f));
  }
  BOOST_TEST(wrong == 0);
}

template <class T, class From, int64_t Size>
void converted() {
  std::vector<unsigned char> bytes(static_cast<size_t>(Size) * sizeof(From));
  std::vector<T> expected;
  for (int64_t i = 0; i < Size; ++i) {
    From const x = static_cast<From>(std::is_same_v<From, bool> ? i % 3 == 0 : static_cast<From>(i * 7 - 100));
    std::memcpy(bytes.data() + static_cast<size_t>(i) * sizeof(From), &x, sizeof(From));
    expected.push_back(static_cast<T>(x));
  }
  BOOST_TEST(same(result<on_cuda::convert_kernel<T, From, Size>, T>(Size, bytes), expected), Size << " numbers");
}

}  // namespace

BOOST_AUTO_TEST_CASE(numbers_of_the_cpu) {
  equals_the_cpu<float, 4096>();
  equals_the_cpu<float, 1>();
  equals_the_cpu<float, 3>();
  equals_the_cpu<float, 4>();
  equals_the_cpu<float, 1023>();
  equals_the_cpu<double, 2050>();
  equals_the_cpu<double, 7>();
}

BOOST_AUTO_TEST_CASE(numbers_of_16_bits) {
  rounds_down<half, 20000>();
  rounds_down<bfloat16, 20000>();
  rounds_down<half, 5>();
}

BOOST_AUTO_TEST_CASE(four_where_they_are_used) {
  auto const four = on_cuda::random_numbers<float>(&state, attribute, 100);
  auto const also = on_cuda::random_numbers<half>(&state, attribute, 100);
  for (int k = 0; k < 4; ++k) {
    BOOST_TEST(four.at[k] == espalier::uniform_from_bits<float>(espalier::philox_bits(100 + k, state.key, stream)));
    BOOST_TEST(also.at[k] == four.at[k]);
  }
}

BOOST_AUTO_TEST_CASE(labels_and_booleans) {
  converted<float, std::int32_t, 1000>();
  converted<float, std::int32_t, (1 << 20) + 1027>();
  converted<float, bool, 1001>();
  converted<double, std::int32_t, 7>();
  converted<half, bool, 100>();
  converted<bfloat16, std::int32_t, 37>();
}
