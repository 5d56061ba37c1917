// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE device_cpu_product_contract_int8
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <espalier/device/cpu/product/contract_int8.hpp>

#include "support/int8_sums.hpp"

using test::keep_sums;
namespace on_cpu = espalier::on_cpu;
using on_cpu::detail::int8_method, on_cpu::detail::int8_types;

namespace {

using arch = on_cpu::default_arch;
using types = int8_types<arch>;
using element = types::element;

/// A row of numbers that is indexed with ints.
template <class T>
struct row_of : std::vector<T> {
  explicit row_of(std::int64_t count, T fill = {}) : std::vector<T>(static_cast<std::size_t>(count), fill) {}
  T& operator[](std::int64_t i) { return std::vector<T>::at(static_cast<std::size_t>(i)); }
  T const& operator[](std::int64_t i) const { return std::vector<T>::at(static_cast<std::size_t>(i)); }
};

test::random_integers random_between{5};

/// Activations and weights of a range, so that the extremes are all of them.
struct range {
  int low_a, high_a, low_b, high_b;
};
constexpr range ranges[] = {
    {0, 255, -128, 127}, {255, 255, -128, -128}, {255, 255, 127, 127}, {0, 1, -1, 1}, {0, 0, -128, 127}};

template <int M, int N, int K>
void check_matrix() {
  using rows = on_cpu::matrix_rows_of_int8<K, types::step>;
  using product = on_cpu::contract_int8<arch, rows, M, N>;
  for (range const& r : ranges) {
    row_of<int> a(M * K), start(product::columns);
    row_of<std::int8_t> b(K * N);
    for (int& x : a) x = random_between(r.low_a, r.high_a);
    for (std::int8_t& x : b) x = static_cast<std::int8_t>(random_between(r.low_b, r.high_b));
    for (int& x : start) x = random_between(-100000, 100000);
    // What lies behind a row counts nothing, whatever it is.
    row_of<element> left(M * rows::stride + 64, element{77});
    for (int i = 0; i < M; ++i)
      for (int k = 0; k < K; ++k) left[i * rows::stride + k] = static_cast<element>(a[i * K + k] - types::offset);
    row_of<types::weight> packed(product::packed_size);
    product::pack(packed.data(), [&](std::int64_t k, std::int64_t j) { return b[k * N + j]; });
    row_of<std::int32_t> from(product::columns), y(M * N, 12345);
    for (int j = 0; j < product::columns; ++j) from[j] = start[j];
    for (int j = 0; j < N; ++j)
      for (int k = 0; k < K; ++k) from[j] += types::offset * b[k * N + j];
    product::run(left.data(), packed.data(), from.data(), keep_sums{y.data(), N});
    int wrong = 0;
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) {
        std::int64_t sum = start[j];
        for (int k = 0; k < K; ++k) sum += a[i * K + k] * b[k * N + j];
        wrong += sum != y[i * N + j];
      }
    BOOST_TEST(wrong == 0, "M " << M << ", N " << N << ", K " << K << ": " << wrong << " sums differ");
  }
}

/// Windows of 3x3, in three lines, over a padded image of C channels.
template <int C, int Columns = 4>
struct windows {
  static constexpr int columns = Columns, width = columns + 2, runs = 3, run = 3 * C, line = columns, apart = C;
  static constexpr std::int64_t run_at(int r) { return std::int64_t{r} * width * C; }
  static std::int64_t row_at(std::int64_t i) { return (i / columns * width + i % columns) * C; }
};
template <int C, int N, int Columns = 4>
void check_windows() {
  using rows = windows<C, Columns>;
  constexpr int count = 3 * Columns, width = rows::width;
  using product = on_cpu::contract_int8<arch, rows, count, N>;
  row_of<element> image(5 * width * C + 64);
  row_of<int> q(5 * width * C + 64);
  for (int i = 0; i < 5 * width * C + 64; ++i) {
    q[i] = random_between(0, 255);
    image[i] = static_cast<element>(q[i] - types::offset);
  }
  row_of<std::int8_t> b(9 * C * N);
  for (std::int8_t& x : b) x = static_cast<std::int8_t>(random_between(-128, 127));
  row_of<types::weight> packed(product::packed_size);
  product::pack(packed.data(), [&](std::int64_t k, std::int64_t j) { return b[k * N + j]; });
  row_of<std::int32_t> from(product::columns), y(count * N);
  for (int j = 0; j < N; ++j)
    for (int k = 0; k < 9 * C; ++k) from[j] += types::offset * b[k * N + j];
  product::run(image.data(), packed.data(), from.data(), keep_sums{y.data(), N});
  int wrong = 0;
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < N; ++j) {
      std::int64_t sum = 0;
      for (int u = 0; u < 3; ++u)
        for (int v = 0; v < 3; ++v)
          for (int c = 0; c < C; ++c)
            sum += q[((i / Columns + u) * width + i % Columns + v) * C + c] * b[((u * 3 + v) * C + c) * N + j];
      wrong += sum != y[i * N + j];
    }
  BOOST_TEST(wrong == 0, "C " << C << ", N " << N << ", columns " << Columns << ": " << wrong << " sums differ");
}

