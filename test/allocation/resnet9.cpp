// SPDX-License-Identifier: BSL-1.0
// ResNet9 learns, and its training step allocates nothing.
#define BOOST_TEST_MODULE allocation_resnet9
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>

#include "support/allocation_counter.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

BOOST_AUTO_TEST_CASE(a_step_allocates_nothing) {
  esp::model<nn::ResNet9<10>> model{esp::seed{0}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 1e-3f}, esp::batch<8, 3, 32, 32>{}};
  esp::tensor<float, esp::shape<8, 3, 32, 32>> images;
  esp::tensor<std::int32_t, esp::shape<8>> labels;
  for (int i = 0; i < images.size(); ++i) images.data()[i] = static_cast<float>(i * 7919 % 101) / 101;
  for (int i = 0; i < 8; ++i) labels[i] = i % 10;
  float const first = trainer.step(images, labels);
  long const before = espalier_test::allocations();
  float last = first;
  for (int i = 0; i < 6; ++i) last = trainer.step(images, labels);
  BOOST_TEST(espalier_test::allocations() - before == 0);
  BOOST_TEST(last < first / 2);
}
