// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cmath>
#include <initializer_list>

#include "check_kernels.hpp"

/// Numbers whose squares overflow in float. Double, where they do not, has the expected values.
namespace test {

/// Numbers up to `magnitude` and not below a tenth of it. Beside: of three, one is 1e20 times smaller.
template <class S>
esp::tensor<float, S> large_numbers(std::uint64_t seed, double magnitude, bool beside) {
  auto const random_values = numbers<double, S>(seed);
  esp::tensor<float, S> x;
  for (std::int64_t i = 0; i < S::size; ++i)
    x[i] = static_cast<float>((random_values[i] + std::copysign(0.1, random_values[i])) / 1.1 * magnitude *
                              (beside && i % 3 == 1 ? 1e-20 : 1));
  return x;
}
template <class S>
esp::tensor<double, S> in_double(esp::tensor<float, S> const& x) {
  esp::tensor<double, S> r;
  for (std::int64_t i = 0; i < S::size; ++i) r[i] = static_cast<double>(x[i]);
  return r;
}
/// The largest difference, relative to the largest element; nan if a difference is.
double distance(auto const& got, auto const& expected) {
  double most = 0, largest = 0;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(expected.size()); ++i) {
    double const difference = std::fabs(static_cast<double>(got.data()[i]) - static_cast<double>(expected.data()[i]));
    if (!(difference <= most)) most = difference;
    if (std::isnan(most)) return most;
    largest = std::fmax(largest, std::fabs(static_cast<double>(expected.data()[i])));
  }
  return most / largest;
}

/// Values and gradients of f in float against those in double, for numbers of all magnitudes.
template <class S, class F>
void check_magnitudes(char const* name, F f, double limit = 1e-6) {
  auto const dy = numbers<float, S>(2);
  for (double const magnitude : {1.0, 1e15, 1e19, 1e20, 1e30, 1e36})
    for (bool const beside : {false, true}) {
      BOOST_TEST_CONTEXT(name << " of " << magnitude << (beside ? ", beside small ones" : "")) {
        auto const x = large_numbers<S>(1, magnitude, beside);
        auto const got = fused(f, dy, x);
        auto const expected = fused(f, in_double(dy), in_double(x));
        BOOST_TEST(distance(got.value, expected.value) < limit);
        BOOST_TEST(distance(std::get<0>(got.gradients), std::get<0>(expected.gradients)) < limit);
      }
    }
}

}  // namespace test
