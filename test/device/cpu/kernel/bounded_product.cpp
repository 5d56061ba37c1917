// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE device_cpu_kernel_bounded_product
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <vector>

#include <espalier/device/cpu/kernel/bounded_product.hpp>

namespace esp = espalier;
namespace on_cpu = espalier::on_cpu;
using esp::shape;

namespace {
std::vector<double> numbers(std::int64_t count, double seed) {
  std::vector<double> r(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < r.size(); ++i) r[i] = std::sin(seed + 0.7 * static_cast<double>(i));
  return r;
}
constexpr std::uint64_t as_stored = 0, of_transposed_a = 1, of_transposed_b = 2;

/// y[m, n] = a[m, k] b[k, n] for the first m of Most * Each rows. What follows y must not change.
template <int Most, int Each, int N, int K, std::uint64_t Transposes>
void check_rows() {
  constexpr int rows = Most * Each;
  using kernel = on_cpu::product_kernel<double, shape<rows, K>,
                                        std::conditional_t<Transposes == of_transposed_b, shape<N, K>, shape<K, N>>,
                                        shape<rows, N>, Transposes, on_cpu::default_arch>;
  auto const a = numbers(rows * K, 1), b = numbers(N * K, 2);
  for (int count = 1; count <= Most; ++count) {
    int const m = count * Each;
    // Only the rows of these samples may be read.
    std::vector<double> const some(a.begin(), a.begin() + m * K);
    std::vector<double> y(static_cast<std::size_t>(m * N) + 1, 7.0);
    on_cpu::bounded_product<kernel, Most, Each>::some_rows(some.data(), b.data(), y.data(), count);
    double worst = 0;
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < N; ++j) {
        double expected = 0;
        for (int k = 0; k < K; ++k)
          expected += a[static_cast<std::size_t>(i * K + k)] *
                      b[static_cast<std::size_t>(Transposes == of_transposed_b ? j * K + k : k * N + j)];
        worst = std::fmax(worst, std::fabs(y[static_cast<std::size_t>(i * N + j)] - expected));
      }
    BOOST_TEST(worst < 1e-12, "rows " << m << " of " << N << " columns, " << K << " terms: " << worst);
    BOOST_TEST(y.back() == 7.0);
  }
}
/// y[m, n] = the sum over the first samples of a[k, m] b[k, n].
template <int Most, int Each, int M, int N>
void check_terms() {
  constexpr int terms = Most * Each;
  using kernel = on_cpu::product_kernel<double, shape<terms, M>, shape<terms, N>, shape<M, N>, of_transposed_a,
                                        on_cpu::default_arch>;
  auto const a = numbers(terms * M, 1), b = numbers(terms * N, 2);
  for (int count = 1; count <= Most; ++count) {
    int const k = count * Each;
    std::vector<double> const some_a(a.begin(), a.begin() + k * M), some_b(b.begin(), b.begin() + k * N);
    std::vector<double> y(static_cast<std::size_t>(M * N) + 1, 7.0);
    on_cpu::bounded_product<kernel, Most, Each>::some_terms(some_a.data(), some_b.data(), y.data(), count);
    double worst = 0;
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) {
        double expected = 0;
        for (int t = 0; t < k; ++t)
          expected += a[static_cast<std::size_t>(t * M + i)] * b[static_cast<std::size_t>(t * N + j)];
        worst = std::fmax(worst, std::fabs(y[static_cast<std::size_t>(i * N + j)] - expected));
      }
    BOOST_TEST(worst < 1e-11, M << " rows of " << N << " columns, " << k << " terms: " << worst);
    BOOST_TEST(y.back() == 7.0);
  }
}
}  // namespace

BOOST_AUTO_TEST_CASE(any_number_of_rows) {
  check_rows<40, 1, 10, 7, as_stored>();
  check_rows<70, 1, 33, 20, as_stored>();
  check_rows<9, 3, 5, 4, as_stored>();
  check_rows<20, 1, 1, 9, as_stored>();
  check_rows<20, 1, 6, 1, as_stored>();
  check_rows<60, 1, 130, 100, as_stored>();  // packed from 48 rows on
}
BOOST_AUTO_TEST_CASE(any_number_of_rows_times_a_transposed_matrix) {
  check_rows<40, 1, 10, 7, of_transposed_b>();
  check_rows<33, 2, 24, 64, of_transposed_b>();
  check_rows<20, 1, 1, 9, of_transposed_b>();
}
BOOST_AUTO_TEST_CASE(any_number_of_terms) {
  check_terms<40, 1, 20, 10>();
  check_terms<40, 1, 1, 10>();
  check_terms<40, 1, 1, 1>();
  check_terms<40, 1, 30, 1>();
  check_terms<40, 1, 3, 5>();
  check_terms<9, 4, 64, 40>();
  check_terms<70, 1, 200, 130>();  // packed
  check_terms<130, 5, 50, 16>();   // several blocks of terms
}
BOOST_AUTO_TEST_CASE(numbers_of_samples_share_code) {
  auto const classes = on_cpu::detail::find_extent_classes<64>(
      1, [](std::int64_t m) { return on_cpu::contract<float, 64, 128, 784, false, false>::row_class(m); });
  BOOST_TEST(classes.count < 40);
  for (int n = 1; n <= 64; ++n) BOOST_TEST(classes.largest[classes.of[n]] >= n);
}
