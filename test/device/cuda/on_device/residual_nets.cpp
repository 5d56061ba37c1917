// SPDX-License-Identifier: BSL-1.0
// Training steps of the two residual nets of nn, against the same steps on the host: all of their kernels, those of
// convolutions among them.
#define BOOST_TEST_MODULE cuda_residual_nets
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <type_traits>
#include <vector>

#include "support/test_device.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

namespace {

template <class Net, int... Extent>
std::vector<double> losses_on(auto device) {
  constexpr int extents[] = {Extent...};
  constexpr int samples = extents[0];
  esp::model<Net, typename decltype(device)::type> model{esp::seed{0}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 1e-3f}, esp::shape<Extent...>{}};
  esp::tensor<float, esp::shape<Extent...>> images;
  esp::tensor<std::int32_t, esp::shape<samples>> labels;
  for (int i = 0; i < images.size(); ++i) images.data()[i] = static_cast<float>(i * 7919 % 101) / 101;
  for (int i = 0; i < samples; ++i) labels[i] = i % 10;
  std::vector<double> losses;
  for (int i = 0; i < 4; ++i) losses.push_back(static_cast<double>(trainer.step(images, labels)));
  return losses;
}

// Adam divides by square roots of gradients: a rounding error of the first step may become a whole step of a parameter
// that hardly matters.
template <class Net, int... Extent>
void compare() {
  auto const host = losses_on<Net, Extent...>(std::type_identity<esp::cpu>{}),
             device_result = losses_on<Net, Extent...>(std::type_identity<test::device>{});
  BOOST_TEST(std::fabs(device_result[0] - host[0]) < 1e-5 * host[0]);
  for (std::size_t i = 1; i < host.size(); ++i)
    BOOST_TEST(std::fabs(device_result[i] - host[i]) < 1e-2 * host[i],
               "step " << i << ": " << device_result[i] << ", on the host " << host[i]);
  BOOST_TEST(device_result.back() < device_result.front());
}

}  // namespace

BOOST_AUTO_TEST_CASE(mlp_resnet) {
  compare<nn::Sequential<nn::Flatten, nn::MLPResNet<8 * 8, 64, 3, 10, nn::use_layer_norm>>, 32, 8, 8>();
}
BOOST_AUTO_TEST_CASE(resnet9) { compare<nn::ResNet9<10>, 8, 3, 32, 32>(); }
