// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE nn_positions
#include <boost/test/unit_test.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
template <class Net>
using model_of = esp::model<Net, esp::cpu, double>;

template <nn::sinusoidal Options, int Rows, int Features>
void check_sinusoidal(double allowed) {
  constexpr nn::sinusoidal options = Options;
  model_of<nn::SinusoidalPositions<Options>> model;
  auto const y = model(tensor<double, shape<Rows, Features>>{});
  for (int p = 0; p < Rows; ++p)
    for (int i = 0; i < Features; ++i) {
      double const angle = (p + options.first_position) * std::pow(options.base, -2.0 * (i / 2) / Features);
      BOOST_TEST(std::fabs(y(p, i) - (i % 2 == 0 ? std::sin(angle) : std::cos(angle))) < allowed);
    }
}
}  // namespace

static_assert(esp::parameter_count<nn::LearnedPositions<9, 4>> == 36 &&
              esp::parameter_count<nn::SinusoidalPositions<>> == 0);
static_assert(esp::output_shape<nn::LearnedPositions<9, 4>, shape<2, 5, 4>> == shape<2, 5, 4>{});

// The first rows of the table; rows behind the sequence have no gradient.
BOOST_AUTO_TEST_CASE(learned) {
  model_of<nn::LearnedPositions<4, 2>> model{esp::seed{1}};
  BOOST_TEST(parameter_list(model) == "weight(4,2)");
  auto const x = doubles<3, 3, 2>(1), k = doubles<3, 3, 2>(2);
  auto const y = model(x);
  auto const weight = model.parameter("weight").span();
  auto const [loss, gradients] = esp::value_and_grad(model, Weighted{})(x, k);
  auto const gradient = gradients.parameter("weight").span();
  for (int t = 0; t < 3; ++t)
    for (int j = 0; j < 2; ++j) {
      for (int b = 0; b < 3; ++b) BOOST_TEST(y(b, t, j) == x(b, t, j) + weight[t * 2 + j]);
      BOOST_TEST(near(gradient[t * 2 + j], k(0, t, j) + k(1, t, j) + k(2, t, j)));
    }
  BOOST_TEST((gradient[6] == 0 && gradient[7] == 0));
}
BOOST_AUTO_TEST_CASE(sinusoidal) {
  check_sinusoidal<nn::sinusoidal{}, 7, 6>(1e-13);
  check_sinusoidal<nn::sinusoidal{.base = 100, .first_position = 40}, 3, 4>(1e-13);
  check_sinusoidal<nn::sinusoidal{}, 600, 16>(1e-11);
}
// Examples of a batch get the same positions.
BOOST_AUTO_TEST_CASE(batches) {
  esp::model<nn::SinusoidalPositions<>> model;
  auto const y = model(tensor<float, shape<2, 4, 6>>{});
  for (int t = 0; t < 4; ++t)
    for (int j = 0; j < 6; ++j) BOOST_TEST(y(0, t, j) == y(1, t, j));
}
