// SPDX-License-Identifier: BSL-1.0
// Training by NCCL on one device, and on two where the machine has them, against training without NCCL.
#define BOOST_TEST_MODULE cuda_parallel
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/cuda.hpp>
#if defined(ESPALIER_NCCL)
#include <espalier/cuda_parallel.hpp>
#endif
#include <string>
#include <vector>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
int device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}
boost::test_tools::assertion_result no_device(boost::unit_test::test_unit_id) { return device_count() == 0; }
template <int Devices>
boost::test_tools::assertion_result devices(boost::unit_test::test_unit_id) {
  return device_count() >= Devices;
}

using Net = nn::Sequential<nn::Linear<16, 64>, nn::ReLU, nn::Linear<64, 64>, nn::ReLU, nn::Linear<64, 4>>;
template <class Device>
struct training {
  esp::model<Net, Device> model{esp::seed{1}};
  std::vector<float> losses, parameters = std::vector<float>(static_cast<std::size_t>(model.parameters().size()));
  training() {
    auto const images = numbers<float, shape<32, 16>>(1);
    tensor<std::int32_t, shape<32>> labels;
    for (int i = 0; i < 32; ++i) labels[i] = (images[16 * i] > 0) + 2 * (images[16 * i + 1] > 0);
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 1e-3}, esp::batch<32, 16>{}};
    for (int step = 0; step < 20; ++step) losses.push_back(trainer.step(images, labels));
    model.parameters().to_host({parameters.data(), model.parameters().size()});
  }
};
}  // namespace

BOOST_AUTO_TEST_CASE(no_device_is_an_error, *boost::unit_test::precondition(no_device)) {
  BOOST_CHECK_THROW((training<esp::cuda>{}), esp::cuda_error);
#if defined(ESPALIER_NCCL)
  BOOST_CHECK_THROW((training<esp::cuda_parallel<1>>{}), esp::cuda_error);
#endif
}
#if defined(ESPALIER_NCCL)
BOOST_AUTO_TEST_CASE(one_device_trains_as_without_nccl, *boost::unit_test::precondition(devices<1>)) {
  training<esp::cuda> const expected;
  training<esp::cuda_parallel<1, 4096>> const got;
  BOOST_TEST(got.losses == expected.losses, boost::test_tools::per_element());
  BOOST_TEST(got.parameters == expected.parameters, boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(two_devices_train_as_one, *boost::unit_test::precondition(devices<2>)) {
  training<esp::cuda> const expected;
  training<esp::cuda_parallel<2, 4096>> const got;
  for (std::size_t i = 0; i < expected.losses.size(); ++i) BOOST_TEST(near(got.losses[i], expected.losses[i], 1e-3));
  auto& group = esp::on_cuda::default_backend<esp::cuda_parallel<2, 4096>>();
  std::vector<float> second(got.parameters.size());
  group.on_all([&](auto const& use) {
    use(1).to_host(second.data(), group.address(1, got.model.parameters().data()), second.size() * sizeof(float));
  });
  BOOST_TEST(second == got.parameters, boost::test_tools::per_element());
}
#endif
