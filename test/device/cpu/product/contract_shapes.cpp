// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE device_cpu_product_contract_shapes
#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <vector>

#include <espalier/device/cpu/product/contract.hpp>

namespace on_cpu = espalier::on_cpu;
using std::int64_t;
using std::size_t;

namespace {

/// Small whole numbers: sums are exact, so every order of them gives the same bits.
template <class T>
std::vector<T> whole_numbers(int64_t size, int64_t step) {
  std::vector<T> x(static_cast<size_t>(size));
  for (int64_t i = 0; i < size; ++i) x[static_cast<size_t>(i)] = static_cast<T>(i * step % 17 - 8);
  return x;
}

constexpr int64_t margin = 64;

/// A matrix with numbers around it that must stay.
template <class T>
struct guarded {
  std::vector<T> all;
  explicit guarded(int64_t size) : all(static_cast<size_t>(size + 2 * margin), T(77)) {}
  T* data() { return all.data() + margin; }
  T operator[](int64_t i) const { return all[static_cast<size_t>(margin + i)]; }
  bool margins_stay() const {
    bool stay = true;
    for (size_t i = 0; i < static_cast<size_t>(margin); ++i)
      stay = stay && all[i] == T(77) && all[all.size() - 1 - i] == T(77);
    return stay;
  }
};

/// Counts how often each element is visited, and changes it: nothing may read or write it afterwards.
template <class T>
struct doubled {
  std::vector<int>& visits;
  T* c;
  int64_t columns;
  void operator()(int64_t row, int64_t rows, int64_t column, int64_t count) const {
    for (int64_t i = row; i < row + rows; ++i)
      for (int64_t j = column; j < column + count; ++j) {
        ++visits[static_cast<size_t>(i * columns + j)];
        c[i * columns + j] = T(2) * c[i * columns + j] + T(1);
      }
  }
};

/// The number of wrong elements of the product, of the product with something after it, and of its parts in reverse.
template <class T, int64_t M, int64_t N, int64_t K, bool TransposeA, bool TransposeB, class Arch>
int wrong() {
  using matrices = on_cpu::contract<T, M, N, K, TransposeA, TransposeB, Arch>;
  static_assert(matrices::room_size * sizeof(T) <= 448 * 1024);
  auto const a = whole_numbers<T>(M * K, 7919), b = whole_numbers<T>(K * N, 104729);
  guarded<T> plain(M * N), followed(M * N), parted(M * N);
  std::vector<int> visits(static_cast<size_t>(M * N)),
      part_visits(static_cast<size_t>(M * N), matrices::parts > 1 ? 0 : 1);
  matrices::run(a.data(), b.data(), plain.data());
  matrices::run(a.data(), b.data(), followed.data(), doubled<T>{visits, followed.data(), N});
  if constexpr (matrices::parts > 1)
    for (int which = matrices::parts - 1; which >= 0; --which)
      matrices::part(a.data(), b.data(), parted.data(), doubled<T>{part_visits, parted.data(), N}, which);
  else parted = followed;
  int count = !plain.margins_stay() + !followed.margins_stay() + !parted.margins_stay();
  for (int64_t i = 0; i < M; ++i)
    for (int64_t j = 0; j < N; ++j) {
      T sum = 0;
      for (int64_t k = 0; k < K; ++k)
        sum += a[static_cast<size_t>(TransposeA ? k * M + i : i * K + k)] *
               b[static_cast<size_t>(TransposeB ? j * K + k : k * N + j)];
      size_t const at = static_cast<size_t>(i * N + j);
      count += plain[i * N + j] != sum || followed[i * N + j] != T(2) * sum + T(1) ||
               parted[i * N + j] != followed[i * N + j] || visits[at] != 1 || part_visits[at] != 1;
    }
  return count;
}

template <class T, int64_t M, int64_t N, int64_t K, class Arch = on_cpu::default_arch>
void right() {
  BOOST_TEST((wrong<T, M, N, K, false, false, Arch>()) == 0, M << "x" << N << "x" << K);
  BOOST_TEST((wrong<T, M, N, K, true, false, Arch>()) == 0, M << "x" << N << "x" << K << " a transposed");
  BOOST_TEST((wrong<T, M, N, K, false, true, Arch>()) == 0, M << "x" << N << "x" << K << " b transposed");
  BOOST_TEST((wrong<T, M, N, K, true, true, Arch>()) == 0, M << "x" << N << "x" << K << " both transposed");
}
template <class T, int64_t M, int64_t K, int64_t... N>
void each_column_count() {
  (right<T, M, N, K>(), ...);
}

BOOST_AUTO_TEST_CASE(small) {
  each_column_count<float, 1, 5, 1, 2, 7, 16, 33>();
  each_column_count<float, 2, 9, 1, 3, 17>();
  each_column_count<float, 5, 1, 1, 4, 31>();
  each_column_count<float, 9, 6, 1, 8, 15, 18>();
  each_column_count<float, 17, 3, 1, 5, 12, 49>();
  each_column_count<double, 1, 4, 1, 9>();
  each_column_count<double, 7, 5, 1, 3, 11>();
  each_column_count<double, 19, 2, 4, 17>();
}

BOOST_AUTO_TEST_CASE(beyond_the_first_cache) {
  right<float, 64, 128, 784>();
  right<float, 100, 10, 784>();
  right<float, 49, 203, 300>();
  right<double, 49, 99, 301>();
}

BOOST_AUTO_TEST_CASE(beyond_the_second_cache) {
  right<float, 301, 310, 531>();  // a and b packed, parts of rows
  right<float, 131, 515, 513>();  // parts of columns
  right<double, 133, 259, 270>();
}

BOOST_AUTO_TEST_CASE(many_rows) {
  right<float, 515, 205, 403>();  // two parts of the sum, parts of rows, a last vector with few lanes
  right<float, 520, 592, 130>();  // a vector left over, parts of columns
  right<double, 513, 96, 203>();
  right<float, 518, 71, 407, on_cpu::detail::instruction_set_of_width<16>>();
}

}  // namespace
