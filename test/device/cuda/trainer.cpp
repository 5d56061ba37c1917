// SPDX-License-Identifier: BSL-1.0
// Training on a device with memory of its own, against the same training on the host.
#define BOOST_TEST_MODULE device_cuda_trainer
#include <boost/test/unit_test.hpp>

#include <limits>

#include "support/allocation_counter.hpp"
#include "support/nets.hpp"
#include "support/test_device.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
using Perceptron = nn::Sequential<nn::Flatten, nn::Linear<4, 8>, nn::ReLU, nn::Linear<8, 10>>;
using Residual = nn::Sequential<nn::Flatten, nn::MLPResNet<4, 8, 2, 10>>;  // BatchNorm and Dropout

/// Which of the four pixels is the largest.
template <class T, int N>
struct task {
  tensor<T, shape<N, 2, 2>> images = numbers<T, shape<N, 2, 2>>(N);
  tensor<std::int32_t, shape<N>> labels;
  task() {
    for (int i = 0; i < N; ++i)
      for (int k = 0; k < 4; ++k)
        if (images[4 * i + k] > images[4 * i + labels[i]]) labels[i] = k;
  }
};

template <class T>
constexpr double within = std::is_same_v<T, float> ? 1e-5 : 1e-10;

template <class Elements>
auto on_host(Elements const& elements) {
  std::vector<std::remove_const_t<typename Elements::element_type>> r(static_cast<std::size_t>(elements.size()));
  elements.to_host({r.data(), elements.size()});
  return r;
}
/// Everything that a step may change.
template <class Model, class Trainer>
auto everything(Model const& model, Trainer const& trainer) {
  auto all = on_host(model.parameters());
  for (auto element : on_host(model.buffers())) all.push_back(element);
  all.push_back(static_cast<typename Model::value_type>(trainer.steps()));
  return all;
}
template <class T>
void check_close(std::vector<T> const& a, std::vector<T> const& b, double tolerated = 50 * within<T>) {
  BOOST_REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    BOOST_TEST(near(static_cast<double>(a[i]), static_cast<double>(b[i]), tolerated),
               i << ": " << a[i] << " and " << b[i]);
}

template <class Net, class T>
void check_training(int steps) {
  task<T, 6> const large;
  task<T, 3> const small;
  esp::model<Net, esp::cpu, T> model{esp::seed{1}};
  esp::model<Net, device, T> device_model{esp::seed{1}};
  auto const adam = optim::Adam{.learning_rate = 0.01, .weight_decay = 1e-3};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, adam, esp::batch<6, 2, 2>{}, esp::batch<3, 2, 2>{}};
  esp::trainer far{device_model, nn::SoftmaxLoss{}, adam, esp::batch<6, 2, 2>{}, esp::batch<3, 2, 2>{}};
  static_assert(std::is_same_v<decltype(far.step(large.images, large.labels)), T>);
  static_assert(decltype(far)::parameter_count == decltype(trainer)::parameter_count);
  tensor<T, shape<6, 2, 2>, device> const device_images{large.images};
  tensor<std::int32_t, shape<6>, device> const device_labels{large.labels};
  esp::view<T const, shape<6, 2, 2>> const image_view{large.images};
  auto const step = [&](int number) {
    switch (number % 5) {
      case 0:
        return far.step(large.images, large.labels);
      case 1:
        return far.step(device_images, device_labels);
      case 2:
        return far.step(device_images, large.labels);
      case 3:
        return far.step(small.images, small.labels);
      default:
        return far.step(image_view, device_labels);
    }
  };
  for (int number = 0; number < steps; ++number) {
    T const expected =
        number % 5 == 3 ? trainer.step(small.images, small.labels) : trainer.step(large.images, large.labels);
    T const actual = step(number);
    BOOST_TEST(near(static_cast<double>(actual), static_cast<double>(expected), within<T>),
               "step " << number << ": " << actual << " and " << expected);
    if (number < 2) check_close(on_host(far.gradients()), copy(trainer.gradients()));
    if (number % 7 == 0) {
      far.learning_rate() *= 0.9f;
      trainer.learning_rate() *= 0.9f;
    }
  }
  BOOST_TEST(far.steps() == steps);
  check_close(on_host(device_model.parameters()), copy(model.parameters()));
  check_close(on_host(device_model.buffers()), copy(model.buffers()));
  auto const expected = trainer.evaluate(large.images, large.labels, 5);
  auto const check = [&](esp::evaluation const& found) {
    BOOST_TEST(near(found.loss, expected.loss, within<T>));
    BOOST_TEST(found.correct == expected.correct);
    BOOST_TEST(found.count == expected.count);
  };
  check(far.evaluate(large.images, large.labels, 5));
  check(far.evaluate(device_images, device_labels, 5));
  check(far.evaluate(device_images, large.labels, 5));
  BOOST_TEST(all_close(far.forward(large.images), trainer.forward(large.images), 1e-4, 1e-4));
  BOOST_TEST(all_close(far.forward(device_images), trainer.forward(large.images), 1e-4, 1e-4));
}
}  // namespace

