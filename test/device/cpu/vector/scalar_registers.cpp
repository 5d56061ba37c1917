// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE device_cpu_vector_scalar_registers
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include <espalier/base/philox.hpp>
#include <espalier/device/cpu/product/contract.hpp>
#include <espalier/device/cpu/product/contract_row.hpp>
#include <espalier/device/cpu/vector/simd.hpp>

// The tests of packs, products and kernels also run on these registers: test/meson.build compiles them with
// ESPALIER_SCALAR_REGISTERS. Here are what scalars and vectors have in common, and what only scalars have.

namespace on_cpu = espalier::on_cpu;

namespace {

using of_scalars = on_cpu::detail::scalars_of_width<16>;
using of_vectors = on_cpu::detail::vectors_of_width<16>;
template <class T>
using scalars = on_cpu::pack<T, of_scalars>;
template <class T>
using vectors = on_cpu::pack<T, of_vectors>;

template <class T>
T number(std::uint64_t key, int i, double scale) {
  return static_cast<T>(scale * (2 * espalier::uniform_from_bits<double>(espalier::philox_bits(i, key, 0)) - 1));
}
template <class P>
P some(std::uint64_t key, double scale) {
  typename P::value_type x[P::size];
  for (int i = 0; i < P::size; ++i) x[i] = number<typename P::value_type>(key, i, scale);
  return P::load(x);
}

/// The bits of a are those of b; of a NaN, the sign is no matter.
template <class T>
bool same_bits(scalars<T> a, vectors<T> b) {
  T left[scalars<T>::size], right[vectors<T>::size];
  a.store(left);
  b.store(right);
  for (int i = 0; i < scalars<T>::size; ++i)
    if (std::memcmp(left + i, right + i, sizeof(T)) != 0 && !(std::isnan(left[i]) && std::isnan(right[i])))
      return false;
  return true;
}
template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0 || (std::isnan(a) && std::isnan(b));
}

/// f of packs of scalars has the bits of f of packs of vectors.
template <class T, class F>
void same(char const* name, F f) {
  using limits = std::numeric_limits<T>;
  T const special[] = {
      T(0), -T(0), limits::infinity(), -limits::infinity(), limits::quiet_NaN(), limits::denorm_min(), limits::max(),
      T(1), T(-3)};
  for (std::uint64_t key = 0; key < 40; ++key)
    BOOST_TEST(same_bits(f(some<scalars<T>>(key, 6), some<scalars<T>>(key + 100, 2)),
                         f(some<vectors<T>>(key, 6), some<vectors<T>>(key + 100, 2))),
               name << " of numbers " << key << ", " << sizeof(T) << " bytes");
  for (T const x : special)
    for (T const y : special)
      BOOST_TEST(same_bits(f(scalars<T>(x), scalars<T>(y)), f(vectors<T>(x), vectors<T>(y))),
                 name << " of " << x << " and " << y << ", " << sizeof(T) << " bytes");
}

template <class T>
void operations() {
  same<T>("+", [](auto a, auto b) { return a + b; });
  same<T>("-", [](auto a, auto b) { return a - b; });
  same<T>("*", [](auto a, auto b) { return a * b; });
  same<T>("/", [](auto a, auto b) { return a / b; });
  same<T>("the opposite", [](auto a, auto) { return -a; });
  same<T>("fma", [](auto a, auto b) { return fma(a, b, b); });
  same<T>("sqrt", [](auto a, auto) { return sqrt(abs(a)); });
  same<T>("maximum", [](auto a, auto b) { return maximum(a, b); });
  same<T>("minimum", [](auto a, auto b) { return minimum(a, b); });
  same<T>("less", [](auto a, auto b) { return less(a, b); });
  same<T>("equal", [](auto a, auto b) { return equal(a, b); });
  same<T>("select", [](auto a, auto b) { return select((a < b) ^ (a == b), a, b); });
  same<T>("is_finite", [](auto a, auto b) { return is_finite(a * b); });
  same<T>("exp", [](auto a, auto) { return exp(a); });
  same<T>("log", [](auto a, auto b) { return log(a * b); });
  same<T>("tanh", [](auto a, auto) { return tanh(a); });
  same<T>("sigmoid", [](auto a, auto) { return sigmoid(a); });
  same<T>("erf", [](auto a, auto) { return erf(a); });
  same<T>("reduce_add", [](auto a, auto) { return decltype(a)(reduce_add(a)); });
  same<T>("reduce_max", [](auto a, auto b) { return decltype(a)(reduce_max(a + b)); });
  same<T>("iota", [](auto a, auto) { return decltype(a)::iota(a[0]); });
}

