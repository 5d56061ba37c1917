// SPDX-License-Identifier: BSL-1.0
// Every loss, on the device as on the processor.
#define BOOST_TEST_MODULE device_cuda_every_module_loss
#include "every_module.hpp"

using namespace every_module;

namespace {
auto const z = random_tensor<6, 5>(1), target = random_tensor<6, 5>(2), shares = random_tensor<6, 5>(3, 0, 1);
auto const places = random_tensor<2, 5, 3>(4);
auto const classes = labels<6>(5, 5);
auto const classes_of_places = labels<2, 3>(6, 5);
using weights = nn::class_weights<1.0, 2.0, 0.5, 1.0, 3.0>;
}  // namespace

BOOST_AUTO_TEST_CASE(of_numbers) {
  check_loss<nn::MeanSquaredError>("loss: MeanSquaredError", z, target);
  check_loss<nn::L1Loss<>>("l1_loss", z, target);
  check_loss<nn::HuberLoss<0.75, esp::reduce::sum>>("huber_loss", z, target);
  check_loss<nn::SmoothL1Loss<0.5>>("smooth_l1_loss", z, target);
  check_loss<nn::BCEWithLogitsLoss<>>("bce_with_logits_loss", z, shares);
  check_loss<nn::BCEWithLogitsLoss<esp::reduce::mean, weights>>("bce_with_logits_loss with class_weights", z, shares);
}
BOOST_AUTO_TEST_CASE(of_labels) {
  check_loss<nn::SoftmaxLoss>("loss: SoftmaxLoss", z, classes);
  check_loss<nn::CrossEntropyLoss<>>("cross_entropy_loss", z, classes);
  check_loss<nn::CrossEntropyLoss<esp::label_loss{.label_smoothing = 0.1}, weights>>(
      "class_weights of cross_entropy_loss", z, classes);
  check_loss<nn::NLLLoss<esp::label_loss{.ignore_index = 2}>>("nll_loss of places", places, classes_of_places);
}
