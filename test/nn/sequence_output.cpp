// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE nn_sequence_output
#include <boost/test/unit_test.hpp>

#include "support/recurrent.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
using Layer = nn::LSTM<3, 4, nn::lstm{.batch_first = true}>;
using Tagger = nn::Sequential<nn::Outputs<Layer>, nn::Linear<4, 2>>;
using Classifier = nn::Sequential<nn::LastOutput<Layer>, nn::Linear<4, 2>>;
using StepsFirst = nn::LastOutput<nn::GRU<3, 4>>;
}  // namespace
static_assert(esp::output_shape<Tagger, shape<2, 5, 3>> == shape<2, 5, 2>{} &&
              esp::output_shape<Classifier, shape<2, 5, 3>> == shape<2, 2>{} &&
              esp::output_shape<StepsFirst, shape<5, 2, 3>> == shape<2, 4>{});

BOOST_AUTO_TEST_CASE(outputs_and_the_last_of_them) {
  esp::model<Layer, esp::cpu, double> layer{esp::seed{1}};
  esp::model<nn::Outputs<Layer>, esp::cpu, double> all{esp::seed{1}};
  esp::model<nn::LastOutput<Layer>, esp::cpu, double> last{esp::seed{1}};
  auto const x = doubles<2, 3, 3>(1);
  auto const [y, h, c] = layer(x);
  BOOST_TEST(all(x) == y);
  BOOST_TEST(recurrent::agrees(last(x), recurrent::listed(h)));
}
// The names are those of the layer.
BOOST_AUTO_TEST_CASE(names) {
  esp::model<Classifier> model;
  BOOST_TEST(parameter_list(model) ==
             "0.weight_ih_l0(3,16) 0.weight_hh_l0(4,16) 0.bias_ih_l0(16) 0.bias_hh_l0(16) 1.weight(4,2) 1.bias(1,2)");
}
BOOST_AUTO_TEST_CASE(a_classifier_learns) {
  esp::model<Classifier> model{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 0.05}, esp::batch<4, 3, 3>{}};
  auto const x = floats<4, 3, 3>(1);
  tensor<std::int32_t, shape<4>> const y{0, 1, 1, 0};
  float const before = trainer.step(x, y);
  float after = before;
  for (int i = 0; i < 60; ++i) after = trainer.step(x, y);
  BOOST_TEST((before > 0.5f && after < 0.1f));
}
