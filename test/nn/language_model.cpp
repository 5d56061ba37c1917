// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE nn_language_model
#include <boost/test/unit_test.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
using Layers = nn::LSTM<3, 4>;
using Net = nn::LanguageModel<7, Layers>;
/// The parts one after the other.
struct ByParts {
  using input_element = std::tuple<std::int32_t, float, float>;
  nn::Embedding<7, 3> embedding;
  Layers seq_model;
  nn::Linear<4, 7> linear;
  ESPALIER_MODULE(ByParts, embedding, seq_model, linear)

  constexpr auto forward(auto x, auto h, auto c) const {
    auto const [y, next_h, next_c] = seq_model(embedding(x), h, c);
    return std::tuple{esp::reshape<6, 7>(linear(y)), next_h, next_c};
  }
};
inline constexpr auto next_word = [](auto net, auto x, auto y) {
  return nn::SoftmaxLoss{}(std::get<0>(net(x)), esp::reshape<6>(y));
};
}  // namespace

BOOST_AUTO_TEST_CASE(is_its_parts) {
  esp::model<Net, esp::cpu, double> model{esp::seed{1}};
  esp::model<ByParts, esp::cpu, double> parts{esp::seed{1}};
  BOOST_TEST(parameter_list(model) == parameter_list(parts));
  auto const x = labels<3, 2>(1, 7);
  auto const h = doubles<1, 2, 4>(2), c = doubles<1, 2, 4>(3);
  auto const [scores, next_h, next_c] = model(x, h, c);
  auto const [other, other_h, other_c] = parts(x, h, c);
  BOOST_TEST(esp::all_close(scores, other, 1e-12, 1e-12));
  BOOST_TEST((esp::all_close(next_h, other_h, 1e-12, 1e-12) && esp::all_close(next_c, other_c, 1e-12, 1e-12)));
}
// In a function it may start from zeros.
BOOST_AUTO_TEST_CASE(learns_a_text) {
  esp::model<Net> model{esp::seed{1}};
  optim::updater updater{model, optim::Adam{.learning_rate = 0.05}};
  tensor<std::int32_t, shape<3, 2>> const x{{0, 3}, {1, 4}, {2, 5}}, y{{1, 4}, {2, 5}, {3, 6}};
  float first = 0, last = 0;
  for (int i = 0; i < 60; ++i) {
    auto const [loss, gradients] = esp::value_and_grad<0>(next_word)(model, x, y);
    updater.update(model, gradients);
    last = static_cast<float>(loss);
    if (i == 0) first = last;
  }
  BOOST_TEST((first > 1 && last < 0.2f));
}
