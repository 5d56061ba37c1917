// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE law_stability
#include <boost/test/unit_test.hpp>

#include "support/check_kernels.hpp"
#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

// Functions of scores hold at the far ends of the range: values and gradients are finite and right at |z| = 1e4.
namespace {
template <class T, class F, class S, class... More>
auto value_and_gradient(F f, tensor<T, S> const& z, More const&... more) {
  return fused(f, tensor<T, shape_of_result<F, tensor<T, S>, More...>>{1}, z, more...);
}
inline constexpr auto spread = [](auto z) { return sum(logsumexp<-1>(z)); };
inline constexpr auto entropy = [](auto z, auto y) {
  return esp::cross_entropy<esp::label_loss{.reduce = esp::reduce::sum}>(z, y);
};
inline constexpr auto smoothed = [](auto z, auto y) {
  return esp::cross_entropy<esp::label_loss{.label_smoothing = 0.1, .reduce = esp::reduce::sum}>(z, y);
};
inline constexpr auto binary = [](auto z, auto y) { return sum(logistic_loss(z, y)); };
inline constexpr auto activations = [](auto x) {
  return sum(leaky_relu(x) + elu(x)) + sum(gelu(x) + gelu_tanh(x)) + sum(silu(x) + softplus(x)) +
         sum(hard_tanh(x) + huber(x, 1.0));
};

template <class T>
void for_element() {
  double const allowed = std::is_same_v<T, float> ? 1e-6 : 1e-14;
  T const big = 10000;
  // Rows: one far ahead; all equal and large; all equal and small; two ahead.
  tensor<T, shape<4, 3>> const z{{big, 0, -big}, {big, big, big}, {-big, -big, -big}, {big, big, -big}};
  T const third = T(1) / 3;
  tensor<T, shape<4, 3>> const softmax{{1, 0, 0}, {third, third, third}, {third, third, third}, {T(0.5), T(0.5), 0}};
  {
    auto const r = value_and_gradient(spread, z);
    BOOST_TEST(near(static_cast<double>(r.value[0]), 2e4 + 2 * std::log(3.0) + std::log(2.0), allowed));
    check_close("gradient of logsumexp", std::get<0>(r.gradients), softmax, allowed);
  }
  {
    tensor<std::int32_t, shape<4>> const right{0, 1, 2, 0}, wrong{2, 0, 0, 2};
    auto const r = value_and_gradient(entropy, z, right);
    BOOST_TEST(near(static_cast<double>(r.value[0]), 2 * std::log(3.0) + std::log(2.0),
                    allowed));  // not rounded to the last digit of 1e4
    auto expected = softmax;
    for (int n = 0; n < 4; ++n) expected(n, right[n]) -= 1;
    check_close("gradient of cross_entropy", std::get<0>(r.gradients), expected, allowed);
    auto const w = value_and_gradient(entropy, z, wrong);
    BOOST_TEST(near(static_cast<double>(w.value[0]), 4e4 + 2 * std::log(3.0) + std::log(2.0), allowed));
    auto const s = value_and_gradient(smoothed, z, right);
    BOOST_TEST(near(static_cast<double>(s.value[0]), 2 * std::log(3.0) + std::log(2.0) + 0.1 / 3 * 5e4, allowed));
    for (int n = 0; n < 4; ++n)
      for (int c = 0; c < 3; ++c)
        expected(n, c) = softmax(n, c) - static_cast<T>(0.9) * (c == right[n]) - static_cast<T>(0.1) / 3;
    check_close("gradient with smoothing", std::get<0>(s.gradients), expected, allowed);
  }
  {
    tensor<T, shape<4>> const scores{big, -big, big, -big}, y{1, 0, 0, 1};
    auto const r = value_and_gradient(binary, scores, y);
    BOOST_TEST(r.value[0] == 2 * big);
    check_close("gradient of logistic_loss", std::get<0>(r.gradients), tensor<T, shape<4>>{0, 0, 1, -1}, 0.0);
  }
  {
    auto const r = value_and_gradient(activations, tensor<T, shape<2>>{big, -big});
    BOOST_TEST(near(static_cast<double>(r.value[0]), 6e4 + 1 - 100 - 1 - 1 + 2 * (1e4 - 0.5), allowed));
    check_close("gradient of activations", std::get<0>(r.gradients), tensor<T, shape<2>>{7, static_cast<T>(0.01) - 1},
                allowed);
  }
}
}  // namespace

BOOST_AUTO_TEST_CASE(in_double) { for_element<double>(); }
BOOST_AUTO_TEST_CASE(in_float) { for_element<float>(); }
