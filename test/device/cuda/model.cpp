// SPDX-License-Identifier: BSL-1.0
// A model on a device with memory of its own: its parameters, how the host reads and writes them, predictors, gradients, updaters, the best so far.
#define BOOST_TEST_MODULE device_cuda_model
#include <boost/test/unit_test.hpp>

#include "support/nets.hpp"
#include "support/test_device.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
using Net = nn::Sequential<nn::Flatten, nn::Linear<6, 12>, nn::ReLU, nn::Linear<12, 4>>;
using Normalized = nn::Sequential<nn::Linear<6, 8>, nn::BatchNorm1d<8>, nn::ReLU, nn::Frozen<nn::Linear<8, 8>>, nn::LayerNorm1d<8>, nn::Linear<8, 3>>;

template <class Elements>
auto on_host(Elements const& elements) {
  std::vector<std::remove_const_t<typename Elements::element_type>> r(static_cast<std::size_t>(elements.size()));
  elements.to_host({r.data(), elements.size()});
  return r;
}
template <class T>
void check_close(std::vector<T> const& a, std::vector<T> const& b, double within = 1e-5) {
  BOOST_REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) BOOST_TEST(near(static_cast<double>(a[i]), static_cast<double>(b[i]), within), i << ": " << a[i] << " and " << b[i]);
}
template <class A, class B>
void check_same(A const& model, B const& there) {
  BOOST_TEST(copy(model.parameters()) == on_host(there.parameters()), boost::test_tools::per_element());
  BOOST_TEST(copy(model.buffers()) == on_host(there.buffers()), boost::test_tools::per_element());
}
}  // namespace

