// SPDX-License-Identifier: BSL-1.0
// Training by processes with a graphics processor each: one on one device, and two where the machine has them, against
// training by one process. Without ESPALIER_TEST_DEVICE, the devices are simulated, and the processes are real.
#define BOOST_TEST_MODULE cuda_distributed
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#if !defined(ESPALIER_TEST_DEVICE)
#include <espalier/simulated_cuda_distributed.hpp>
#define HAS_EXCHANGE 1
using tested = espalier::simulated_cuda;
#else
#include <espalier/cuda.hpp>
#if defined(ESPALIER_NCCL)
#include <espalier/cuda_distributed.hpp>
#define HAS_EXCHANGE 1
#endif
using tested = ESPALIER_TEST_DEVICE;
#endif
#include <string>
#include <vector>

#include "support/forked_processes.hpp"
#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
/// The devices that a process sees. This one must not ask: a child of a process that has begun to use CUDA cannot.
int device_count() {
#if defined(ESPALIER_TEST_DEVICE)
  static int const count = [] {
    auto const r = as_forked_processes(1, [](forked_process&) {
      int found = 0;
      return std::vector<float>{cudaGetDeviceCount(&found) == cudaSuccess ? static_cast<float>(found) : 0.0f};
    });
    return r[0].numbers.empty() ? 0 : static_cast<int>(r[0].numbers[0]);
  }();
  return count;
#else
  return 4;
#endif
}
[[maybe_unused]] boost::test_tools::assertion_result no_device(boost::unit_test::test_unit_id) {
  return device_count() == 0;
}
template <int Devices>
[[maybe_unused]] boost::test_tools::assertion_result devices(boost::unit_test::test_unit_id) {
  boost::test_tools::assertion_result r{device_count() >= Devices};
  if (!r) r.message() << "needs " << Devices << " graphics processors, and this machine has " << device_count();
  return r;
}

#if defined(HAS_EXCHANGE)
using Net = nn::Sequential<nn::Linear<16, 64>, nn::ReLU, nn::Linear<64, 64>, nn::ReLU, nn::Linear<64, 4>>;
using together = esp::distributed<tested, 4096>;

template <int N>
struct samples {
  tensor<float, shape<N, 16>> images;
  tensor<std::int32_t, shape<N>> labels;
  explicit samples(int first) {
    auto const all = numbers<float, shape<32, 16>>(1);
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < 16; ++j) images[16 * i + j] = all[16 * (first + i) + j];
      labels[i] = (images[16 * i] > 0) + 2 * (images[16 * i + 1] > 0);
    }
  }
};
template <class Model>
std::vector<float> parameters_of(Model const& model) {
  std::vector<float> r(static_cast<std::size_t>(model.parameters().size()));
  model.parameters().to_host({r.data(), model.parameters().size()});
  return r;
}
/// Losses and parameters of a training.
template <int N, class Model>
std::vector<float> trained(Model& model, int first) {
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 1e-3}, esp::batch<N, 16>{}};
  samples<N> const batch{first};
  std::vector<float> r;
  for (int step = 0; step < 20; ++step) r.push_back(trainer.step(batch.images, batch.labels));
  auto const parameters = parameters_of(model);
  r.insert(r.end(), parameters.begin(), parameters.end());
  return r;
}
std::vector<float> alone() {
  auto const r = as_forked_processes(1, [](forked_process&) {
    esp::model<Net, tested> model{esp::seed{1}};
    return trained<32>(model, 0);
  });
  BOOST_TEST(r[0].error == "");
  return r[0].numbers;
}
template <int P>
std::vector<ended> of_processes() {
  return as_forked_processes(P, [](forked_process& all) {
    esp::model<Net, together> model{esp::seed{static_cast<std::uint64_t>(1 + 7 * all.rank())}, all};
    return trained<32 / P>(model, 32 / P * all.rank());
  });
}
template <int P>
void check_training() {
  auto const expected = alone();
  auto const got = of_processes<P>(), again = of_processes<P>();
  for (auto const& r : got) {
    BOOST_TEST(r.error == "");
    BOOST_TEST(r.numbers == got[0].numbers, boost::test_tools::per_element());
    BOOST_TEST(r.numbers == again[0].numbers, boost::test_tools::per_element());
  }
  BOOST_TEST_REQUIRE(got[0].numbers.size() == expected.size());
  for (std::size_t i = 0; i < 20; ++i) BOOST_TEST(near(got[0].numbers[i], expected[i], 1e-3));
  if (P == 1) BOOST_TEST(got[0].numbers == expected, boost::test_tools::per_element());
}
#endif
}  // namespace

#if defined(HAS_EXCHANGE)
BOOST_AUTO_TEST_CASE(no_device_is_an_error, *boost::unit_test::precondition(no_device)) {
  auto const r = of_processes<2>();
  BOOST_TEST(r[0].error.find("no CUDA device") == 0, r[0].error);
  BOOST_TEST(r[1].error.find("no CUDA device") == 0, r[1].error);
}
BOOST_AUTO_TEST_CASE(one_process_trains_as_a_model, *boost::unit_test::precondition(devices<1>)) {
  check_training<1>();
}
BOOST_AUTO_TEST_CASE(two_processes_train_as_one, *boost::unit_test::precondition(devices<2>)) { check_training<2>(); }
BOOST_AUTO_TEST_CASE(four_processes_train_as_one, *boost::unit_test::precondition(devices<4>)) { check_training<4>(); }

// A process that ends or hangs when its header has said that it trains, so that only its gradients are missing: the
// other one does not wait for longer than the time limit, and has the parameters of the last complete step.
void leave_after_header(int seconds) {
  auto const r = as_forked_processes(2, [&](forked_process& all) {
    esp::model<Net, together> model{esp::seed{1}, all};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 1e-3}, esp::batch<16, 16>{}};
    samples<16> const batch{16 * all.rank()};
    trainer.step(batch.images, batch.labels);
    auto const before = parameters_of(model);
    all.set_time_limit(2);
    if (all.rank() == 1) all.seconds_after_header = seconds;
    double const begun = all.now();
    try {
      trainer.step(batch.images, batch.labels);
    } catch (esp::distributed_error const&) {
      if (all.now() > begun + 4) throw std::runtime_error{"expected an error within the time limit"};
      if (parameters_of(model) != before) throw std::runtime_error{"expected the parameters from before"};
      throw;
    }
    return std::vector<float>{};
  });
  BOOST_TEST(!r[1].has_answered);
  BOOST_TEST(r[0].error.find("process 0 of 2: ") == 0, r[0].error);
  if (seconds > 0)
    BOOST_TEST(
        r[0].error ==
        "process 0 of 2: another process has not answered for the time limit of 2000 ms at step 2 (set_time_limit)");
}
BOOST_AUTO_TEST_CASE(a_process_that_ends, *boost::unit_test::precondition(devices<2>)) { leave_after_header(0); }
BOOST_AUTO_TEST_CASE(a_process_that_hangs, *boost::unit_test::precondition(devices<2>)) { leave_after_header(6); }
#endif
