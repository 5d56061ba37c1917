// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE device_cpu_kernel_random
#include <boost/test/unit_test.hpp>

#include <vector>

#include <espalier/device/cpu/kernel/random.hpp>

using espalier::philox_bits;
using espalier::uniform_from_bits;
namespace on_cpu = espalier::on_cpu;

namespace {

constexpr std::uint64_t key = 0x0123456789abcdefull, stream = 0xfedcba9876543210ull;

/// Exactly n elements are written, each the scalar reference's.
template <class T, class Arch>
int wrong(std::int64_t n, std::int64_t first) {
  std::vector<T> out(static_cast<std::size_t>(n));
  on_cpu::fill_uniform<T, Arch>::run(out.data(), n, key, stream, first);
  int count = 0;
  for (std::int64_t i = 0; i < n; ++i)
    count += out[static_cast<std::size_t>(i)] != uniform_from_bits<T>(philox_bits(first + i, key, stream));
  return count;
}

template <class T, class Arch>
void equals_the_reference() {
  for (std::int64_t n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 1000})
    for (std::int64_t first : {0, 1, 2, 3, 4, 10})
      BOOST_TEST((wrong<T, Arch>(n, first)) == 0, "n " << n << " first " << first);
  // The block counter's low word overflows within the draw.
  BOOST_TEST((wrong<T, Arch>(100, (std::int64_t{1} << 34) - 40)) == 0);
}

BOOST_AUTO_TEST_CASE(widest_registers) {
  equals_the_reference<float, on_cpu::default_arch>();
  equals_the_reference<double, on_cpu::default_arch>();
}

BOOST_AUTO_TEST_CASE(narrow_registers) {
  equals_the_reference<float, on_cpu::detail::instruction_set_of_width<16>>();
  equals_the_reference<double, on_cpu::detail::instruction_set_of_width<16>>();
}

BOOST_AUTO_TEST_CASE(keys_and_streams_differ) {
  std::vector<float> a(64), b(64), c(64);
  on_cpu::fill_uniform<float>::run(a.data(), 64, 1, 0);
  on_cpu::fill_uniform<float>::run(b.data(), 64, 2, 0);
  on_cpu::fill_uniform<float>::run(c.data(), 64, 1, 1);
  BOOST_TEST((a != b && a != c && b != c));
}

}  // namespace
