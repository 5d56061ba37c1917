// SPDX-License-Identifier: BSL-1.0
// A model on a device with memory of its own: its parameters, how the host reads and writes them, predictors,
// gradients, updaters, the best so far.
#define BOOST_TEST_MODULE device_cuda_model
#include <boost/test/unit_test.hpp>

#include "support/nets.hpp"
#include "support/test_device.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
using Net = nn::Sequential<nn::Flatten, nn::Linear<6, 12>, nn::ReLU, nn::Linear<12, 4>>;
using Normalized = nn::Sequential<nn::Linear<6, 8>, nn::BatchNorm1d<8>, nn::ReLU, nn::Frozen<nn::Linear<8, 8>>,
                                  nn::LayerNorm1d<8>, nn::Linear<8, 3>>;

template <class Elements>
auto on_host(Elements const& elements) {
  std::vector<std::remove_const_t<typename Elements::element_type>> r(static_cast<std::size_t>(elements.size()));
  elements.to_host({r.data(), elements.size()});
  return r;
}
template <class T>
void check_close(std::vector<T> const& a, std::vector<T> const& b, double within = 1e-5) {
  BOOST_REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    BOOST_TEST(near(static_cast<double>(a[i]), static_cast<double>(b[i]), within),
               i << ": " << a[i] << " and " << b[i]);
}
template <class A, class B>
void check_same(A const& model, B const& device_model) {
  BOOST_TEST(copy(model.parameters()) == on_host(device_model.parameters()), boost::test_tools::per_element());
  BOOST_TEST(copy(model.buffers()) == on_host(device_model.buffers()), boost::test_tools::per_element());
}
}  // namespace

