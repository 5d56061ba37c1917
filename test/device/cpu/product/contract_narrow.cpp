// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE device_cpu_product_contract_narrow
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include <espalier/base/philox.hpp>
#include <espalier/device/cpu/product/contract.hpp>
#include <espalier/storage/half.hpp>

namespace esp = espalier;
namespace on_cpu = espalier::on_cpu;
using std::int64_t;

namespace {

using std::size_t;

// Buffers of exactly the size that is asked for, so that the address sanitizer sees any access outside.
std::vector<float> random_matrix(int64_t size, std::uint64_t key) {
  std::vector<float> x(static_cast<size_t>(size));
  for (int64_t i = 0; i < size; ++i)
    x[static_cast<size_t>(i)] = 2 * esp::uniform_from_bits<float>(esp::philox_bits(i, key, 0)) - 1;
  return x;
}

/// The number of elements whose bits differ from those of the product of floats with the same numbers.
template <class Stored, int64_t M, int64_t N, int64_t K, bool TransposeB, class Arch>
int wrong() {
  using narrow = on_cpu::contract<float, M, N, K, false, TransposeB, Arch, Stored>;
  using wide = on_cpu::contract<float, M, N, K, false, TransposeB, Arch>;
  static_assert(narrow::room_size == wide::room_size && narrow::parts == wide::parts);
  auto const a = random_matrix(M * K, 1);
  auto b = random_matrix(K * N, 2);
  std::vector<Stored> stored(b.size());
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(stored[i] = Stored(b[i]));
  std::vector<float> c(static_cast<size_t>(M * N), NAN), in_parts = c, expected = c;
  wide::run(a.data(), b.data(), expected.data());
  narrow::run(a.data(), stored.data(), c.data());
  if constexpr (narrow::parts > 1)
    for (int p = 0; p < narrow::parts; ++p)
      narrow::part(a.data(), stored.data(), in_parts.data(), on_cpu::detail::no_epilogue{}, p);
  else in_parts = c;
  int r = 0;
  for (size_t i = 0; i < c.size(); ++i) r += c[i] != expected[i] || in_parts[i] != expected[i];
  return r;
}
template <int64_t M, int64_t N, int64_t K, class Arch = on_cpu::default_arch>
void right() {
  BOOST_TEST((wrong<esp::bfloat16, M, N, K, false, Arch>()) == 0, M << "x" << N << "x" << K);
  BOOST_TEST((wrong<esp::bfloat16, M, N, K, true, Arch>()) == 0, M << "x" << N << "x" << K << " b transposed");
}
template <class Arch>
void all_paths() {
  right<1, 37, 29, Arch>();
  right<1, 300, 251, Arch>();
  right<2, 3, 1, Arch>();
  right<7, 13, 5, Arch>();
  right<33, 67, 19, Arch>();
  right<6, 1, 40, Arch>();
  right<3, 67, 8, Arch>();
  right<4, 67, 16, Arch>();
  right<3, 100, 12, Arch>();
  right<3, 300, 251, Arch>();
  right<50, 99, 71, Arch>();
  right<60, 210, 530, Arch>();
}

}  // namespace

BOOST_AUTO_TEST_CASE(widened_weights_give_the_bits_of_rounded_floats) { all_paths<on_cpu::default_arch>(); }

BOOST_AUTO_TEST_CASE(half_is_widened_likewise) {
  BOOST_TEST((wrong<esp::half, 5, 67, 19, false, on_cpu::default_arch>()) == 0);
  BOOST_TEST((wrong<esp::half, 5, 67, 19, true, on_cpu::default_arch>()) == 0);
  BOOST_TEST((wrong<esp::half, 60, 210, 130, false, on_cpu::default_arch>()) == 0);
  BOOST_TEST((wrong<esp::half, 60, 210, 130, true, on_cpu::default_arch>()) == 0);
}

// A packed, sums in pieces, and rows that stream through the caches.
BOOST_AUTO_TEST_CASE(large_products) {
  right<256, 256, 512>();
  right<520, 150, 410>();
  right<64, 512, 784>();
}

BOOST_AUTO_TEST_CASE(narrower_registers) {
  all_paths<on_cpu::detail::instruction_set_of_width<16>>();
#if defined(__AVX512F__)
  all_paths<on_cpu::detail::instruction_set_of_width<32>>();
#endif
}