BOOST_AUTO_TEST_CASE_TEMPLATE(a_seed_gives_the_same_bits_on_every_device, T, decltype(std::tuple<float, double>{})) {
  esp::model<Normalized, esp::cpu, T> model{esp::seed{7}};
  esp::model<Normalized, device, T> there{esp::seed{7}};
  check_same(model, there);
  there.initialize(esp::seed{8});
  model.initialize(esp::seed{8});
  check_same(model, there);
  static_assert(esp::model<Normalized, device, T>::parameter_bytes == esp::model<Normalized, esp::cpu, T>::parameter_bytes);
}
BOOST_AUTO_TEST_CASE(named_tensors_go_to_the_host_and_back) {
  esp::model<Normalized> model{esp::seed{1}};
  esp::model<Normalized, device> there{esp::seed{1}};
  BOOST_TEST(parameter_list(model) == parameter_list(there));
  BOOST_TEST(buffer_list(model) == buffer_list(there));
  for (char const* name : {"0.weight", "1.bias", "3.module.weight"}) {
    auto const here = model.parameter(name);
    auto const far = there.parameter(name);
    BOOST_REQUIRE(static_cast<bool>(far));
    BOOST_TEST(std::string(far.name()) == name);
    BOOST_TEST((far.shape() == here.shape()));
    BOOST_TEST(copy(here.span()) == on_host(far.span()), boost::test_tools::per_element());
    std::vector<float> elements(static_cast<std::size_t>(far.span().size()));
    esp::span<float> const seen{elements.data(), far.span().size()};
    far.to_host(seen);
    for (float& element : elements) element = 2 * element + 1;
    far.from_host(seen);
    here.from_host(seen);
  }
  check_same(model, there);
  BOOST_TEST(!there.find_parameter("5.nothing"));
  BOOST_TEST(there.find_parameter("5.nothing").span().size() == 0);
  BOOST_TEST(on_host(there.buffer("1.running_var").span()) == std::vector<float>(8, 1.0f), boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(what_for_each_parameter_writes_goes_to_the_device) {
  esp::model<Normalized> model{esp::seed{1}};
  esp::model<Normalized, device> there{esp::seed{1}};
  scramble(model);
  scramble(there);
  there.for_each_buffer([](char const*, esp::extents const&, auto span) { for (float& element : span) element += 3; });
  model.for_each_buffer([](char const*, esp::extents const&, auto span) { for (float& element : span) element += 3; });
  check_same(model, there);
}
BOOST_AUTO_TEST_CASE(models_are_copied_between_devices) {
  esp::model<Normalized> model{esp::seed{1}}, back{esp::seed{2}};
  esp::model<Normalized, device> there{esp::seed{3}}, other{esp::seed{4}};
  copy(model, there);
  check_same(model, there);
  copy(there, other);
  check_same(model, other);
  copy(other, back);
  BOOST_TEST(copy(model.parameters()) == copy(back.parameters()), boost::test_tools::per_element());
  esp::model<Normalized> third;
  copy(back, third);
  check_same(third, there);
}
BOOST_AUTO_TEST_CASE_TEMPLATE(outputs_are_the_hosts, T, decltype(std::tuple<float, double>{})) {
  esp::model<Net, esp::cpu, T> model{esp::seed{1}};
  esp::model<Net, device, T> there{esp::seed{1}};
  auto const x = numbers<T, shape<5, 2, 3>>(1);
  tensor<T, shape<5, 2, 3>, device> const x_there{x};
  auto const y = model(x);
  check_close(copy(y.span()), copy(there(x).span()));
  check_close(copy(y.span()), copy(there(x_there).to_host().span()));
  static_assert(std::is_same_v<decltype(there(x)), tensor<T, shape<5, 4>>>);
  static_assert(std::is_same_v<decltype(there(x_there)), tensor<T, shape<5, 4>, device>>);

  esp::predictor predict{there, esp::batch<5, 2, 3>{}};
  tensor<T, shape<5, 4>> scores;
  tensor<T, shape<5, 4>, device> scores_there;
  for (int time = 0; time < 4; ++time) {
    scores.fill(0);
    predict(x, scores);
    check_close(copy(y.span()), copy(scores.span()));
    scores_there.fill(0);
    predict(x, scores_there);
    check_close(copy(y.span()), copy(scores_there.to_host().span()));
    scores_there.fill(0);
    predict(x_there, scores_there);
    check_close(copy(y.span()), copy(scores_there.to_host().span()));
    scores.fill(0);
    predict(x_there, scores);
    check_close(copy(y.span()), copy(scores.span()));
  }
  auto const other = numbers<T, shape<5, 2, 3>>(2);
  predict(esp::view<T const, shape<5, 2, 3>>{other}, scores);
  check_close(copy(model(other).span()), copy(scores.span()));
}
BOOST_AUTO_TEST_CASE(gradients_lie_on_the_device) {
  esp::model<Net, esp::cpu, double> model{esp::seed{1}};
  esp::model<Net, device, double> there{esp::seed{1}};
  auto const x = doubles<5, 2, 3>(1);
  auto const y = labels<5>(2, 4);
  tensor<double, shape<5, 2, 3>, device> const x_there{x};
  tensor<std::int32_t, shape<5>, device> const y_there{y};
  auto const wanted = esp::value_and_grad(model, nn::SoftmaxLoss{})(x, y);
  auto const check = [&wanted](auto const& r) {
    BOOST_TEST(near(r.loss, wanted.loss, 1e-10));
    check_close(on_host(r.slopes.span()), copy(wanted.slopes.span()), 1e-10);
    check_close(on_host(r.slopes.parameter("3.weight").span()), copy(wanted.slopes.parameter("3.weight").span()), 1e-10);
    auto const duplicate = r.slopes;
    check_close(on_host(duplicate.span()), copy(wanted.slopes.span()), 1e-10);
    int seen = 0;
    r.slopes.for_each_parameter([&](char const* name, esp::extents const&, auto span) {
      check_close(copy(span), copy(wanted.slopes.parameter(name).span()), 1e-10);
      ++seen;
    });
    BOOST_TEST(seen == 4);
  };
  check(esp::value_and_grad(there, nn::SoftmaxLoss{})(x, y));
  check(esp::value_and_grad(there, nn::SoftmaxLoss{})(x_there, y_there));
  check(esp::value_and_grad(there, nn::SoftmaxLoss{})(x_there, y));
  check_close(on_host(esp::grad(there, nn::SoftmaxLoss{})(x, y_there).span()), copy(wanted.slopes.span()), 1e-10);
  auto wrong = y;
  wrong[3] = 4;
  BOOST_CHECK_THROW(esp::value_and_grad(there, nn::SoftmaxLoss{})(x, wrong), esp::label_error);
  BOOST_CHECK_THROW((esp::value_and_grad(there, nn::SoftmaxLoss{})(x, tensor<std::int32_t, shape<5>, device>{wrong})), esp::label_error);
}
BOOST_AUTO_TEST_CASE(a_training_loop_of_ones_own) {
  esp::model<Normalized, esp::cpu, double> model{esp::seed{1}};
  esp::model<Normalized, device, double> there{esp::seed{1}};
  auto const chosen = optim::decay_only<optim::weights>(optim::penalized{optim::AdamW{.learning_rate = 0.01}, 1e-3, 1e-4});
  optim::updater here{model, chosen};
  optim::updater far{there, chosen};
  auto const x = doubles<6, 6>(1);
  auto const y = labels<6>(2, 3);
  for (int step = 0; step < 3; ++step) {
    auto const a = esp::value_and_grad(model, nn::SoftmaxLoss{})(x, y);
    auto const b = esp::value_and_grad(there, nn::SoftmaxLoss{})(x, y);
    BOOST_TEST(near(a.loss, b.loss, 1e-9));
    BOOST_TEST(near(here.penalty(model), far.penalty(there), 1e-9));
    here.update(model, a.slopes);
    far.update(there, b.slopes);
  }
  BOOST_TEST(far.steps() == 3);
  BOOST_TEST(here.penalty(model) > 0);
  check_close(copy(model.parameters()), on_host(there.parameters()), 1e-8);
  check_close(copy(model.buffers()), on_host(there.buffers()), 1e-8);
  check_close(copy(here.states()), on_host(far.states()), 1e-8);
}
BOOST_AUTO_TEST_CASE(a_refused_update_is_counted) {
  esp::model<Net, device> there{esp::seed{1}};
  optim::updater updater{there, optim::refuse_non_finite{optim::SGD<>{}}};
  auto const before = on_host(there.parameters());
  auto r = esp::value_and_grad(there, nn::SoftmaxLoss{})(floats<5, 2, 3>(1), labels<5>(2, 4));
  updater.update(there, r.slopes);
  auto const after = on_host(there.parameters());
  BOOST_TEST((before != after));
  std::vector<float> broken = on_host(r.slopes.span());
  broken[7] = NAN;
  r.slopes.span().from_host({broken.data(), r.slopes.span().size()});
  updater.update(there, r.slopes);
  BOOST_TEST(on_host(there.parameters()) == after, boost::test_tools::per_element());
  BOOST_TEST(updater.steps() == 1);
  BOOST_TEST(updater.refused_updates() == 1);
}
BOOST_AUTO_TEST_CASE(the_best_so_far_stays_on_the_device) {
  esp::model<Normalized> model{esp::seed{1}};
  esp::model<Normalized, device> there{esp::seed{1}};
  esp::best_parameters best{there};
  check_same(model, there);
  scramble(there);
  best.restore(there);
  check_same(model, there);
  scramble(there);
  scramble(model);
  best.keep(there);
  there.initialize(esp::seed{5});
  best.restore(there);
  check_same(model, there);
  BOOST_TEST(on_host(best.parameters()) == copy(model.parameters()), boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(a_machine_of_the_users_own) {
  esp::model<Net> model{esp::seed{1}};
  machine own;
  long const before = device_allocations();
  esp::model<Net, device> there{esp::seed{1}, own};
  esp::predictor predict{there, esp::batch<5, 2, 3>{}};
  BOOST_TEST(device_allocations() == before);
  auto const x = floats<5, 2, 3>(1);
  tensor<float, shape<5, 4>> scores;
  predict(x, scores);
  check_close(copy(model(x).span()), copy(scores.span()));
  check_close(copy(model(x).span()), copy(there(x).span()));
  if constexpr (machines_share_memory<>) {
    tensor<float, shape<5, 2, 3>, device> const x_there{x};
    check_close(copy(model(x).span()), copy(there(x_there).to_host().span()));
  }
}