/// The same windows with a tap for each run.
template <int C>
struct taps {
  static constexpr int runs = 9, run = C, line = 4, apart = C;
  static constexpr std::int64_t run_at(int r) { return (r / 3 * 6 + r % 3) * std::int64_t{C}; }
  static std::int64_t row_at(std::int64_t i) { return windows<C>::row_at(i); }
};
template <int C>
void check_taps() {
  using product = on_cpu::tap_sums_int8<arch, taps<C>>;
  row_of<element> image(5 * 6 * C + 64);
  row_of<int> q(5 * 6 * C + 64);
  for (int i = 0; i < 5 * 6 * C + 64; ++i) {
    q[i] = random_between(0, 255);
    image[i] = static_cast<element>(q[i] - types::offset);
  }
  row_of<std::int8_t> w(9 * C);
  for (std::int8_t& x : w) x = static_cast<std::int8_t>(random_between(-128, 127));
  row_of<std::int32_t> packed(product::packed_size), from(product::columns), y(12 * C);
  product::pack(packed.data(), [&](int t, int c) { return w[t * C + c]; });
  for (int c = 0; c < C; ++c)
    for (int t = 0; t < 9; ++t) from[c] += types::offset * w[t * C + c];
  product::run(image.data(), packed.data(), from.data(), keep_sums{y.data(), C}, 12);
  int wrong = 0;
  for (int i = 0; i < 12; ++i)
    for (int c = 0; c < C; ++c) {
      std::int64_t sum = 0;
      for (int t = 0; t < 9; ++t) sum += q[((i / 4 + t / 3) * 6 + i % 4 + t % 3) * C + c] * w[t * C + c];
      wrong += sum != y[i * C + c];
    }
  BOOST_TEST(wrong == 0, "C " << C << ": " << wrong << " sums differ");
}

}  // namespace

BOOST_AUTO_TEST_CASE(products_are_those_of_a_loop_of_integers) {
  check_matrix<1, 1, 1>();
  check_matrix<1, 10, 37>();
  // Sums of every second, fourth and eighth step, and of all.
  check_matrix<1, 64, 64>();
  check_matrix<1, 33, 75>();
  check_matrix<1, 9, 1001>();
  check_matrix<1, 9, 1000>();
  check_matrix<1, 30, 80>();
  check_matrix<2, 130, 64>();
  check_matrix<3, 33, 5>();
  check_matrix<7, 16, 255>();
  check_matrix<13, 70, 130>();
  check_matrix<64, 65, 31>();
}

BOOST_AUTO_TEST_CASE(products_of_windows_read_the_image_in_place) {
  check_windows<1, 8>();
  check_windows<3, 20>();
  check_windows<16, 65>();
  check_windows<8, 32, 14>();  // a block is a line, or half a line
  check_windows<4, 16, 28>();
  check_windows<2, 16, 15>();
}

BOOST_AUTO_TEST_CASE(sums_over_taps_are_those_of_a_loop_of_integers) {
  check_taps<1>();
  check_taps<19>();
  check_taps<64>();
}

/// Round to the nearest even, and cut at 0 and 255, in vectors as one by one.
BOOST_AUTO_TEST_CASE(activations_are_rounded_to_the_nearest_even) {
  for (int zero_point : {0, 3, 128, 255}) {
    on_cpu::detail::int8_scale const by{0.25f, 4.0f, zero_point};
    std::vector<float> x;
    for (int i = -1100; i <= 1100; ++i) x.push_back(static_cast<float>(i) / 8 / 4);
    for (float far : {1e30f, -1e30f, 0.1249999f, 0.1250001f, -0.0f, std::numeric_limits<float>::infinity(),
                      -std::numeric_limits<float>::infinity()})
      x.push_back(far);
    row_of<element> q(static_cast<std::int64_t>(x.size()));
    on_cpu::detail::quantize_run<arch>(q.data(), x.data(), static_cast<std::int64_t>(x.size()), by);
    int wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      double const rounded = std::nearbyint(static_cast<double>(x[i]) * 4) + zero_point;
      int const expected = rounded < 0 ? 0 : rounded > 255 ? 255 : static_cast<int>(rounded);
      wrong += q[static_cast<std::int64_t>(i)] + types::offset != expected;
      wrong += on_cpu::detail::quantized_activation(x[i], by) != expected;
    }
    BOOST_TEST(wrong == 0, "zero point " << zero_point << ": " << wrong << " activations differ");
  }
}

BOOST_AUTO_TEST_CASE(results_are_scaled_and_not_negative_behind_relu) {
  std::vector<float> const scale(64, 0.5f);
  std::vector<float> y(64, -7);
  types::sums sum{};
  sum[0] = -3;
  constexpr int count = types::lanes < 2 ? 1 : 2;
  if (count == 2) sum[count - 1] = 5;
  float const second = count == 2 ? 2.5f : -7;
  on_cpu::int8_floats<arch, false>{scale.data(), y.data(), 8}(1, 2, sum, count);
  BOOST_TEST((y[9] == -7 && y[10] == -1.5f && y[11] == second && y[12] == -7));
  on_cpu::int8_floats<arch, true>{scale.data(), y.data(), 8}(1, 2, sum, count);
  BOOST_TEST((y[10] == 0 && y[11] == second));
}

#if defined(ESPALIER_SCALAR_REGISTERS)
static_assert(types::lanes == 1 && types::method == int8_method::pairs);
#elif defined(__AVX512VNNI__) || defined(__AVXVNNI__) || (defined(__ARM_FEATURE_DOTPROD) && defined(__aarch64__))
static_assert(types::method != int8_method::pairs);
#else
static_assert(types::method == int8_method::pairs);
#endif
