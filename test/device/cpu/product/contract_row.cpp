// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE device_cpu_product_contract_row
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include <espalier/base/philox.hpp>
#include <espalier/device/cpu/product/contract.hpp>
#include <espalier/device/cpu/product/contract_row.hpp>

namespace on_cpu = espalier::on_cpu;

namespace {

// Buffers of exactly the size that is asked for, so that the address sanitizer sees any access outside.
template <class T>
std::vector<T> random_numbers(int size, std::uint64_t key) {
  std::vector<T> x(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i)
    x[static_cast<std::size_t>(i)] = T(2) * espalier::uniform_from_bits<T>(espalier::philox_bits(i, key, 0)) - T(1);
  return x;
}

/// Twice the sum plus a bias, and how often each column was finished.
template <class T, class Arch>
struct twice_plus {
  T const* bias;
  T* out;
  int* finished;
  template <int Count>
  void operator()(on_cpu::pack<T, Arch> sum, std::int64_t row, std::int64_t column) const {
    static_assert(Count >= 1 && Count <= on_cpu::pack<T, Arch>::size);
    (sum + sum + on_cpu::pack<T, Arch>::template load_first<Count>(bias + column))
        .template store_first<Count>(out + column);
    for (int i = 0; i < Count; ++i) finished[column + i] += row == 0 ? 1 : 1000;
  }
};

template <class T, int K, int N, class Arch = on_cpu::default_arch>
void right() {
  auto const x = random_numbers<T>(K, 1), w = random_numbers<T>(K * N, 2), bias = random_numbers<T>(N, 3);
  std::vector<T> y(static_cast<std::size_t>(N), T(NAN));
  std::vector<int> finished(static_cast<std::size_t>(N));
  on_cpu::contract_row<T, K, N, Arch>::run(x.data(), w.data(),
                                           twice_plus<T, Arch>{bias.data(), y.data(), finished.data()});
  double worst = 0;
  for (std::size_t j = 0; j < static_cast<std::size_t>(N); ++j) {
    double sum = static_cast<double>(bias[j]), magnitude = std::fabs(sum);
    for (std::size_t k = 0; k < static_cast<std::size_t>(K); ++k) {
      double const term = 2 * static_cast<double>(x[k]) * static_cast<double>(w[k * static_cast<std::size_t>(N) + j]);
      sum += term;
      magnitude += std::fabs(term);
    }
    double const off = std::fabs(static_cast<double>(y[j]) - sum) / (magnitude * (sizeof(T) == 4 ? 6e-8 : 1.2e-16));
    worst = std::isnan(off) ? 1e9 : std::fmax(worst, off);
    BOOST_TEST(finished[j] == 1);
  }
  BOOST_TEST(worst <= 2 + std::sqrt(static_cast<double>(K)),
             K << "x" << N << ", " << sizeof(T) << " bytes, registers of " << Arch::bytes);
}
/// A part of a register of columns, a register and a part, several; sums that end anywhere.
template <class T, class Arch = on_cpu::default_arch>
void some_right() {
  right<T, 1, 1, Arch>();
  right<T, 37, 1, Arch>();
  right<T, 19, 2, Arch>();
  right<T, 5, 3, Arch>();
  right<T, 8, 4, Arch>();
  right<T, 3, 21, Arch>();
}

}  // namespace

BOOST_AUTO_TEST_CASE(sums_of_floats) {
  some_right<float>();
  right<float, 64, 1>();
  right<float, 64, 10>();
  right<float, 16, 32>();
  right<float, 3, 300>();
  right<float, 300, 16>();
}
BOOST_AUTO_TEST_CASE(sums_of_doubles) { some_right<double>(); }
/// Matrices beyond the caches: one and several tiles of columns, a part of a register, rows that four do not divide.
BOOST_AUTO_TEST_CASE(large_matrices) {
  right<float, 270, 256>();
  right<float, 111, 777>();
  right<float, 39, 2050>();
  right<double, 70, 515>();
  right<float, 37, 1801, on_cpu::detail::instruction_set_of_width<16>>();
}
namespace {
/// The sums of a product of several parts, computed in one direction.
template <class T, int K, int N, class Arch>
std::vector<T> sums(bool backwards) {
  auto const x = random_numbers<T>(K, 1), w = random_numbers<T>(K * N, 2);
  std::vector<T> y(static_cast<std::size_t>(N), T(NAN));
  on_cpu::contract_row<T, K, N, Arch>::run(x.data(), w.data(), on_cpu::detail::row_store<T, Arch>{y.data()}, backwards);
  return y;
}
template <class T, int K, int Vectors, int Bytes, int Parts>
void same_in_both_directions() {
  using arch = on_cpu::detail::instruction_set_of_width<Bytes>;
  constexpr int most = on_cpu::detail::register_count<arch> / 2, vectors = Vectors < most ? Vectors : most,
                n = vectors * on_cpu::pack<T, arch>::size - 1;
  if constexpr (on_cpu::contract_row<T, K, n, arch>::parts == Parts) {
    right<T, K, n, arch>();
    BOOST_TEST((sums<T, K, n, arch>(true)) == (sums<T, K, n, arch>(false)), boost::test_tools::per_element());
  } else {
    BOOST_TEST(vectors != Vectors, "with that many registers the product has " << Parts << " parts");
  }
}
}  // namespace
// A matrix that the L1 cache does not hold is read in parts.
BOOST_AUTO_TEST_CASE(parts_in_either_direction) {
  same_in_both_directions<float, 300, 8, 16, 2>();
  same_in_both_directions<float, 500, 8, 16, 4>();
  same_in_both_directions<float, 502, 8, 16, 2>();
  same_in_both_directions<double, 300, 8, 16, 2>();
#if defined(__AVX512F__)
  same_in_both_directions<float, 64, 12, 64, 2>();
  same_in_both_directions<float, 64, 16, 64, 4>();
  same_in_both_directions<float, 62, 16, 64, 2>();
  same_in_both_directions<double, 64, 12, 64, 2>();
#endif
}
BOOST_AUTO_TEST_CASE(some_terms_of_a_large_row) {
  constexpr int terms = 283, most = 300, columns = 301;
  auto const x = random_numbers<float>(most, 1), w = random_numbers<float>(most * columns, 2);
  std::vector<float> exact(static_cast<std::size_t>(columns), NAN), some = exact;
  using product = on_cpu::contract<float, 1, columns, terms, true, false>;
  using bounded = on_cpu::contract<float, 1, columns, most, true, false>;
  static_assert(bounded::term_class(terms) == bounded::term_class(most));
  static_assert(bounded::term_class(terms) != bounded::term_class(200));  // small enough for the caches
  product::run(x.data(), w.data(), exact.data());
  bounded::on_stack own;
  bounded::run_terms(own, x.data(), w.data(), some.data(), terms, on_cpu::detail::no_epilogue{});
  BOOST_TEST(exact == some, boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(narrower_registers) {
  some_right<float, on_cpu::detail::instruction_set_of_width<16>>();
#if defined(__AVX__)
  some_right<float, on_cpu::detail::instruction_set_of_width<32>>();
#endif
}
