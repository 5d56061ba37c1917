// SPDX-License-Identifier: BSL-1.0
// The program docs/examples/digits.cpp with the tag changed: some of its steps, against the same on the host.
#define BOOST_TEST_MODULE device_cuda_digits
#include <boost/test/unit_test.hpp>

#include <espalier/data/loader.hpp>
#include <string>

#include "support/nets.hpp"
#include "support/test_device.hpp"

using namespace test;
namespace data = espalier::data;

namespace {
using Classifier = nn::Sequential<nn::Flatten, nn::MLPResNet<8 * 8, 64, 3, 10, nn::use_batch_norm>>;

struct result {
  std::vector<double> losses;
  esp::evaluation training, validation;
  double best = 0;
};

/// What the program does, with fewer samples.
template <class Device>
result train(auto const& training, auto const& test, int epochs) {
  esp::model<Classifier, Device> model{esp::seed{0}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 1e-3f, .weight_decay = 1e-3f},
                       esp::batch<32, 8, 8>{}};
  data::loader batches{training, esp::batch<32, 8, 8>{}, data::shuffled{0}, data::drop_last};
  data::loader training_batches{training, esp::batch<32, 8, 8>{}, data::in_order{}, data::padded};
  data::loader validation{test, esp::batch<32, 8, 8>{}, data::in_order{}, data::padded};
  esp::best_parameters best{model};
  esp::early_stopping enough{.patience = 3};
  auto const evaluated = [&](auto& samples) {
    esp::evaluation sum{};
    for (auto const& [images, labels, count] : samples.epoch(0)) {
      auto const one = trainer.evaluate(images, labels, count);
      sum.loss += one.loss * static_cast<double>(one.count);
      sum.correct += one.correct;
      sum.count += one.count;
    }
    sum.loss /= static_cast<double>(sum.count);
    return sum;
  };
  result r;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (auto const& [images, labels] : batches.epoch(epoch))
      r.losses.push_back(static_cast<double>(trainer.step(images, labels)));
    r.validation = evaluated(validation);
    bool const stop = enough.observe(r.validation.loss);
    if (enough.improved) best.keep(model);
    if (stop) break;
  }
  r.training = evaluated(training_batches);
  best.restore(model);
  r.best = evaluated(validation).loss;
  return r;
}
}  // namespace

BOOST_AUTO_TEST_CASE(some_steps_are_those_of_the_host) {
  std::string const folder = ESPALIER_DATA;
  data::dataset<float, esp::shape<8, 8>> const digits{(folder + "/optdigits-images-idx3-ubyte").c_str(),
                                                      (folder + "/optdigits-labels-idx1-ubyte").c_str(),
                                                      {.classes = 10, .scale = 1.0 / 8, .shift = -1}};
  auto const [some, rest] = digits.split(100);
  auto const [test, others] = rest.split(40);
  auto const host_result = train<esp::cpu>(some, test, 3), device_result = train<device>(some, test, 3);
  BOOST_REQUIRE(host_result.losses.size() == 9);
  BOOST_REQUIRE(device_result.losses.size() == 9);
  for (std::size_t step = 0; step < 9; ++step)
    BOOST_TEST(near(device_result.losses[step], host_result.losses[step], 1e-4),
               step << ": " << device_result.losses[step] << " and " << host_result.losses[step]);
  BOOST_TEST(device_result.losses[8] < device_result.losses[0]);
  BOOST_TEST(device_result.training.count == 100);
  BOOST_TEST(device_result.validation.count == 40);
  BOOST_TEST(near(device_result.training.loss, host_result.training.loss, 1e-4));
  BOOST_TEST(near(device_result.validation.loss, host_result.validation.loss, 1e-4));
  BOOST_TEST(near(device_result.best, host_result.best, 1e-4));
  BOOST_TEST(device_result.training.correct == host_result.training.correct);
}
