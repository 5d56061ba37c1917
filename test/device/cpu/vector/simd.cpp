// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE device_cpu_vector_simd
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <espalier/base/math.hpp>
#include <espalier/base/philox.hpp>
#include <espalier/device/cpu/vector/simd.hpp>

namespace on_cpu = espalier::on_cpu;

namespace {

using narrow = on_cpu::detail::instruction_set_of_width<16>;
#if defined(__AVX__)
using middle = on_cpu::detail::instruction_set_of_width<32>;
#else
using middle = narrow;
#endif

template <class P>
struct lanes {
  typename P::value_type at[P::size];
  lanes(P x) { x.store(at); }
};

template <class P>
P some(double scale, std::uint64_t key) {
  using T = typename P::value_type;
  T x[P::size];
  for (int i = 0; i < P::size; ++i)
    x[i] = static_cast<T>(scale * (2 * espalier::uniform_from_bits<double>(espalier::philox_bits(i, key, 0)) - 1));
  return P::load(x);
}

/// f on packs agrees with g on numbers, lane by lane.
template <class P, class F, class G>
bool lanewise(F f, G g, P a, P b) {
  lanes<P> const x(a), y(b), got(f(a, b));
  for (int i = 0; i < P::size; ++i) {
    auto const expected = g(x.at[i], y.at[i]);
    if (!(got.at[i] == expected) && !(std::isnan(got.at[i]) && std::isnan(expected))) return false;
  }
  return true;
}

template <class P>
void arithmetic() {
  using T = typename P::value_type;
  P const a = some<P>(3, 1), b = some<P>(2, 2);
  BOOST_TEST(lanewise([](P x, P y) { return x + y; }, [](T x, T y) { return x + y; }, a, b));
  BOOST_TEST(lanewise([](P x, P y) { return x - y; }, [](T x, T y) { return x - y; }, a, b));
  BOOST_TEST(lanewise([](P x, P y) { return x * y; }, [](T x, T y) { return x * y; }, a, b));
  BOOST_TEST(lanewise([](P x, P y) { return x / y; }, [](T x, T y) { return x / y; }, a, b));
  BOOST_TEST(lanewise([](P x, P) { return -x; }, [](T x, T) { return -x; }, a, b));
  BOOST_TEST(lanewise([](P x, P) { return abs(x); }, [](T x, T) { return std::fabs(x); }, a, b));
  BOOST_TEST(lanewise([](P x, P) { return floor(x); }, [](T x, T) { return std::floor(x); }, a * 9, b));
  BOOST_TEST(lanewise([](P x, P) { return sqrt(abs(x)); }, [](T x, T) { return std::sqrt(std::fabs(x)); }, a, b));
  BOOST_TEST(
      lanewise([](P x, P y) { return pow(abs(x), y); }, [](T x, T y) { return std::pow(std::fabs(x), y); }, a, b));
  BOOST_TEST(lanewise([](P x, P) { return sin(x); }, [](T x, T) { return std::sin(x); }, a, b));
  BOOST_TEST(lanewise([](P x, P) { return cos(x); }, [](T x, T) { return std::cos(x); }, a, b));
#if defined(__FMA__) || defined(__aarch64__)
  BOOST_TEST(lanewise([](P x, P y) { return fma(x, y, P(-1)); }, [](T x, T y) { return std::fma(x, y, T(-1)); }, a, b));
#endif
  // Literals and scalars of other types mix in.
  BOOST_TEST(lanewise([](P x, P y) { return 2 * x + y / 2 - 0.5; },
                      [](T x, T y) { return T(2) * x + y / T(2) - T(0.5); }, P(3), P(5)));
  P sum = a;
  sum += b;
  sum *= P(T(2));
  BOOST_TEST(lanewise([&](P, P) { return sum; }, [](T x, T y) { return (x + y) * T(2); }, a, b));
  BOOST_TEST(std::signbit(P(T(-0.0))[0]));
}

template <class P>
void comparisons() {
  using T = typename P::value_type;
  T const nan = std::numeric_limits<T>::quiet_NaN();
  for (P a : {P(T(1)), P(T(2)), P(nan), some<P>(1, 3)}) {
    for (P b : {P(T(1)), P(T(2)), P(nan), some<P>(1, 4)}) {
      BOOST_TEST(lanewise([](P x, P y) { return to_number(x < y); }, [](T x, T y) { return T(x < y); }, a, b));
      BOOST_TEST(lanewise([](P x, P y) { return to_number(x <= y); }, [](T x, T y) { return T(x <= y); }, a, b));
      BOOST_TEST(lanewise([](P x, P y) { return greater(x, y); }, [](T x, T y) { return T(x > y); }, a, b));
      BOOST_TEST(lanewise([](P x, P y) { return greater_equal(x, y); }, [](T x, T y) { return T(x >= y); }, a, b));
      BOOST_TEST(lanewise([](P x, P y) { return equal(x, y); }, [](T x, T y) { return T(x == y); }, a, b));
      BOOST_TEST(lanewise([](P x, P y) { return not_equal(x, y); }, [](T x, T y) { return T(x != y); }, a, b));
      BOOST_TEST(lanewise([](P x, P y) { return select((x < y) | !(x == x), x, y + 1); },
                          [](T x, T y) { return x < y || x != x ? x : y + T(1); }, a, b));
      BOOST_TEST(lanewise([](P x, P y) { return select(less_equal(x, y), x, y + 1); },
                          [](T x, T y) { return x <= y ? x : y + T(1); }, a, b));
      BOOST_TEST(lanewise([](P x, P y) { return maximum(x, y); },
                          [](T x, T y) { return espalier::math::maximum(x, y); }, a, b));
      BOOST_TEST(lanewise([](P x, P y) { return minimum(x, y); },
                          [](T x, T y) { return espalier::math::minimum(x, y); }, a, b));
    }
  }
}

template <class P, int N>
void first_lanes() {
  using T = typename P::value_type;
  std::vector<T> in(N), out(N + 1, T(7));  // exactly N numbers may be read
  for (int i = 0; i < N; ++i) in[static_cast<std::size_t>(i)] = T(i + 1);
  P const x = P::template load_first<N>(in.data());
  x.template store_first<N>(out.data());
  std::vector<T> exact(N);
  x.template store_first<N>(exact.data());
  bool good = exact == in && out[N] == T(7);
  lanes<P> const all(x), which(to_number(P::template first_lanes<N>()));
  for (int i = 0; i < P::size; ++i)
    good = good && all.at[i] == (i < N ? T(i + 1) : T(0)) && which.at[i] == (i < N ? T(1) : T(0));
  BOOST_TEST(good, "first " << N << " of " << P::size);
  if constexpr (N < P::size) first_lanes<P, N + 1>();
}

template <class P>
void across_lanes() {
  using T = typename P::value_type;
  lanes<P> const x(some<P>(5, 6));
  double sum = 0;
  T most = x.at[0], least = x.at[0];
  for (T each : x.at) sum += static_cast<double>(each), most = std::fmax(most, each), least = std::fmin(least, each);
  BOOST_TEST(std::fabs(static_cast<double>(reduce_add(P::load(x.at))) - sum) < 1e-5);
  BOOST_TEST(reduce_max(P::load(x.at)) == most);
  BOOST_TEST(reduce_min(P::load(x.at)) == least);
  for (int i = 0; i < P::size; ++i) {
    lanes<P> holed(x);
    holed.at[i] = std::numeric_limits<T>::quiet_NaN();
    BOOST_TEST(std::isnan(reduce_max(P::load(holed.at))));
    BOOST_TEST(std::isnan(reduce_min(P::load(holed.at))));
  }
  lanes<P> const count(P::iota(T(3)));
  for (int i = 0; i < P::size; ++i) BOOST_TEST(count.at[i] == T(3 + i));
}

template <class P>
void all() {
  arithmetic<P>();
  comparisons<P>();
  first_lanes<P, 0>();
  across_lanes<P>();
}

BOOST_AUTO_TEST_CASE(widest_registers) {
  all<on_cpu::pack<float>>();
  all<on_cpu::pack<double>>();
}
BOOST_AUTO_TEST_CASE(middle_registers) {
  all<on_cpu::pack<float, middle>>();
  all<on_cpu::pack<double, middle>>();
}
BOOST_AUTO_TEST_CASE(narrow_registers) {
  all<on_cpu::pack<float, narrow>>();
  all<on_cpu::pack<double, narrow>>();
}

/// Distance in units of the last place of the exact value, 1e9 where a special value is missed; subnormal results may
/// be off by the smallest normal.
template <class T>
double ulps(T got, long double expected) {
  auto const rounded = static_cast<T>(expected);
  if (std::isnan(rounded) || std::isinf(rounded))
    return (std::isnan(rounded) ? std::isnan(got) : got == rounded) ? 0 : 1e9;
  T const magnitude = std::fabs(rounded);
  if (magnitude < std::numeric_limits<T>::min())
    return std::fabs(got - rounded) <= std::numeric_limits<T>::min() ? 0 : 1e9;
  long double const unit = std::nextafter(magnitude, std::numeric_limits<T>::infinity()) - magnitude;
  return std::isnan(got) ? 1e9 : static_cast<double>(std::fabs((static_cast<long double>(got) - expected) / unit));
}

/// The worst error over n arguments between low and high, evenly spread themselves or in magnitude (with both signs).
template <class P, class F, class G>
double worst(F f, G g, double low, double high, bool magnitudes) {
  using T = typename P::value_type;
  double most = 0;
  constexpr int n = sizeof(T) == 4 ? 200000 : 50000;
  for (int i = 0; i < n; i += P::size) {
    T x[P::size];
    for (int lane = 0; lane < P::size; ++lane) {
      double const where =
          low + (high - low) * espalier::uniform_from_bits<double>(espalier::philox_bits(i + lane, 7, 0));
      x[lane] = static_cast<T>(magnitudes ? std::exp(where) : where);
      if (magnitudes && (i + lane) % 2 != 0) x[lane] = -x[lane];
    }
    lanes<P> const y(f(P::load(x)));
    for (int lane = 0; lane < P::size; ++lane)
      most = std::fmax(most, ulps(y.at[lane], g(static_cast<long double>(x[lane]))));
  }
  return most;
}

template <class P>
void accurate() {
  using T = typename P::value_type;
  bool const single = sizeof(T) == 4;
  double const top = single ? 89 : 710, bottom = single ? -88 : -709;
  auto const e = [](P x) { return exp(x); };
  auto const l = [](P x) { return log(x); };
  auto const t = [](P x) { return tanh(x); };
  auto const s = [](P x) { return sigmoid(x); };
  auto const exact_e = [](long double x) { return std::exp(x); };
  auto const exact_l = [](long double x) { return std::log(x); };
  auto const exact_t = [](long double x) { return std::tanh(x); };
  auto const exact_s = [](long double x) { return 1 / (1 + std::exp(-x)); };
  BOOST_TEST(worst<P>(e, exact_e, bottom, top, false) <= 3);
  BOOST_TEST(worst<P>(e, exact_e, -40, 6, true) <= 3);
  BOOST_TEST(worst<P>([&](P x) { return l(abs(x)); }, [&](long double x) { return exact_l(std::fabs(x)); }, bottom - 10,
                      top - 1, true) <= 3);
  BOOST_TEST(worst<P>(l, exact_l, 0.5, 2, false) <= 3);
  BOOST_TEST(worst<P>(t, exact_t, -20, 20, false) <= 3);
  BOOST_TEST(worst<P>(t, exact_t, -80, 5, true) <= 3);
  BOOST_TEST(worst<P>(s, exact_s, bottom, 60, false) <= 3);
  BOOST_TEST(worst<P>(s, exact_s, -40, 4, true) <= 3);

  using limits = std::numeric_limits<T>;
  T const inf = limits::infinity(), nan = limits::quiet_NaN();
  for (T x : {T(0), T(-0.0), inf, -inf, nan, T(-1), T(1), -limits::denorm_min(), limits::min(), limits::denorm_min(),
              limits::min() / 4, limits::max(), limits::lowest(), T(bottom - 5), T(bottom - 50), T(-1e9)}) {
    auto const exact = static_cast<long double>(x);
    BOOST_TEST(ulps(e(P(x))[0], exact_e(exact)) <= 3, "exp " << x);
    BOOST_TEST(ulps(l(P(x))[0], exact_l(exact)) <= 3, "log " << x);
    BOOST_TEST(ulps(t(P(x))[0], exact_t(exact)) <= 3, "tanh " << x);
    BOOST_TEST(ulps(s(P(x))[0], exact_s(exact)) <= 3, "sigmoid " << x);
    BOOST_TEST(std::signbit(t(P(x))[0]) == std::signbit(x), "sign of tanh " << x);
    BOOST_TEST(ulps(floor(P(x))[0], std::floor(exact)) == 0, "floor " << x);
  }
}

BOOST_AUTO_TEST_CASE(accuracy_of_float) {
  accurate<on_cpu::pack<float>>();
  accurate<on_cpu::pack<float, narrow>>();
}
BOOST_AUTO_TEST_CASE(accuracy_of_double) {
  accurate<on_cpu::pack<double>>();
  accurate<on_cpu::pack<double, narrow>>();
}

}  // namespace
