// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE nn_prelu
#include <boost/test/unit_test.hpp>

#include "support/recurrent.hpp"

using namespace test;
using namespace test::recurrent;
using esp::shape, esp::tensor;

static_assert(esp::output_shape<nn::PReLU<3>, shape<2, 5, 3>> == shape<2, 5, 3>{} &&
              esp::parameter_count<nn::PReLU<3>> == 3);
static_assert(esp::output_shape<nn::PReLU<>, shape<2, 5>> == shape<2, 5>{} && esp::parameter_count<nn::PReLU<>> == 1);

namespace {
/// The result twice: once for a weighted sum, once for a sum of squares.
template <class Net>
struct Twice {
  Net inner;
  ESPALIER_MODULE(Twice, inner)
  constexpr auto forward(auto x) const {
    auto const y = inner(x);
    return std::tuple{y, y};
  }
};
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  esp::model<nn::PReLU<2>, esp::cpu, double> model{esp::seed{1}};
  tensor<double, shape<2, 2>> const x{{-2, -4}, {3, -1}};
  BOOST_TEST(model(x) == (tensor<double, shape<2, 2>>{{-0.5, -1}, {3, -0.25}}));
  model.parameter("weight").span()[1] = 0.5;
  BOOST_TEST(model(x) == (tensor<double, shape<2, 2>>{{-0.5, -2}, {3, -0.5}}));
  esp::model<nn::PReLU<>, esp::cpu, double> one{esp::seed{1}};
  BOOST_TEST(one(x) == (tensor<double, shape<2, 2>>{{-0.5, -1}, {3, -0.25}}));
}
BOOST_AUTO_TEST_CASE(gradients) {
  check_gradient<Twice<nn::PReLU<3>>>(shape<2, 4, 3>{}, shape<2, 4, 3>{});
  check_gradient<Twice<nn::PReLU<>>>(shape<2, 4, 3>{}, shape<2, 4, 3>{});
}
