// SPDX-License-Identifier: BSL-1.0
// Every norm, on the device as on the processor.
#define BOOST_TEST_MODULE device_cuda_every_module_norm
#include "every_module.hpp"

using namespace every_module;

namespace {
/// One norm called twice: the second update of its running statistics starts from the first one's result.
struct BatchNorms {
  nn::BatchNorm1d<5> norm{};
  ESPALIER_MODULE(BatchNorms, norm)
  constexpr auto forward(auto x) const { return norm(x) + norm(3 * x + 1); }
};
}  // namespace

BOOST_AUTO_TEST_CASE(over_the_batch) {
  check<nn::BatchNorm1d<5>, 9, 5>("batch_norm of features");
  check<BatchNorms, 9, 5>("batch_norm, called twice");
  check<nn::BatchNorm2d<3>, 4, 3, 3, 5>("batch_norm of images");
  check<nn::BatchNorm<3, -1, nn::norm{.momentum = 0.25, .variance = nn::unbiased}>, 4, 3, 3>(
      "batch_norm, channels last");
  check<nn::SyncBatchNorm<5>, 9, 5>("sync_batch_norm of a process alone");
}
BOOST_AUTO_TEST_CASE(of_examples) {
  check<nn::LayerNorm1d<33>, 5, 33>("layer_norm of rows");
  check<nn::LayerNorm<shape<3, 4>>, 2, 5, 3, 4>("layer_norm of several axes");
  check<nn::RMSNorm<shape<33>>, 5, 33>("rms_norm");
  check<nn::GroupNorm<2, 6>, 3, 6, 5>("group_norm");
  check<nn::InstanceNorm<3, nn::norm{.tracked = true}>, 2, 3, 4, 5>("instance_norm");
}
BOOST_AUTO_TEST_CASE(of_weights) { check<nn::WeightNorm<nn::Linear<7, 5>>, 4, 7>("weight_norm"); }
