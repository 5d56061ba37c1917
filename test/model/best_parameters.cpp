// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE model_best_parameters
#include <boost/test/unit_test.hpp>

#include "support/allocation_counter.hpp"
#include "support/nets.hpp"

using namespace test;

namespace {
using Net =
    nn::Sequential<nn::Linear<6, 8>, nn::BatchNorm1d<8>, nn::ReLU, nn::Frozen<nn::Linear<8, 8>>, nn::Linear<8, 4>>;
using model_type = esp::model<Net>;
using best_type = esp::best_parameters<model_type>;
}  // namespace

BOOST_AUTO_TEST_CASE(restores_parameters_and_buffers) {
  model_type model{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 0.05}, esp::batch<16, 6>{}};
  auto const x = floats<16, 6>(1);
  auto const y = labels<16>(2, 4);
  for (int i = 0; i < 3; ++i) trainer.step(x, y);
  esp::best_parameters best{model};
  auto const first = copy(model.parameters()), first_statistics = copy(model.buffers());
  double const loss = trainer.evaluate(x, y).loss;
  for (int i = 0; i < 3; ++i) trainer.step(x, y);
  BOOST_CHECK(copy(model.parameters()) != first);
  BOOST_CHECK(copy(model.buffers()) != first_statistics);
  BOOST_TEST(copy(best.parameters()) == first, boost::test_tools::per_element());
  best.restore(model);
  BOOST_TEST(copy(model.parameters()) == first, boost::test_tools::per_element());
  BOOST_TEST(copy(model.buffers()) == first_statistics, boost::test_tools::per_element());
  BOOST_TEST(trainer.evaluate(x, y).loss == loss);
  trainer.step(x, y);
  best.keep(model);
  auto const last = copy(model.parameters());
  trainer.step(x, y);
  best.restore(model);
  BOOST_TEST(copy(model.parameters()) == last, boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(with_early_stopping_in_a_loop_of_ones_own) {
  model_type model{esp::seed{1}};
  optim::updater adam{model, optim::Adam{.learning_rate = 0.3}};
  auto const x = floats<16, 6>(1), other = floats<16, 6>(3);
  auto const y = labels<16>(2, 4);
  esp::early_stopping enough{.patience = 4};
  best_type best{model};
  double lowest = 1e9;
  for (int epoch = 0; epoch < 200; ++epoch) {
    auto [unused, gradients] = esp::value_and_grad(model, nn::SoftmaxLoss{})(x, y);
    adam.update(model, gradients);
    esp::trainer judge{model, nn::SoftmaxLoss{}, optim::SGD<>{}, esp::batch<16, 6>{}};
    double const loss = judge.evaluate(other, y).loss;
    bool const stop = enough.observe(loss);
    if (enough.improved) best.keep(model);
    lowest = std::fmin(lowest, loss);
    if (stop) break;
  }
  BOOST_TEST(enough.waited == 4);
  best.restore(model);
  esp::trainer judge{model, nn::SoftmaxLoss{}, optim::SGD<>{}, esp::batch<16, 6>{}};
  BOOST_TEST(judge.evaluate(other, y).loss == lowest);
  BOOST_TEST(enough.best == lowest);
}
BOOST_AUTO_TEST_CASE(one_allocation_or_none) {
  static esp::bytes<best_type::bytes> room;
  model_type model{esp::seed{1}};
  long before = espalier_test::allocations();
  best_type best{model};
  BOOST_TEST(espalier_test::allocations() - before <= 1);
  before = espalier_test::allocations();
  best.keep(model);
  best.restore(model);
  best_type in_storage{model, room};
  in_storage.restore(model);
  BOOST_TEST(espalier_test::allocations() == before);
}
BOOST_AUTO_TEST_CASE(another_model_of_the_same_net) {
  model_type one{esp::seed{1}}, other{esp::seed{2}};
  best_type const best{one};
  best.restore(other);
  BOOST_TEST(copy(other.parameters()) == copy(one.parameters()), boost::test_tools::per_element());
}
