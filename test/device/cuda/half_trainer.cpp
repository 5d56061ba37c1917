// SPDX-License-Identifier: BSL-1.0
// How models that are stored in 16 bits learn: with precise parameters and an optimizer in float, against the same
// training in float on the host.
#define BOOST_TEST_MODULE device_cuda_half_trainer
#include <boost/test/unit_test.hpp>

#include <espalier/data/loader.hpp>

#include "half_models.hpp"

using namespace test;
namespace data = espalier::data;

namespace {
/// The digits' loader gives T, too: the program is the same.
template <class Device, class T>
auto train_digits() {
  using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 32>, nn::BatchNorm1d<32>, nn::ReLU, nn::Dropout<0.125>,
                             nn::Linear<32, 10>>;
  std::string const folder = ESPALIER_DATA;
  data::dataset<T, shape<8, 8>> const digits{(folder + "/optdigits-images-idx3-ubyte").c_str(),
                                             (folder + "/optdigits-labels-idx1-ubyte").c_str(),
                                             {.classes = 10, .scale = 1.0 / 8, .shift = -1}};
  auto const [some, rest] = digits.split(320);
  auto const [test_set, others] = rest.split(160);
  esp::model<Net, Device, T> model{esp::seed{0}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 5e-3, .weight_decay = 1e-3},
                       esp::batch<32, 8, 8>{}};
  data::loader batches{some, esp::batch<32, 8, 8>{}, data::shuffled{0}, data::drop_last};
  data::loader tests{test_set, esp::batch<32, 8, 8>{}, data::in_order{}, data::padded};
  for (int epoch = 0; epoch < 8; ++epoch)
    for (auto const& [images, labels] : batches.epoch(epoch)) trainer.step(images, labels);
  esp::evaluation sum{};
  for (auto const& [images, labels, count] : tests.epoch(0)) {
    auto const one = trainer.evaluate(images, labels, count);
    sum.correct += one.correct;
    sum.count += one.count;
    sum.loss += one.loss;
  }
  return sum;
}
}  // namespace

