// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE nn_initializer
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdint>
#include <string>

#include <espalier/nn/initializer.hpp>
#include <espalier/storage/tensor.hpp>

namespace init = espalier::nn::init;
using espalier::shape;
using espalier::span;
using espalier::tensor;

namespace {

using sample = tensor<double, shape<40000>>;

template <class Scheme>
sample filled(Scheme const& scheme, std::uint64_t seed = 1, std::uint32_t number = 0) {
  sample x;
  init::fill(scheme, x.span(), {seed, number});
  return x;
}

struct moments {
  double mean = 0, variance = 0, third = 0, fourth = 0, low = 0, high = 0;
};
moments moments_of(sample const& x) {
  moments m;
  m.low = m.high = x[0];
  for (double const v : x) {
    m.mean += v / static_cast<double>(x.size());
    m.low = std::fmin(m.low, v);
    m.high = std::fmax(m.high, v);
  }
  for (double const v : x) {
    double const d = v - m.mean;
    m.variance += d * d / static_cast<double>(x.size());
    m.third += d * d * d / static_cast<double>(x.size());
    m.fourth += d * d * d * d / static_cast<double>(x.size());
  }
  return m;
}

/// Five standard errors of the mean of 40,000 numbers with this deviation.
double slack(double deviation) { return 5 * deviation / 200; }

bool near(double a, double b, double within = 1e-7) { return std::fabs(a - b) <= within; }

template <class Scheme>
void check_uniform(Scheme const& scheme, double low, double high) {
  moments const m = moments_of(filled(scheme));
  double const width = high - low;
  BOOST_TEST(m.low >= low);
  BOOST_TEST(m.high < high);
  BOOST_TEST(m.low < low + width * 1e-3);
  BOOST_TEST(m.high > high - width * 1e-3);
  BOOST_TEST(near(m.mean, (low + high) / 2, slack(width / std::sqrt(12.0))));
  BOOST_TEST(near(m.variance, width * width / 12, 0.03 * width * width / 12));
}

template <class Scheme>
void check_normal(Scheme const& scheme, double mean, double deviation) {
  moments const m = moments_of(filled(scheme));
  double const v = deviation * deviation;
  BOOST_TEST(near(m.mean, mean, slack(deviation)));
  BOOST_TEST(near(m.variance, v, 0.04 * v));
  BOOST_TEST(near(m.third, 0, slack(deviation * v * std::sqrt(15.0))));
  BOOST_TEST(near(m.fourth, 3 * v * v, slack(v * v * std::sqrt(96.0))));
  BOOST_TEST(m.high < mean + 5.8 * deviation);
  BOOST_TEST(m.high > mean + 3 * deviation);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_given_number_becomes_an_element) {
  BOOST_TEST(near(init::uniform{-2, 3}.from_random(0.3019237714172709), -0.49038114291364554, 1e-15));
  BOOST_TEST(near(init::normal{1, 2}.from_random(-0.5), 0, 1e-15));
  BOOST_TEST(near(init::kaiming_normal{.fan_in = 4}.from_random(1.6243453636632417), 1.1485857));
  BOOST_TEST(near(init::kaiming_normal{4}.deviation(), 0.7071067811865476, 1e-15));
  BOOST_TEST(near(init::kaiming_uniform{.fan_in = 144}.from_random(0.75), 0.5 * std::sqrt(6.0 / 144), 1e-15));
  BOOST_TEST(
      near(init::xavier_normal{.fan_in = 5, .fan_out = 2, .gain = 2}.from_random(1.7886284734303186), 1.9121243));
  BOOST_TEST(near(init::xavier_normal{5, 2, 2}.deviation(), 1.0690449676496976, 1e-15));
  BOOST_TEST(
      near(init::xavier_uniform{.fan_in = 2, .fan_out = 6, .gain = 0.5}.from_random(0.43599490214200376), -0.05543004));
  BOOST_TEST(near(init::xavier_uniform{2, 6, 0.5}.bound(), 0.4330127018922193, 1e-15));
  BOOST_TEST(init::constant{3.5}.from_random(0.1f) == 3.5f);
  static_assert(init::zeros{}.from_random(0.7f) == 0 && init::ones{}.from_random(0.7) == 1);
}

BOOST_AUTO_TEST_CASE(bernoulli_includes_p) {
  static_assert(std::is_same_v<decltype(init::bernoulli{}.from_random(0.5)), bool>);
  static_assert(init::bernoulli{0.5}.from_random(0.5) && !init::bernoulli{0.5}.from_random(0.518) &&
                init::bernoulli{1}.from_random(0.99999));
  sample const x = filled(init::bernoulli{0.3});
  moments const m = moments_of(x);
  BOOST_TEST((m.low == 0.0 && m.high == 1.0));
  BOOST_TEST(near(m.mean, 0.3, slack(std::sqrt(0.21))));
  tensor<bool, shape<100>> mask;
  init::fill(init::bernoulli{0.3}, mask.span(), {1, 0});
  for (int i = 0; i < 100; ++i) BOOST_TEST(mask[i] == (x[i] == 1));
}

BOOST_AUTO_TEST_CASE(laws_of_the_uniform_ones) {
  check_uniform(init::uniform{}, 0, 1);
  check_uniform(init::uniform{-3, 5}, -3, 5);
  check_uniform(init::kaiming_uniform{64}, -std::sqrt(6.0 / 64), std::sqrt(6.0 / 64));
  check_uniform(init::kaiming_uniform{.fan_in = 64, .gain = 1}, -std::sqrt(3.0 / 64), std::sqrt(3.0 / 64));
  check_uniform(init::xavier_uniform{30, 20, 2}, -2 * std::sqrt(6.0 / 50), 2 * std::sqrt(6.0 / 50));
}

BOOST_AUTO_TEST_CASE(laws_of_the_normal_ones) {
  check_normal(init::normal{}, 0, 1);
  check_normal(init::normal{10, 0.1}, 10, 0.1);
  check_normal(init::kaiming_normal{64}, 0, std::sqrt(2.0 / 64));
  check_normal(init::xavier_normal{30, 20, 2}, 0, 2 * std::sqrt(2.0 / 50));
}

BOOST_AUTO_TEST_CASE(neighbours_are_independent) {
  for (auto const& x : {filled(init::uniform{-1, 1}), filled(init::normal{})}) {
    double const v = moments_of(x).variance;
    for (int lag = 1; lag <= 5; ++lag) {
      double sum = 0;
      for (std::int64_t i = 0; i + lag < x.size(); ++i) sum += x[i] * x[i + lag] / static_cast<double>(x.size());
      BOOST_TEST(near(sum, 0, slack(v)));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_seed_and_a_number_determine_everything) {
  BOOST_TEST((filled(init::normal{}) == filled(init::normal{})));
  BOOST_TEST((filled(init::normal{}, 1) != filled(init::normal{}, 2)));
  BOOST_TEST((filled(init::normal{}, 1) != filled(init::normal{}, 1ull + (1ull << 32))));
  BOOST_TEST((filled(init::normal{}, 1, 0) != filled(init::normal{}, 1, 1)));
  sample const longer = filled(init::uniform{});
  for (int count = 1; count <= 9; ++count) {
    float shorter[9];
    init::fill(init::uniform{}, span<float>{shorter, count}, {1, 0});
    for (int i = 0; i < count; ++i)
      BOOST_TEST(shorter[i] == static_cast<float>(longer[i]), "element i depends on i alone, in both element types");
  }
}

// Numbers that must not change from one version or machine to the next.
BOOST_AUTO_TEST_CASE(the_first_numbers) {
  tensor<double, shape<8>> u, n;
  init::fill(init::uniform{}, u.span(), {7, 3});
  init::fill(init::normal{}, n.span(), {7, 3});
  double const known_u[]{14497280, 13419895, 1064455, 4537109, 5927364, 5084304, 14439015, 14845150};
  double const known_n[]{0.61605978806200024,  -1.9005838954615915, -0.046356444915065874, 0.35909366668017478,
                         -0.30547256921404292, 0.8822852042994479,  1.487848284293144,     -1.3143771807723124};
  for (int i = 0; i < 8; ++i) {
    BOOST_TEST(u[i] * 0x1p24 == known_u[i]);
    BOOST_TEST(near(n[i], known_n[i], 1e-15));
  }
}

BOOST_AUTO_TEST_CASE(the_compiler_gives_the_same_numbers) {
  auto const make = [] {
    tensor<float, shape<8>> x;
    init::fill(init::normal{}, x.span(), {7, 3});
    return x;
  };
  constexpr auto known = make();
  BOOST_TEST((make() == known));
}

BOOST_AUTO_TEST_CASE(constants_and_labels) {
  tensor<float, shape<2, 3>> x;
  init::fill(init::ones{}, x.span());
  BOOST_TEST((x == tensor<float, shape<2, 3>>{{1, 1, 1}, {1, 1, 1}}));
  init::fill(init::zeros{}, x.span());
  BOOST_TEST((x == tensor<float, shape<2, 3>>{}));
  init::fill(init::constant{-2.5}, x.span());
  BOOST_TEST(x(1, 2) == -2.5f);
  tensor<std::int32_t, shape<2>> const labels{2, 0};
  init::fill(init::one_hot{labels.span()}, x.span());
  BOOST_TEST((x == tensor<float, shape<2, 3>>{{0, 0, 1}, {1, 0, 0}}));
}

BOOST_AUTO_TEST_CASE(an_initializer_is_a_type_where_one_is_needed) {
  using scheme = init::initialized_by<init::kaiming_uniform{64}>;
  static_assert(scheme::value.fan_in == 64 &&
                std::is_same_v<scheme, init::initialized_by<init::kaiming_uniform{.fan_in = 64}>>);
  static_assert(!std::is_same_v<scheme, init::initialized_by<init::kaiming_uniform{65}>>);
  BOOST_TEST(scheme::value.bound() > 0);
}

BOOST_AUTO_TEST_CASE(numbers_out_of_their_ranges_are_refused) {
  constexpr double infinity = __builtin_huge_val();
  auto const refused = []<class T>(auto const& scheme, T) {
    T elements[]{T(7), T(7)};
    try {
      init::fill(scheme, span<T>{elements, 2}, {1, 0});
    } catch (init::initializer_error const& error) {
      BOOST_TEST((elements[0] == T(7) && elements[1] == T(7)));
      return std::string(error.what()).find("fans of at least 1") != std::string::npos;
    }
    return false;
  };
  auto const both = [&](auto const& scheme) { return refused(scheme, 0.0f) && refused(scheme, 0.0); };
  BOOST_TEST(both(init::kaiming_uniform{}));
  BOOST_TEST(both(init::kaiming_normal{.fan_in = -3}));
  BOOST_TEST(both(init::kaiming_uniform{.fan_in = 3, .gain = infinity}));
  BOOST_TEST(both(init::xavier_uniform{.fan_in = 3, .fan_out = 0}));
  BOOST_TEST(both(init::xavier_normal{.fan_in = 0, .fan_out = 3}));
  BOOST_TEST(both(init::bernoulli{2}));
  BOOST_TEST(both(init::bernoulli{-0.1}));
  BOOST_TEST(both(init::normal{0, -1}));
  BOOST_TEST(both(init::normal{infinity, 1}));
  BOOST_TEST(both(init::uniform{1, 0}));
  BOOST_TEST(both(init::uniform{-1.7e308, 1.7e308}));
  BOOST_TEST(both(init::constant{__builtin_nan("")}));
  BOOST_TEST(refused(init::constant{1e300}, 0.0f));
  BOOST_TEST(!refused(init::constant{1e300}, 0.0));
  BOOST_TEST(refused(init::uniform{0, 1e300}, 0.0f));
  BOOST_TEST(refused(init::constant{70000}, espalier::half{}));
  BOOST_TEST(!refused(init::constant{70000}, espalier::bfloat16{}));
  BOOST_TEST(!refused(init::uniform{1, 1}, 0.0f));
  BOOST_TEST(!refused(init::kaiming_uniform{.fan_in = 1, .gain = -1}, 0.0f));
}