BOOST_AUTO_TEST_CASE_TEMPLATE(a_seed_gives_the_same_bits_on_every_device, T, decltype(std::tuple<float, double>{})) {
  esp::model<Normalized, esp::cpu, T> model{esp::seed{7}};
  esp::model<Normalized, device, T> device_model{esp::seed{7}};
  check_same(model, device_model);
  device_model.initialize(esp::seed{8});
  model.initialize(esp::seed{8});
  check_same(model, device_model);
  static_assert(esp::model<Normalized, device, T>::parameter_bytes ==
                esp::model<Normalized, esp::cpu, T>::parameter_bytes);
}
BOOST_AUTO_TEST_CASE(named_tensors_go_to_the_host_and_back) {
  esp::model<Normalized> model{esp::seed{1}};
  esp::model<Normalized, device> device_model{esp::seed{1}};
  BOOST_TEST(parameter_list(model) == parameter_list(device_model));
  BOOST_TEST(buffer_list(model) == buffer_list(device_model));
  for (char const* name : {"0.weight", "1.bias", "3.module.weight"}) {
    auto const host_side = model.parameter(name);
    auto const far = device_model.parameter(name);
    BOOST_REQUIRE(static_cast<bool>(far));
    BOOST_TEST(std::string(far.name()) == name);
    BOOST_TEST((far.shape() == host_side.shape()));
    BOOST_TEST(copy(host_side.span()) == on_host(far.span()), boost::test_tools::per_element());
    std::vector<float> elements(static_cast<std::size_t>(far.span().size()));
    esp::span<float> const seen{elements.data(), far.span().size()};
    far.to_host(seen);
    for (float& element : elements) element = 2 * element + 1;
    far.from_host(seen);
    host_side.from_host(seen);
  }
  check_same(model, device_model);
  BOOST_TEST(!device_model.find_parameter("5.nothing"));
  BOOST_TEST(device_model.find_parameter("5.nothing").span().size() == 0);
  BOOST_TEST(on_host(device_model.buffer("1.running_var").span()) == std::vector<float>(8, 1.0f),
             boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(what_for_each_parameter_writes_goes_to_the_device) {
  esp::model<Normalized> model{esp::seed{1}};
  esp::model<Normalized, device> device_model{esp::seed{1}};
  scramble(model);
  scramble(device_model);
  device_model.for_each_buffer([](char const*, esp::extents const&, auto span) {
    for (float& element : span) element += 3;
  });
  model.for_each_buffer([](char const*, esp::extents const&, auto span) {
    for (float& element : span) element += 3;
  });
  check_same(model, device_model);
}
BOOST_AUTO_TEST_CASE(models_are_copied_between_devices) {
  esp::model<Normalized> model{esp::seed{1}}, back{esp::seed{2}};
  esp::model<Normalized, device> device_model{esp::seed{3}}, other{esp::seed{4}};
  copy(model, device_model);
  check_same(model, device_model);
  copy(device_model, other);
  check_same(model, other);
  copy(other, back);
  BOOST_TEST(copy(model.parameters()) == copy(back.parameters()), boost::test_tools::per_element());
  esp::model<Normalized> third;
  copy(back, third);
  check_same(third, device_model);
}
BOOST_AUTO_TEST_CASE_TEMPLATE(outputs_are_the_hosts, T, decltype(std::tuple<float, double>{})) {
  esp::model<Net, esp::cpu, T> model{esp::seed{1}};
  esp::model<Net, device, T> device_model{esp::seed{1}};
  auto const x = numbers<T, shape<5, 2, 3>>(1);
  tensor<T, shape<5, 2, 3>, device> const device_x{x};
  auto const y = model(x);
  check_close(copy(y.span()), copy(device_model(x).span()));
  check_close(copy(y.span()), copy(device_model(device_x).to_host().span()));
  static_assert(std::is_same_v<decltype(device_model(x)), tensor<T, shape<5, 4>>>);
  static_assert(std::is_same_v<decltype(device_model(device_x)), tensor<T, shape<5, 4>, device>>);

  esp::predictor predict{device_model, esp::batch<5, 2, 3>{}};
  tensor<T, shape<5, 4>> scores;
  tensor<T, shape<5, 4>, device> device_scores;
  for (int time = 0; time < 4; ++time) {
    scores.fill(0);
    predict(x, scores);
    check_close(copy(y.span()), copy(scores.span()));
    device_scores.fill(0);
    predict(x, device_scores);
    check_close(copy(y.span()), copy(device_scores.to_host().span()));
    device_scores.fill(0);
    predict(device_x, device_scores);
    check_close(copy(y.span()), copy(device_scores.to_host().span()));
    scores.fill(0);
    predict(device_x, scores);
    check_close(copy(y.span()), copy(scores.span()));
  }
  auto const other = numbers<T, shape<5, 2, 3>>(2);
  predict(esp::view<T const, shape<5, 2, 3>>{other}, scores);
  check_close(copy(model(other).span()), copy(scores.span()));
}
BOOST_AUTO_TEST_CASE(gradients_lie_on_the_device) {
  esp::model<Net, esp::cpu, double> model{esp::seed{1}};
  esp::model<Net, device, double> device_model{esp::seed{1}};
  auto const x = doubles<5, 2, 3>(1);
  auto const y = labels<5>(2, 4);
  tensor<double, shape<5, 2, 3>, device> const device_x{x};
  tensor<std::int32_t, shape<5>, device> const device_y{y};
  auto const expected = esp::value_and_grad(model, nn::SoftmaxLoss{})(x, y);
  auto const check = [&expected](auto const& r) {
    BOOST_TEST(near(r.loss, expected.loss, 1e-10));
    check_close(on_host(r.gradients.span()), copy(expected.gradients.span()), 1e-10);
    check_close(on_host(r.gradients.parameter("3.weight").span()),
                copy(expected.gradients.parameter("3.weight").span()), 1e-10);
    auto const duplicate = r.gradients;
    check_close(on_host(duplicate.span()), copy(expected.gradients.span()), 1e-10);
    int seen = 0;
    r.gradients.for_each_parameter([&](char const* name, esp::extents const&, auto span) {
      check_close(copy(span), copy(expected.gradients.parameter(name).span()), 1e-10);
      ++seen;
    });
    BOOST_TEST(seen == 4);
  };
  check(esp::value_and_grad(device_model, nn::SoftmaxLoss{})(x, y));
  check(esp::value_and_grad(device_model, nn::SoftmaxLoss{})(device_x, device_y));
  check(esp::value_and_grad(device_model, nn::SoftmaxLoss{})(device_x, y));
  check_close(on_host(esp::grad(device_model, nn::SoftmaxLoss{})(x, device_y).span()), copy(expected.gradients.span()),
              1e-10);
  auto wrong = y;
  wrong[3] = 4;
  BOOST_CHECK_THROW(esp::value_and_grad(device_model, nn::SoftmaxLoss{})(x, wrong), esp::label_error);
  BOOST_CHECK_THROW(
      (esp::value_and_grad(device_model, nn::SoftmaxLoss{})(x, tensor<std::int32_t, shape<5>, device>{wrong})),
      esp::label_error);
}
BOOST_AUTO_TEST_CASE(a_training_loop_of_ones_own) {
  esp::model<Normalized, esp::cpu, double> model{esp::seed{1}};
  esp::model<Normalized, device, double> device_model{esp::seed{1}};
  auto const chosen =
      optim::decay_only<optim::weights>(optim::penalized{optim::AdamW{.learning_rate = 0.01}, 1e-3, 1e-4});
  optim::updater host_side{model, chosen};
  optim::updater far{device_model, chosen};
  auto const x = doubles<6, 6>(1);
  auto const y = labels<6>(2, 3);
  for (int step = 0; step < 3; ++step) {
    auto const a = esp::value_and_grad(model, nn::SoftmaxLoss{})(x, y);
    auto const b = esp::value_and_grad(device_model, nn::SoftmaxLoss{})(x, y);
    BOOST_TEST(near(a.loss, b.loss, 1e-9));
    BOOST_TEST(near(host_side.penalty(model), far.penalty(device_model), 1e-9));
    host_side.update(model, a.gradients);
    far.update(device_model, b.gradients);
  }
  BOOST_TEST(far.steps() == 3);
  BOOST_TEST(host_side.penalty(model) > 0);
  check_close(copy(model.parameters()), on_host(device_model.parameters()), 1e-8);
  check_close(copy(model.buffers()), on_host(device_model.buffers()), 1e-8);
  check_close(copy(host_side.states()), on_host(far.states()), 1e-8);
}
BOOST_AUTO_TEST_CASE(a_skipped_update_is_counted) {
  esp::model<Net, device> device_model{esp::seed{1}};
  optim::updater updater{device_model, optim::skip_non_finite{optim::SGD<>{}}};
  auto const before = on_host(device_model.parameters());
  auto r = esp::value_and_grad(device_model, nn::SoftmaxLoss{})(floats<5, 2, 3>(1), labels<5>(2, 4));
  updater.update(device_model, r.gradients);
  auto const after = on_host(device_model.parameters());
  BOOST_TEST((before != after));
  std::vector<float> broken = on_host(r.gradients.span());
  broken[7] = NAN;
  r.gradients.span().from_host({broken.data(), r.gradients.span().size()});
  updater.update(device_model, r.gradients);
  BOOST_TEST(on_host(device_model.parameters()) == after, boost::test_tools::per_element());
  BOOST_TEST(updater.steps() == 1);
  BOOST_TEST(updater.skipped_updates() == 1);
}
BOOST_AUTO_TEST_CASE(the_best_so_far_stays_on_the_device) {
  esp::model<Normalized> model{esp::seed{1}};
  esp::model<Normalized, device> device_model{esp::seed{1}};
  esp::best_parameters best{device_model};
  check_same(model, device_model);
  scramble(device_model);
  best.restore(device_model);
  check_same(model, device_model);
  scramble(device_model);
  scramble(model);
  best.keep(device_model);
  device_model.initialize(esp::seed{5});
  best.restore(device_model);
  check_same(model, device_model);
  BOOST_TEST(on_host(best.parameters()) == copy(model.parameters()), boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(a_backend_of_the_users_own) {
  esp::model<Net> model{esp::seed{1}};
  backend own;
  long const before = device_allocations();
  esp::model<Net, device> device_model{esp::seed{1}, own};
  esp::predictor predict{device_model, esp::batch<5, 2, 3>{}};
  BOOST_TEST(device_allocations() == before);
  auto const x = floats<5, 2, 3>(1);
  tensor<float, shape<5, 4>> scores;
  predict(x, scores);
  check_close(copy(model(x).span()), copy(scores.span()));
  check_close(copy(model(x).span()), copy(device_model(x).span()));
  if constexpr (backends_share_memory<>) {
    tensor<float, shape<5, 2, 3>, device> const device_x{x};
    check_close(copy(model(x).span()), copy(device_model(device_x).to_host().span()));
  }
}
