// SPDX-License-Identifier: BSL-1.0
// The modules without members.
#define BOOST_TEST_MODULE nn_activation
#include <boost/test/unit_test.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

static_assert(esp::output_shape<nn::ReLU, shape<2, 3, 4>> == shape<2, 3, 4>{} && esp::parameter_count<nn::ReLU> == 0);
static_assert(esp::output_shape<nn::Tanh, shape<7>> == shape<7>{} &&
              esp::output_shape<nn::Sigmoid, shape<1, 1>> == shape<1, 1>{});
static_assert(esp::output_shape<nn::Identity, shape<2, 2>> == shape<2, 2>{});
static_assert(esp::output_shape<nn::Flatten, shape<32, 8, 8>> == shape<32, 64>{} &&
              esp::output_shape<nn::Flatten, shape<5, 2, 3, 4>> == shape<5, 24>{});
static_assert(esp::output_shape<nn::Flatten, shape<5, 2>> == shape<5, 2>{});

namespace {
using row = tensor<double, shape<1, 5>>;
constexpr row x{{-2, -0.5, 0, 0.5, 3}};

template <class M>
auto of(M, row const& input) {
  return esp::model<M, esp::cpu, double>{}(input);
}
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  BOOST_TEST(of(nn::Identity{}, x) == x);
  BOOST_TEST(of(nn::ReLU{}, x) == (row{{0, 0, 0, 0.5, 3}}));
  BOOST_TEST(of(nn::HardTanh{}, x) == (row{{-1, -0.5, 0, 0.5, 1}}));
  BOOST_TEST(of(nn::LeakyReLU<0.5>{}, x) == (row{{-1, -0.25, 0, 0.5, 3}}));
  BOOST_TEST(of(nn::LeakyReLU<>{}, x) == (row{{-0.02, -0.005, 0, 0.5, 3}}));
  auto const tangent = of(nn::Tanh{}, x), logistic = of(nn::Sigmoid{}, x);
  for (int i = 0; i < 5; ++i) {
    BOOST_TEST(near(tangent[i], std::tanh(x[i])));
    BOOST_TEST(near(logistic[i], 1 / (1 + std::exp(-x[i]))));
  }
}
BOOST_AUTO_TEST_CASE(saturated_and_not_finite) {
  row const far{{-1e4, 1e4, -INFINITY, INFINITY, 0}};
  BOOST_TEST(of(nn::Sigmoid{}, far) == (row{{0, 1, 0, 1, 0.5}}));
  BOOST_TEST(of(nn::Tanh{}, far) == (row{{-1, 1, -1, 1, 0}}));
  BOOST_TEST(of(nn::ReLU{}, far) == (row{{0, 1e4, 0, INFINITY, 0}}));
}
BOOST_AUTO_TEST_CASE(flatten_keeps_the_order) {
  esp::model<nn::Flatten> model;
  auto const images = floats<2, 3, 4>(1);
  auto const flat = model(images);
  static_assert(std::is_same_v<decltype(flat), tensor<float, shape<2, 12>> const>);
  for (int i = 0; i < 24; ++i) BOOST_TEST(flat[i] == images[i]);
}
BOOST_AUTO_TEST_CASE(a_model_without_parameters_is_trained_in_vain) {
  esp::model<nn::Sequential<nn::Flatten, nn::Tanh>> model;
  BOOST_TEST(model.parameters().size() == 0);
  BOOST_TEST(parameter_list(model) == "");
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<2, 3, 4>{}};
  auto const images = floats<2, 3, 4>(1);
  float const first = trainer.step(images, labels<2>(1, 12));
  BOOST_TEST(first == trainer.step(images, labels<2>(1, 12)));
}
