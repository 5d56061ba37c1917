// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE device_cpu_thread_float_control
#include <boost/test/unit_test.hpp>

#include <cmath>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
constexpr bool zero_if_flushing(double x) { return esp::flush_subnormals::flushes ? x == 0 : x > 0; }
/// Computed when the program runs.
template <class T>
T product(T a, T b) {
  T const volatile x = a, y = b;
  return x * y;
}
}  // namespace

BOOST_AUTO_TEST_CASE(subnormal_results_and_operands_are_zero_while_it_lives) {
  float const small = 1e-30f, subnormal = 1e-40f;
  BOOST_TEST(product(small, 1e-9f) > 0);
  {
    esp::flush_subnormals const flushing;
    BOOST_TEST(zero_if_flushing(static_cast<double>(product(small, 1e-9f))));
    BOOST_TEST(zero_if_flushing(static_cast<double>(product(subnormal, 1e9f))));
    BOOST_TEST(zero_if_flushing(product(1e-300, 1e-10)));
    BOOST_TEST(product(small, 2.0f) == 2e-30f);
  }
  BOOST_TEST(product(small, 1e-9f) > 0);
  BOOST_TEST(product(subnormal, 1e9f) > 0);
}
BOOST_AUTO_TEST_CASE(an_inner_one_leaves_the_outer_one_alone) {
  esp::flush_subnormals const outer;
  { esp::flush_subnormals const inner; }
  BOOST_TEST(zero_if_flushing(static_cast<double>(product(1e-30f, 1e-9f))));
}
/// Each bit alone is no reason to set nothing, and the caller's bits come back.
BOOST_AUTO_TEST_CASE(bits_that_are_set_in_part) {
  namespace detail = esp::on_cpu::detail;
  std::uint64_t const before = detail::float_control();
  for (std::uint64_t bit = 1; bit != 0; bit <<= 1) {
    if ((detail::subnormals_to_zero & bit) == 0) continue;
    detail::float_control(before | bit);
    bool const flushes = detail::flushes_subnormals();
    {
      esp::flush_subnormals const flushing;
      BOOST_TEST(detail::flushes_subnormals());
    }
    std::uint64_t const after = detail::float_control();
    detail::float_control(before);
    BOOST_TEST(flushes == (detail::subnormals_to_zero == bit));
    BOOST_TEST(after == (before | bit));
  }
  BOOST_TEST(!detail::flushes_subnormals());
}
BOOST_AUTO_TEST_CASE(kernels_follow) {
  using Net = nn::Linear<33, 17, nn::no_bias>;
  esp::model<Net> const model{esp::seed{1}};
  esp::predictor predict{model, esp::batch<1, 33>{}};
  auto quiet = floats<1, 33>(1);
  for (float& x : quiet.span()) x *= 1e-39f;
  tensor<float, shape<1, 17>> scores;
  auto const count = [&] {
    int subnormal = 0;
    for (float const y : scores.span()) subnormal += std::fpclassify(y) == FP_SUBNORMAL;
    return subnormal;
  };
  predict(quiet, scores);
  BOOST_TEST(count() > 0);
  {
    esp::flush_subnormals const flushing;
    predict(quiet, scores);
  }
  BOOST_TEST(count() == (esp::flush_subnormals::flushes ? 0 : count()));
}