BOOST_AUTO_TEST_CASE_TEMPLATE(a_net_learns_as_in_float, H, narrow) {
  auto const large = floats<6, 6, 6>(1);
  auto const small = floats<3, 6, 6>(2);
  auto const large_labels = labels<6>(3, 5);
  auto const small_labels = labels<3>(4, 5);
  esp::model<Convolutional> host_model{esp::seed{1}};
  esp::model<Convolutional, device, H> device_model{esp::seed{1}};
  auto const adam = optim::Adam{.learning_rate = 3e-3};
  esp::trainer trainer{host_model, nn::SoftmaxLoss{}, adam, esp::batch<6, 6, 6>{}, esp::batch<3, 6, 6>{}};
  esp::trainer far{device_model, nn::SoftmaxLoss{}, adam, esp::batch<6, 6, 6>{}, esp::batch<3, 6, 6>{}};
  static_assert(decltype(far)::kernel_count == decltype(trainer)::kernel_count + 3);
  static_assert(decltype(far)::optimizer_bytes == 2 * decltype(trainer)::optimizer_bytes);
  tensor<H, shape<6, 6, 6>, device> const device_images{rounded<H>(large)};
  tensor<std::int32_t, shape<6>, device> const device_labels{large_labels};
  long allocations_so_far = 0;
  for (int step = 0; step < 12; ++step) {
    float const expected = step % 3 == 2 ? trainer.step(small, small_labels) : trainer.step(large, large_labels);
    float const got = step % 3 == 2   ? far.step(rounded<H>(small), small_labels)
                      : step % 3 == 1 ? far.step(device_images, device_labels)
                                      : far.step(rounded<H>(large), large_labels);
    BOOST_TEST(near(static_cast<double>(got), static_cast<double>(expected), 2e-2),
               step << ": " << got << " and " << expected);
    if (step == 0) check_close(on_host(far.gradients()), on_host(trainer.gradients()), 5e-2, "gradient");
    if (step == 5) allocations_so_far = device_allocations();
  }
  BOOST_TEST(device_allocations() == allocations_so_far);
  BOOST_TEST(far.steps() == 12);
  check_close(on_host(device_model.buffers()), on_host(host_model.buffers()), 3e-2, "running statistics");
  auto const expected = trainer.evaluate(large, large_labels, 5);
  for (auto const& found :
       {far.evaluate(rounded<H>(large), large_labels, 5), far.evaluate(device_images, device_labels, 5)}) {
    BOOST_TEST(near(found.loss, expected.loss, 3e-2), found.loss << " and " << expected.loss);
    BOOST_TEST(found.count == 5);
    BOOST_TEST(found.correct == expected.correct);
  }
  auto const scores = far.forward(rounded<H>(large));
  check_close(on_host(scores.span()), on_host(trainer.forward(large).span()), 5e-2, "scores");
}
BOOST_AUTO_TEST_CASE_TEMPLATE(digits_are_learnt_as_well_as_in_float, H, narrow) {
  auto const expected = train_digits<esp::cpu, float>(), got = train_digits<device, H>();
  BOOST_TEST(got.count == 160);
  BOOST_TEST(expected.accuracy() > 0.8);
  BOOST_TEST(got.accuracy() > expected.accuracy() - 0.03, got.accuracy() << " and " << expected.accuracy());
  BOOST_TEST(near(got.loss, expected.loss, 0.1), got.loss << " and " << expected.loss);
}
BOOST_AUTO_TEST_CASE(a_skipped_update_changes_nothing) {
  using H = esp::bfloat16;
  using Net = nn::Sequential<nn::Linear<6, 8>, nn::BatchNorm1d<8>, nn::ReLU, nn::Linear<8, 3>>;
  auto const x = rounded<H>(floats<6, 6>(1));
  auto const y = labels<6>(2, 3);
  auto broken = x;
  broken[5] = static_cast<H>(NAN);
  auto const chosen = optim::skip_non_finite{optim::Adam{.learning_rate = 1e-4}};
  esp::model<Net, device, H> model{esp::seed{1}}, other{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, chosen, esp::batch<6, 6>{}};
  esp::trainer undisturbed{other, nn::SoftmaxLoss{}, chosen, esp::batch<6, 6>{}};
  for (int step = 0; step < 10; ++step) {
    trainer.step(broken, y);
    auto wrong = y;
    wrong[2] = 3;
    BOOST_CHECK_THROW(trainer.step(x, wrong), esp::label_error);
    BOOST_TEST(trainer.step(x, y) == undisturbed.step(x, y));
  }
  BOOST_TEST(trainer.skipped_updates() == 10);
  BOOST_TEST(on_host(model.parameters()) == on_host(other.parameters()), boost::test_tools::per_element());
  BOOST_TEST(on_host(model.buffers()) == on_host(other.buffers()), boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(targets_that_are_numbers) {
  using H = esp::half;
  esp::model<nn::Linear<3, 2>> host_model;
  esp::model<nn::Linear<3, 2>, device, H> device_model{esp::seed{1}};
  copy(device_model, host_model);
  auto const chosen = optim::penalized{optim::SGD<>{}, 1e-2, 1e-2, true};
  esp::trainer trainer{host_model, nn::MeanSquaredError{}, chosen, esp::batch<4, 3>{}};
  esp::trainer far{device_model, nn::MeanSquaredError{}, chosen, esp::batch<4, 3>{}};
  auto const x = floats<4, 3>(1);
  auto const target = floats<4, 2>(2);
  tensor<H, shape<4, 2>, device> const device_targets{rounded<H>(target)};
  BOOST_TEST(near(static_cast<double>(trainer.penalty()), static_cast<double>(far.penalty()), 1e-5));
  for (int step = 0; step < 3; ++step)
    BOOST_TEST(near(static_cast<double>(trainer.step(x, target)),
                    static_cast<double>(far.step(rounded<H>(x), device_targets)), spacing<H>));
  BOOST_TEST(near(trainer.evaluate(x, target).loss, far.evaluate(rounded<H>(x), device_targets).loss, spacing<H>));
  BOOST_TEST(near(trainer.evaluate(x, target).loss, far.evaluate(rounded<H>(x), rounded<H>(target)).loss, spacing<H>));
}
