// SPDX-License-Identifier: BSL-1.0
// Large products go to the CBLAS that is linked, small ones do not, and both mean the same. Built with ESPALIER_CBLAS
// where there is one.
#define BOOST_TEST_MODULE device_cpu_product_contract_cblas
#include <boost/test/unit_test.hpp>

#include <espalier/device/cpu/product/contract.hpp>

#include <cmath>
#include <vector>

namespace cpu = espalier::on_cpu;

namespace {
static_assert(cpu::detail::by_cblas<float, 640, 656, 648> && !cpu::detail::by_cblas<float, 128, 512, 784>);
static_assert(!cpu::detail::by_cblas<float, 1, 32768, 32768>);

template <class T, int M, int N, int K, bool TransposeA, bool TransposeB>
void check() {
  std::vector<T> a(static_cast<std::size_t>(M) * K), b(static_cast<std::size_t>(K) * N),
      c(static_cast<std::size_t>(M) * N, T(-1));
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<T>(i * 7 % 13) - 6;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<T>(i * 5 % 11) - 5;
  std::int64_t finished = 0;
  cpu::contract<T, M, N, K, TransposeA, TransposeB>::run(
      a.data(), b.data(), c.data(),
      [&](std::int64_t, std::int64_t rows, std::int64_t, std::int64_t columns) { finished += rows * columns; });
  BOOST_TEST(finished == std::int64_t{M} * N);
  // Whole numbers: every order of a sum gives the same.
  for (int i = 0; i < M; i += 37)
    for (int j = 0; j < N; j += 41) {
      double sum = 0;
      for (int k = 0; k < K; ++k)
        sum += static_cast<double>(a[static_cast<std::size_t>(TransposeA ? k * M + i : i * K + k)] *
                                   b[static_cast<std::size_t>(TransposeB ? j * K + k : k * N + j)]);
      BOOST_TEST(static_cast<double>(c[static_cast<std::size_t>(i * N + j)]) == sum);
    }
}
}  // namespace

BOOST_AUTO_TEST_CASE(large_products) {
  check<float, 640, 656, 648, false, false>();
  check<float, 640, 656, 648, true, false>();
  check<float, 640, 656, 648, false, true>();
  check<double, 640, 656, 648, true, true>();
}
BOOST_AUTO_TEST_CASE(small_products_do_not_use_cblas) {
  check<float, 33, 40, 20, false, true>();
  check<double, 64, 10, 128, false, false>();
}
