// SPDX-License-Identifier: BSL-1.0
// Nets of many layers, on the device as on the processor.
#define BOOST_TEST_MODULE device_cuda_every_module_net
#include "every_module.hpp"

using namespace every_module;

BOOST_AUTO_TEST_CASE(features) { check<nn::MLPResNet<9, 8, 2, 3>, 6, 9>("mlp_resnet: sequential, residual, repeat"); }
// What ResNet9 is made of, with few channels; test/device/cuda/on_device/residual_nets.cpp has the net itself.
BOOST_AUTO_TEST_CASE(images) {
  check<nn::Sequential<nn::detail::residual_convolutions<4>, nn::Flatten, nn::Linear<36, 3>>, 3, 4, 3, 3>(
      "resnet9: its parts");
}
// Blocks that the backward pass recomputes, one inside the other.
BOOST_AUTO_TEST_CASE(recomputed_blocks) {
  using inner = nn::Checkpoint<nn::Sequential<nn::Linear<8, 8>, nn::Tanh>>;
  check<nn::Sequential<nn::Checkpoint<nn::Sequential<nn::Linear<5, 8>, nn::LayerNorm1d<8>, inner, nn::Linear<8, 4>>>,
                       nn::Linear<4, 3>>,
        6, 5>("checkpoint");
}
