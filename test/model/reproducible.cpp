// SPDX-License-Identifier: BSL-1.0
// One seed, one course of training, to the last bit.
#define BOOST_TEST_MODULE model_reproducible
#include <boost/test/unit_test.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
using Net = nn::Sequential<nn::Flatten, nn::Linear<6, 16>, nn::BatchNorm1d<16>, nn::ReLU, nn::Dropout<0.3>,
                           nn::Residual<nn::Sequential<nn::Linear<16, 16>, nn::LayerNorm1d<16>>>, nn::Dropout<0.1>,
                           nn::Linear<16, 4>>;

template <class T>
std::vector<T> course(std::uint64_t seed) {
  esp::model<Net, esp::cpu, T> model{esp::seed{seed}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 0.01}, esp::batch<8, 2, 3>{},
                       esp::batch<5, 2, 3>{}};
  std::vector<T> all;
  for (std::uint64_t step = 0; step < 10; ++step) {
    all.push_back(trainer.step(numbers<T, shape<8, 2, 3>>(step), labels<8>(step, 4)));
    all.push_back(trainer.step(numbers<T, shape<5, 2, 3>>(step), labels<5>(step, 4)));
    all.push_back(static_cast<T>(trainer.evaluate(numbers<T, shape<8, 2, 3>>(77), labels<8>(1, 4)).loss));
  }
  for (T const element : model.parameters()) all.push_back(element);
  for (T const element : model.buffers()) all.push_back(element);
  return all;
}
}  // namespace

BOOST_AUTO_TEST_CASE_TEMPLATE(the_same_seed_gives_the_same_bits, T, decltype(std::tuple<float, double>{})) {
  auto const once = course<T>(3), again = course<T>(3);
  BOOST_TEST(once == again, boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(different_seeds_begin_and_drop_differently) {
  auto const three = course<float>(3);
  BOOST_TEST((three != course<float>(4)));
  BOOST_TEST((three != course<float>(3ull + (1ull << 32))));  // all 64 bits of a seed count
}
BOOST_AUTO_TEST_CASE(initialize_begins_anew) {
  esp::model<Net> model{esp::seed{5}}, fresh{esp::seed{9}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD<>{.learning_rate = 0.1}, esp::batch<8, 2, 3>{}};
  esp::trainer of_fresh{fresh, nn::SoftmaxLoss{}, optim::SGD<>{.learning_rate = 0.1}, esp::batch<8, 2, 3>{}};
  for (int step = 0; step < 3; ++step) trainer.step(floats<8, 2, 3>(1), labels<8>(1, 4));
  model.initialize(esp::seed{9});
  BOOST_TEST(model.initial_seed().value == 9u);
  BOOST_TEST(copy(model.parameters()) == copy(fresh.parameters()), boost::test_tools::per_element());
  BOOST_TEST(copy(model.buffers()) == copy(fresh.buffers()), boost::test_tools::per_element());
  BOOST_TEST(trainer.step(floats<8, 2, 3>(1), labels<8>(1, 4)) == of_fresh.step(floats<8, 2, 3>(1), labels<8>(1, 4)));
}
BOOST_AUTO_TEST_CASE(float_and_double_begin_with_the_same_numbers_and_the_same_masks) {
  esp::model<Net> of_floats{esp::seed{5}};
  esp::model<Net, esp::cpu, double> of_doubles{esp::seed{5}};
  of_floats.for_each_parameter([&](char const* name, esp::extents const&, auto elements) {
    auto const same = of_doubles.parameter(name).span();
    for (std::int64_t i = 0; i < elements.size(); ++i) BOOST_TEST(elements[i] == static_cast<float>(same[i]));
  });
  auto const images = doubles<8, 2, 3>(1);
  tensor<float, shape<8, 2, 3>> const rounded(images);
  float const loss = esp::value_and_grad(of_floats, nn::SoftmaxLoss{})(rounded, labels<8>(1, 4)).loss;
  BOOST_TEST(near(static_cast<double>(loss),
                  esp::value_and_grad(of_doubles, nn::SoftmaxLoss{})(images, labels<8>(1, 4)).loss, 1e-5));
}
