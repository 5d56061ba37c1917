// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE nn_smooth_activation
#include <boost/test/unit_test.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

static_assert(esp::output_shape<nn::GELU, shape<2, 3, 4>> == shape<2, 3, 4>{} &&
              esp::parameter_count<nn::ELU<0.5>> == 0);

namespace {
using row = tensor<double, shape<1, 5>>;
constexpr row x{{-2, -0.5, 0, 0.5, 3}};

template <class M, class F>
void check(M, F reference) {
  row const y = esp::model<M, esp::cpu, double>{}(x);
  for (int i = 0; i < 5; ++i) BOOST_TEST(near(y[i], reference(x[i])));
}
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  check(nn::ELU<>{}, [](double v) { return v > 0 ? v : std::expm1(v); });
  check(nn::ELU<0.5>{}, [](double v) { return v > 0 ? v : 0.5 * std::expm1(v); });
  check(nn::GELU{}, [](double v) { return v * std::erfc(-v / std::sqrt(2.0)) / 2; });
  check(nn::GELUTanh{},
        [](double v) { return v / 2 * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (v + 0.044715 * v * v * v))); });
  check(nn::SiLU{}, [](double v) { return v / (1 + std::exp(-v)); });
  check(nn::Softplus{}, [](double v) { return std::log1p(std::exp(v)); });
}
// Each of them takes the place of ReLU in a net that is trained.
BOOST_AUTO_TEST_CASE(a_net_of_them_learns) {
  using net = nn::Sequential<nn::Linear<4, 8>, nn::ELU<>, nn::Linear<8, 8>, nn::GELU, nn::Linear<8, 8>, nn::GELUTanh,
                             nn::Linear<8, 8>, nn::SiLU, nn::Linear<8, 8>, nn::Softplus, nn::Linear<8, 3>>;
  esp::model<net> model;
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 0.01}, esp::batch<8, 4>{}};
  auto const input = floats<8, 4>(1);
  auto const y = labels<8>(2, 3);
  float const first = trainer.step(input, y);
  for (int i = 0; i < 200; ++i) trainer.step(input, y);
  BOOST_TEST(trainer.step(input, y) < first / 2);
}
