// SPDX-License-Identifier: BSL-1.0
// What optimizers make of parameters that are stored in 16 bits: they move precise ones in float, against the same in
// float on the host.
#define BOOST_TEST_MODULE device_cuda_half_updater
#include <boost/test/unit_test.hpp>

#include "half_models.hpp"

using namespace test;

namespace {
/// So many updates of two updaters with the same gradients, which `size` scales.
template <class H, class Optimizer>
void check_updates(char const* name, Optimizer const& chosen, double size) {
  esp::model<Perceptron, device, H> device_model{esp::seed{1}};
  esp::model<Perceptron> host_model;
  copy(device_model, host_model);
  optim::updater far{device_model, chosen};
  optim::updater near_by{host_model, chosen};
  auto const x = floats<5, 2, 3>(1);
  auto const y = labels<5>(2, 4);
  auto b = esp::value_and_grad(device_model, nn::SoftmaxLoss{})(rounded<H>(x), y);
  auto a = esp::value_and_grad(host_model, nn::SoftmaxLoss{})(x, y);
  double const difference =
      static_cast<double>(near_by.penalty(host_model)) - static_cast<double>(far.penalty(device_model));
  BOOST_TEST(std::fabs(difference) < 1e-5, name);
  for (int step = 0; step < 4; ++step) {
    std::vector<float> gradients;
    for (float e : floats<1000>(static_cast<std::uint64_t>(step), -size, size)) gradients.push_back(static_cast<H>(e));
    gradients.resize(static_cast<std::size_t>(a.gradients.span().size()));
    fill<H>(b.gradients.span(), gradients);
    for (std::size_t i = 0; i < gradients.size(); ++i) a.gradients.span()[static_cast<std::int64_t>(i)] = gradients[i];
    near_by.learning_rate() *= 0.9f;
    far.learning_rate() *= 0.9f;
    near_by.update(host_model, a.gradients);
    far.update(device_model, b.gradients);
    auto const got = on_host(device_model.parameters()), expected = on_host(host_model.parameters());
    for (std::size_t i = 0; i < got.size(); ++i) {
      double const p = static_cast<double>(expected[i]);
      BOOST_TEST(std::fabs(static_cast<double>(got[i]) - p) <= 0.51 * spacing<H> * std::fabs(p) + 1e-6,
                 name << ", parameter " << i << ": " << got[i] << " and " << p);
    }
  }
  BOOST_TEST(far.steps() == 4);
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(*far.states().data())>, float>);
  auto const kept = on_host(far.states()), expected_states = on_host(near_by.states());
  auto const master_weights =
      kept.begin() + (static_cast<std::ptrdiff_t>(kept.size()) - static_cast<std::ptrdiff_t>(expected_states.size()));
  check_close({master_weights, kept.end()}, expected_states, 1e-5, name);
  check_close({kept.begin(), master_weights}, on_host(host_model.parameters()), 1e-6, name);
}

/// A model of one number that is 1, and its gradient.
template <class H>
struct one_number {
  esp::model<nn::Linear<1, 1>, device, H> model{esp::seed{1}};
  esp::gradients<nn::Linear<1, 1>, H, device> gradient;
  one_number() {
    write(1);
    fill<H>(gradient.span(), std::vector<float>(static_cast<std::size_t>(gradient.span().size()), 1.0f));
  }
  void write(float number) { fill<H>(model.parameter("weight").span(), {number}); }
  float read() { return on_host(model.parameter("weight").span())[0]; }
};
}  // namespace

BOOST_AUTO_TEST_CASE_TEMPLATE(every_optimizer_moves_as_in_float, H, narrow) {
  // In 16 bits, squares of the smaller gradients would vanish, and most steps be lost.
  auto const wrapped = optim::penalized{optim::decoupled{optim::SGD<>{.learning_rate = 0.01}, 0.1}, 1e-3, 1e-2, true};
  for (double size : {1e-3, 1.0}) {
    check_updates<H>("SGD", optim::SGD<>{.learning_rate = 0.01, .weight_decay = 0.1}, size);
    check_updates<H>("clipped momentum",
                     optim::clip_by_norm{optim::SGD<optim::nesterov>{.learning_rate = 0.01, .momentum = {0.9}}, 0.5},
                     size);
    check_updates<H>("Adam", optim::Adam{.learning_rate = 1e-3, .weight_decay = 1e-3}, size);
    check_updates<H>("amsgrad", optim::amsgrad{optim::AdamW{.learning_rate = 1e-3}}, size);
    check_updates<H>("wrappers", optim::skip_non_finite{optim::decay_only<optim::weights>(wrapped)}, size);
  }
}
BOOST_AUTO_TEST_CASE_TEMPLATE(steps_that_16_bits_would_lose_add_up, H, narrow) {
  one_number<H> p;
  optim::updater updater{p.model, optim::SGD<>{.learning_rate = 0x1p-13}};
  for (int step = 0; step < 512; ++step) updater.update(p.model, p.gradient);
  BOOST_TEST(p.read() == 1 - 512 * 0x1p-13f);
}
BOOST_AUTO_TEST_CASE_TEMPLATE(what_somebody_else_writes_counts, H, narrow) {
  one_number<H> p, other;
  esp::best_parameters best{p.model};
  optim::updater updater{p.model, optim::SGD<>{.learning_rate = 0x1p-13}};
  auto const many_updates = [&] {
    for (int step = 0; step < 256; ++step) updater.update(p.model, p.gradient);
  };
  updater.update(p.model, p.gradient);
  p.write(-0.75f);
  many_updates();
  BOOST_TEST(p.read() == -0.75f - 256 * 0x1p-13f);
  best.restore(p.model);
  BOOST_TEST(p.read() == 1);
  many_updates();
  BOOST_TEST(p.read() == 1 - 256 * 0x1p-13f);
  other.write(0.25f);
  copy(other.model, p.model);
  many_updates();
  BOOST_TEST(p.read() == 0.25f - 256 * 0x1p-13f);
  p.write(0.0f);
  many_updates();
  BOOST_TEST(p.read() == -256 * 0x1p-13f);
}
BOOST_AUTO_TEST_CASE_TEMPLATE(an_update_goes_on_where_another_ended, H, narrow) {
  one_number<H> p, other;
  auto const chosen = optim::SGD<optim::nesterov>{.learning_rate = 0x1p-14, .momentum = {0.5}};
  optim::updater first{p.model, chosen}, second{other.model, chosen};
  for (int step = 0; step < 300; ++step) {
    first.update(p.model, p.gradient);
    second.update(other.model, other.gradient);
  }
  optim::updater third{other.model, chosen};
  auto const kept = on_host(second.states());
  third.states().from_host({kept.data(), third.states().size()});
  third.continue_after(second.steps());
  for (int step = 0; step < 300; ++step) {
    first.update(p.model, p.gradient);
    third.update(other.model, other.gradient);
  }
  BOOST_TEST(on_host(first.states()) == on_host(third.states()), boost::test_tools::per_element());
  BOOST_TEST(p.read() == other.read());
}