BOOST_AUTO_TEST_CASE(a_perceptron_trains_as_on_the_host) { check_training<Perceptron, float>(20); }
// in float: digits.cpp
BOOST_AUTO_TEST_CASE(batch_norm_and_dropout_train_as_on_the_host) { check_training<Residual, double>(20); }

BOOST_AUTO_TEST_CASE(labels_outside_the_classes_change_nothing) {
  task<float, 6> const sample_data;
  esp::model<Perceptron, device> model{esp::seed{1}}, other{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<6, 2, 2>{}};
  esp::trainer undisturbed{other, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<6, 2, 2>{}};
  trainer.step(sample_data.images, sample_data.labels);
  undisturbed.step(sample_data.images, sample_data.labels);
  auto const before = everything(model, trainer);
  for (std::int32_t label : {-1, 10, std::numeric_limits<std::int32_t>::min()}) {
    auto labels = sample_data.labels;
    labels[4] = label;
    tensor<std::int32_t, shape<6>, device> const device_labels{labels};
    BOOST_CHECK_THROW(trainer.step(sample_data.images, labels), esp::label_error);
    BOOST_CHECK_THROW(trainer.step(sample_data.images, device_labels), esp::label_error);
    BOOST_CHECK_THROW(trainer.evaluate(sample_data.images, device_labels), esp::label_error);
    BOOST_TEST(everything(model, trainer) == before, boost::test_tools::per_element());
  }
  for (int step = 0; step < 3; ++step)
    BOOST_TEST(trainer.step(sample_data.images, sample_data.labels) ==
               undisturbed.step(sample_data.images, sample_data.labels));
  BOOST_TEST(everything(model, trainer) == everything(other, undisturbed), boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(a_skipped_update_changes_nothing_and_is_counted) {
  using Net = nn::Sequential<nn::Flatten, nn::Linear<4, 8>, nn::BatchNorm1d<8>, nn::ReLU, nn::Linear<8, 10>>;
  task<float, 6> const sample_data;
  auto broken = sample_data.images;
  broken[5] = NAN;
  esp::model<Net, device> model{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::skip_non_finite{optim::Adam{}}, esp::batch<6, 2, 2>{}};
  for (int step = 0; step < 3; ++step) trainer.step(sample_data.images, sample_data.labels);
  auto const before = everything(model, trainer);
  for (int time = 1; time <= 3; ++time) {
    float const loss = trainer.step(broken, sample_data.labels);
    BOOST_TEST(loss != loss);
    BOOST_TEST(everything(model, trainer) == before, boost::test_tools::per_element());
    BOOST_TEST(trainer.skipped_updates() == time);
  }
  trainer.step(sample_data.images, sample_data.labels);
  BOOST_TEST(trainer.steps() == 4);
  BOOST_TEST((everything(model, trainer) != before));
}
BOOST_AUTO_TEST_CASE(what_the_optimizer_adds_to_the_loss) {
  task<double, 6> const sample_data;
  esp::model<Perceptron, esp::cpu, double> model{esp::seed{1}};
  esp::model<Perceptron, device, double> device_model{esp::seed{1}};
  auto const chosen =
      optim::decay_only<optim::weights>(optim::penalized{optim::SGD<>{.learning_rate = 0.1}, 1e-3, 1e-2, true});
  esp::trainer trainer{model, nn::SoftmaxLoss{}, chosen, esp::batch<6, 2, 2>{}};
  esp::trainer far{device_model, nn::SoftmaxLoss{}, chosen, esp::batch<6, 2, 2>{}};
  BOOST_TEST(trainer.penalty() > 0.01);
  for (int step = 0; step < 6; ++step) {
    BOOST_TEST(near(trainer.penalty(), far.penalty(), 1e-10));
    BOOST_TEST(near(trainer.step(sample_data.images, sample_data.labels),
                    far.step(sample_data.images, sample_data.labels), 1e-10));
    trainer.optimizer().optimizer.in_loss = far.optimizer().optimizer.in_loss = step % 2 == 0;
  }
}
BOOST_AUTO_TEST_CASE(targets_that_are_numbers) {
  esp::model<nn::Linear<3, 2>, esp::cpu, double> model{esp::seed{1}};
  esp::model<nn::Linear<3, 2>, device, double> device_model{esp::seed{1}};
  esp::trainer trainer{model, nn::MeanSquaredError{}, optim::SGD<>{}, esp::batch<4, 3>{}};
  esp::trainer far{device_model, nn::MeanSquaredError{}, optim::SGD<>{}, esp::batch<4, 3>{}};
  auto const x = doubles<4, 3>(1);
  auto const target = doubles<4, 2>(2);
  tensor<double, shape<4, 2>, device> const device_targets{target};
  for (int step = 0; step < 3; ++step) BOOST_TEST(near(trainer.step(x, target), far.step(x, device_targets), 1e-10));
  BOOST_TEST(near(trainer.evaluate(x, target).loss, far.evaluate(x, device_targets).loss, 1e-10));
}
BOOST_AUTO_TEST_CASE(nothing_is_allocated_after_construction) {
  using espalier_test::allocations;
  task<float, 6> const sample_data;
  esp::model<Residual, device> model{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::skip_non_finite{optim::Adam{}}, esp::batch<6, 2, 2>{}};
  esp::predictor predict{model, esp::batch<6, 2, 2>{}};
  esp::best_parameters best{model};
  tensor<float, shape<6, 10>> scores;
  tensor<float, shape<6, 2, 2>, device> const device_images{sample_data.images};
  tensor<std::int32_t, shape<6>, device> const device_labels{sample_data.labels};
  double sum = 0;
  auto const work = [&] {
    sum += static_cast<double>(trainer.step(sample_data.images, sample_data.labels));
    sum += static_cast<double>(trainer.step(device_images, device_labels));
    sum += trainer.evaluate(sample_data.images, sample_data.labels).loss;
    predict(sample_data.images, scores);
    best.keep(model);
    best.restore(model);
  };
  for (int time = 0; time < 2; ++time) work();  // a machine may take its own memory, and a graph is captured
  long const host_count = allocations(), device_count = device_allocations();
  for (int time = 0; time < 3; ++time) work();
  BOOST_TEST(allocations() == host_count);
  BOOST_TEST(device_allocations() == device_count);
  BOOST_TEST(sum > 0);
}
BOOST_AUTO_TEST_CASE(a_backend_of_the_users_own) {
  task<float, 6> const sample_data;
  backend own;
  esp::model<Perceptron, device> model{esp::seed{1}}, device_model{esp::seed{1}, own};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<6, 2, 2>{}};
  esp::trainer far{device_model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<6, 2, 2>{}};
  for (int step = 0; step < 3; ++step)
    BOOST_TEST(trainer.step(sample_data.images, sample_data.labels) ==
               far.step(sample_data.images, sample_data.labels));
  if constexpr (backends_share_memory<>) {
    tensor<float, shape<6, 2, 2>, device> const device_images{sample_data.images};
    BOOST_TEST(trainer.step(sample_data.images, sample_data.labels) == far.step(device_images, sample_data.labels));
  }
  BOOST_TEST(on_host(model.parameters()) == on_host(device_model.parameters()), boost::test_tools::per_element());
}
// Images on the device may be written over as soon as a step is queued, whatever machine runs it.
BOOST_AUTO_TEST_CASE(queued_steps) {
  task<float, 6> const sample_data;
  backend own;
  esp::model<Perceptron, device> model{esp::seed{1}}, device_model{esp::seed{1}}, separate{esp::seed{1}, own};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<6, 2, 2>{}};
  esp::trainer far{device_model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<6, 2, 2>{}};
  esp::trainer farther{separate, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<6, 2, 2>{}};
  tensor<float, shape<6, 2, 2>, device> device_images;
  for (int step = 0; step < 20; ++step) {
    trainer.step(sample_data.images, sample_data.labels);
    device_images = sample_data.images;
    far.step(device_images, sample_data.labels, esp::queued{});
    if constexpr (backends_share_memory<>) farther.step(device_images, sample_data.labels, esp::queued{});
    else farther.step(sample_data.images, sample_data.labels, esp::queued{});
    device_images.fill(0);
  }
  BOOST_TEST(everything(model, trainer) == everything(device_model, far), boost::test_tools::per_element());
  BOOST_TEST(everything(model, trainer) == everything(separate, farther), boost::test_tools::per_element());
}
