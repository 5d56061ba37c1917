// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE device_cpu_product_contract
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <espalier/base/philox.hpp>
#include <espalier/device/cpu/product/contract.hpp>

namespace on_cpu = espalier::on_cpu;
using std::int64_t;

namespace {

using std::size_t;

// Buffers of exactly the size that is asked for, so that the address sanitizer sees any access outside.
template <class T>
std::vector<T> random_matrix(int64_t size, std::uint64_t key) {
  std::vector<T> x(static_cast<size_t>(size));
  for (int64_t i = 0; i < size; ++i)
    x[static_cast<size_t>(i)] = T(2) * espalier::uniform_from_bits<T>(espalier::philox_bits(i, key, 0)) - T(1);
  return x;
}

/// The largest error of an element, in units of T's resolution times the sum of the magnitudes of its terms.
template <class T, int64_t M, int64_t N, int64_t K, bool TransposeA, bool TransposeB, class Arch>
double error() {
  auto const a = random_matrix<T>(M * K, 1), b = random_matrix<T>(K * N, 2);
  std::vector<T> c(static_cast<size_t>(M * N), T(NAN));
  using matrices = on_cpu::contract<T, M, N, K, TransposeA, TransposeB, Arch>;
  static_assert(matrices::room_size * sizeof(T) <= 448 * 1024);
  matrices::run(a.data(), b.data(), c.data());
  double worst = 0;
  for (int64_t i = 0; i < M; ++i)
    for (int64_t j = 0; j < N; ++j) {
      double sum = 0, magnitude = 0;
      for (int64_t k = 0; k < K; ++k) {
        double const term = static_cast<double>(a[static_cast<size_t>(TransposeA ? k * M + i : i * K + k)]) *
                            static_cast<double>(b[static_cast<size_t>(TransposeB ? j * K + k : k * N + j)]);
        sum += term;
        magnitude += std::fabs(term);
      }
      double const off = std::fabs(static_cast<double>(c[static_cast<size_t>(i * N + j)]) - sum) /
                         (magnitude * (sizeof(T) == 4 ? 6e-8 : 1.2e-16));
      if (!(off <= worst)) worst = std::isnan(off) ? 1e9 : off;
    }
  return worst;
}

template <class T, int64_t M, int64_t N, int64_t K, class Arch = on_cpu::default_arch>
void right() {
  double const most = 2 + std::sqrt(static_cast<double>(K));
  BOOST_TEST((error<T, M, N, K, false, false, Arch>()) <= most, M << "x" << N << "x" << K);
  BOOST_TEST((error<T, M, N, K, true, false, Arch>()) <= most, M << "x" << N << "x" << K << " a transposed");
  BOOST_TEST((error<T, M, N, K, false, true, Arch>()) <= most, M << "x" << N << "x" << K << " b transposed");
  BOOST_TEST((error<T, M, N, K, true, true, Arch>()) <= most, M << "x" << N << "x" << K << " both transposed");
}

BOOST_AUTO_TEST_CASE(sizes_of_networks) {
  right<float, 32, 64, 64>();
  right<float, 32, 10, 64>();
  right<float, 64, 10, 32>();
  right<float, 3, 4, 32>();
  right<double, 32, 24, 20>();
}

// Few rows times short rows of a transposed b.
BOOST_AUTO_TEST_CASE(short_rows) {
  right<float, 2, 40, 8>();
  right<float, 3, 67, 8>();
  right<float, 2, 16, 4>();
  right<float, 3, 100, 12>();
  right<float, 4, 67, 16>();
  right<double, 2, 33, 4>();
  right<double, 3, 40, 6>();
  right<double, 4, 9, 8>();
}

BOOST_AUTO_TEST_CASE(odd_sizes_and_tails) {
  right<float, 1, 1, 1>();
  right<float, 2, 3, 1>();
  right<float, 7, 13, 5>();
  right<float, 33, 67, 19>();
  right<float, 9, 97, 31>();
  right<double, 33, 29, 41>();
  right<double, 6, 70, 17>();
}

BOOST_AUTO_TEST_CASE(one_row_one_column) {
  right<float, 1, 37, 29>();
  right<float, 1, 1103, 250>();  // dot products of a matrix beyond the caches
  right<float, 1, 300, 251>();   // a row times a matrix beyond the caches
  right<double, 3, 700, 211>();
  right<float, 1, 128, 64>();
  right<float, 1, 3, 200>();
  right<float, 37, 1, 29>();
  right<float, 2, 1, 3>();
  right<float, 6, 1, 40>();
  right<float, 70, 50, 1>();
  right<double, 1, 9, 30>();
  right<double, 5, 1, 30>();
}

BOOST_AUTO_TEST_CASE(packed_in_several_parts) {
  right<float, 60, 210, 530>();  // two parts of the sum, two of the columns
  right<float, 600, 150, 40>();  // rows in parts, a packed too
  right<double, 130, 140, 260>();
}

#if defined(__SSE2__)  // elsewhere sizes of caches are constants
/// The product as a processor whose second cache level has so many bytes computes it.
template <int64_t M, int64_t N, int64_t K, bool TransposeA, bool TransposeB>
std::vector<float> product_with(int64_t second_cache) {
  auto const a = random_matrix<float>(M * K, 1), b = random_matrix<float>(K * N, 2);
  std::vector<float> c(static_cast<size_t>(M * N), NAN);
  int64_t const before = on_cpu::second_cache_bytes();
  on_cpu::detail::detected_caches.second = second_cache;
  on_cpu::contract<float, M, N, K, TransposeA, TransposeB>::run(a.data(), b.data(), c.data());
  on_cpu::detail::detected_caches.second = before;
  return c;
}
template <int64_t M, int64_t N, int64_t K, bool TransposeA, bool TransposeB>
void same_with_any_cache() {
  auto const large = product_with<M, N, K, TransposeA, TransposeB>(int64_t{4} << 20);
  for (int64_t const second : {std::int64_t{256} << 10, std::int64_t{32} << 10, std::int64_t{1}}) {
    auto const small = product_with<M, N, K, TransposeA, TransposeB>(second);
    BOOST_TEST(std::equal(large.begin(), large.end(), small.begin()),
               M << "x" << N << "x" << K << " with " << second << " bytes");
  }
}
BOOST_AUTO_TEST_CASE(any_second_cache_level_gives_the_same_bits) {
  same_with_any_cache<601, 301, 433, false, false>();
  same_with_any_cache<601, 301, 433, true, false>();
  same_with_any_cache<601, 301, 433, false, true>();
  same_with_any_cache<400, 300, 600, false, false>();
  same_with_any_cache<150, 300, 600, true, false>();
  same_with_any_cache<97, 130, 700, false, true>();
}
#endif

BOOST_AUTO_TEST_CASE(narrow_registers) {
  using narrow = on_cpu::detail::instruction_set_of_width<16>;
  right<float, 13, 23, 11, narrow>();
  right<float, 1, 23, 11, narrow>();
  right<double, 7, 9, 10, narrow>();
  right<float, 50, 100, 70, narrow>();
}

}  // namespace