/// Loads and stores of N lanes: no other memory is read or written.
template <class T, int N>
void lanes() {
  using P = scalars<T>;
  std::vector<T> from(N), to(P::size, T(-1));
  for (int i = 0; i < N; ++i) from[static_cast<std::size_t>(i)] = T(i + 1);
  P const x = P::template load_first<N>(from.data());
  for (int i = 0; i < P::size; ++i) BOOST_TEST(x[i] == (i < N ? T(i + 1) : T(0)));
  x.template store_first<N>(to.data());
  for (int i = 0; i < P::size; ++i) BOOST_TEST(to[static_cast<std::size_t>(i)] == (i < N ? T(i + 1) : T(-1)));
  if constexpr (N < P::size) lanes<T, N + 1>();
}

/// Products of scalars agree with sums of doubles.
template <int M, int N, int K, bool TransposeB>
void product() {
  std::vector<float> a(M * K), b(K * N), c(M * N, -1);
  for (int i = 0; i < M * K; ++i) a[static_cast<std::size_t>(i)] = number<float>(1, i, 1);
  for (int i = 0; i < K * N; ++i) b[static_cast<std::size_t>(i)] = number<float>(2, i, 1);
  on_cpu::contract<float, M, N, K, false, TransposeB, of_scalars>::run(a.data(), b.data(), c.data());
  double worst = 0;
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      double sum = 0;
      for (int k = 0; k < K; ++k)
        sum += double{a[static_cast<std::size_t>(i * K + k)]} *
               double{b[static_cast<std::size_t>(TransposeB ? j * K + k : k * N + j)]};
      worst = std::fmax(worst, std::fabs(sum - double{c[static_cast<std::size_t>(i * N + j)]}));
    }
  BOOST_TEST(worst < 1e-7 * K, M << "x" << N << "x" << K);
}

}  // namespace

BOOST_AUTO_TEST_CASE(packs_of_scalars_have_the_bits_of_packs_of_vectors) {
  operations<float>();
  operations<double>();
}

BOOST_AUTO_TEST_CASE(some_lanes_are_loaded_and_stored) {
  lanes<float, 0>();
  lanes<double, 0>();
}

BOOST_AUTO_TEST_CASE(a_product_of_one_row_is_one_chain_of_sums) {
  constexpr int terms = 21, columns = 7;
  float x[terms], w[terms * columns], y[columns];
  for (int i = 0; i < terms; ++i) x[i] = number<float>(3, i, 1);
  for (int i = 0; i < terms * columns; ++i) w[i] = number<float>(4, i, 1);
  on_cpu::contract_row<float, terms, columns, of_scalars>::run(x, w, on_cpu::detail::row_store<float, of_scalars>{y});
  for (int j = 0; j < columns; ++j) {
    // With separate rounding, the order of scalars is that of vectors: four chains.
    constexpr int chains = on_cpu::detail::row_chains<of_scalars>(2);
    float sum[4] = {};
    for (int k = 0; k < terms; ++k)
      sum[k % chains] = on_cpu::detail::fused_lane(x[k], w[k * columns + j], sum[k % chains]);
    BOOST_TEST(same_bits(y[j], (sum[0] + sum[2]) + (sum[1] + sum[3])));
  }
}

BOOST_AUTO_TEST_CASE(products_of_scalars) {
  product<8, 16, 64, false>();
  product<8, 10, 16, true>();
  product<13, 27, 5, false>();
  product<3, 50, 33, true>();
  product<64, 40, 8, false>();
}

BOOST_AUTO_TEST_CASE(scalars_are_for_processors_without_vectors) {
  constexpr bool chosen = std::is_same_v<on_cpu::default_arch::architecture, on_cpu::scalar_registers>;
#if defined(__SSE2__) || defined(__aarch64__)
  // Unless the test is compiled for scalars.
#if defined(ESPALIER_SCALAR_REGISTERS)
  static_assert(chosen && on_cpu::default_arch::bytes == 16);
#else
  static_assert(!chosen);
#endif
#endif
  BOOST_TEST(chosen == !on_cpu::detail::has_vectors);
  // A translation unit with separate rounding, which adds in the order of vectors.
  using separate = on_cpu::instruction_set<on_cpu::scalar_registers, 16, 8192u>;
  using fused = on_cpu::instruction_set<on_cpu::scalar_registers, 16, 0u>;
  BOOST_TEST(on_cpu::detail::register_count<separate> == on_cpu::detail::register_count<of_vectors>);
  BOOST_TEST(on_cpu::detail::row_chains<separate>(1) == on_cpu::detail::row_chains<of_vectors>(1));
  BOOST_TEST(on_cpu::detail::register_count<fused> == 12);
  BOOST_TEST(on_cpu::detail::row_chains<fused>(1) == 1);
}
