// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE optim_decay_only
#include <boost/test/unit_test.hpp>

#include <cstring>

#include "support/check_optimizer.hpp"

using namespace test;

namespace {
constexpr bool selects(char const* path, esp::extents const& shape, bool ones = false) {
  return optim::weights::selects({path, shape, ones});
}
static_assert(selects("0.weight", {2, {3, 5}}) && selects("weight", {2, {64, 1}}) &&
              selects("weight", {4, {3, 3, 16, 32}}) && selects("table", {2, {100, 8}}));
static_assert(!selects("0.bias", {2, {1, 5}}) && !selects("bias", {1, {5}}) && !selects("weight", {1, {5}}) &&
              !selects("scale", {0, {}}));
static_assert(selects("0.weight", {2, {1, 5}}), "a layer of one input");
static_assert(!selects("norm.weight", {2, {3, 4}}, true) && !selects("norm.bias", {2, {3, 4}}), "a norm over two axes");

struct only_the_second {
  static constexpr bool selects(optim::parameter_facts const& p) { return p.path[0] == '2'; }
};

/// The vector of check_optimizer holds 0.weight (15), 0.bias (5), 2.weight (6) and 2.bias (3).
bool is_weight(std::size_t i) { return i < 15 || (i >= 20 && i < 26); }

template <class Chosen>
auto descent(double lr, double decay, Chosen chosen) {
  return [=] {
    return [=](std::vector<double>& p, std::vector<double> const& g, int) {
      for (std::size_t i = 0; i < p.size(); ++i) p[i] -= lr * (g[i] + (chosen(i) ? decay * p[i] : 0));
    };
  };
}

using Normed = nn::Sequential<nn::Linear<8, 6>, nn::LayerNorm1d<6>, nn::ReLU, nn::Linear<6, 6, nn::no_bias>,
                              nn::BatchNorm1d<6>, nn::Linear<6, 3>>;

/// With gradients of zero only a decay moves anything: gains, offsets and biases keep their bits, weights do not.
template <class T, class Optimizer>
void check_exempt(Optimizer optimizer) {
  esp::model<Normed, esp::cpu, T> model{esp::seed{3}};
  model.parameter("0.bias").span()[1] = T(-0.0);
  model.parameter("1.weight").span()[2] = std::numeric_limits<T>::max();
  auto const before = copy(model.parameters());
  auto const* const start = model.parameters().data();
  optim::updater updater{model, optimizer};
  for (int step = 0; step < 5; ++step) updater.update(model, esp::gradients<Normed, T>{});
  model.for_each_parameter([&](std::string_view name, esp::extents const&, auto values) {
    bool const same = std::memcmp(values.data(), before.data() + (values.data() - start),
                                  static_cast<std::size_t>(values.size()) * sizeof(T)) == 0;
    BOOST_TEST(same == (name != "0.weight" && name != "3.weight" && name != "5.weight"), name);
  });
}
}  // namespace

BOOST_AUTO_TEST_CASE(biases_are_exempt) {
  check_optimizer_in_both(optim::decay_only<optim::weights>(optim::SGD<>{.learning_rate = 0.1, .weight_decay = 0.2}),
                          descent(0.1, 0.2, is_weight));
}
BOOST_AUTO_TEST_CASE(a_choice_of_ones_own) {
  check_optimizer_in_both(optim::decay_only<only_the_second>(optim::SGD<>{.learning_rate = 0.1, .weight_decay = 0.2}),
                          descent(0.1, 0.2, [](std::size_t i) { return i >= 20; }));
}
BOOST_AUTO_TEST_CASE(exempt_parameters_keep_their_bits) {
  check_exempt<float>(optim::decay_only<optim::weights>(optim::SGD<>{.learning_rate = 0.1, .weight_decay = 0.2}));
  check_exempt<float>(optim::decay_only<optim::weights>(optim::AdamW{.learning_rate = 0.1, .weight_decay = 0.2}));
  check_exempt<double>(optim::decay_only<optim::weights>(optim::Adam{.learning_rate = 0.1, .weight_decay = 0.2}));
  check_exempt<double>(
      optim::decay_only<optim::weights>(optim::amsgrad{optim::AdamW{.learning_rate = 0.1, .weight_decay = 0.2}}));
  check_exempt<float>(optim::decay_only<optim::weights>(
      optim::penalized{optim::SGD{.learning_rate = 0.1, .momentum = optim::damped{0.9}}, 0.1, 0.2}));
  check_exempt<float>(optim::decay_only<optim::weights>(optim::decoupled{optim::SGD<>{.learning_rate = 0.1}, 0.2}));
}
BOOST_AUTO_TEST_CASE(inside_and_around_other_wrappers) {
  check_exempt<float>(optim::clip_by_norm{optim::decay_only<optim::weights>(optim::AdamW{.learning_rate = 0.1}), 1.0});
  check_exempt<float>(optim::decay_only<optim::weights>(optim::clip_by_norm{optim::AdamW{.learning_rate = 0.1}, 1.0}));
  check_exempt<float>(optim::skip_non_finite{
      optim::clip_by_norm{optim::decay_only<optim::weights>(optim::AdamW{.learning_rate = 0.1}), 1.0}});
}
BOOST_AUTO_TEST_CASE(the_penalty_counts_what_was_chosen) {
  esp::model<optimized_net, esp::cpu, double> model{esp::seed{1}};
  optim::updater updater{model, optim::decay_only<optim::weights>(optim::penalized{optim::SGD<>{}, 1.0})};
  double expected = 0;
  for (auto const* name : {"0.weight", "2.weight"})
    for (double const p : model.parameter(name).span()) expected += std::fabs(p);
  BOOST_TEST(near(updater.penalty(model), expected));
}
// In a trainer, too, and in memory that was given; it costs one number per parameter.
BOOST_AUTO_TEST_CASE(a_trainer_with_user_storage) {
  using model_type = esp::model<Normed>;
  using optimizer_type = decltype(optim::decay_only<optim::weights>(optim::AdamW{}));
  using plain_type = esp::trainer<model_type, nn::SoftmaxLoss, optim::AdamW, esp::batch<4, 8>>;
  using trainer_type = esp::trainer<model_type, nn::SoftmaxLoss, optimizer_type, esp::batch<4, 8>>;
  static_assert(optim::vectors<optim::AdamW> == 2 && optim::vectors<optimizer_type> == 3);
  static_assert(2 * trainer_type::optimizer_bytes == 3 * plain_type::optimizer_bytes);
  model_type model{esp::seed{1}}, same{esp::seed{1}};
  static esp::bytes<trainer_type::bytes> room;
  trainer_type in_storage{room, model, nn::SoftmaxLoss{},
                          optim::decay_only<optim::weights>(optim::AdamW{.weight_decay = 0.5}), esp::batch<4, 8>{}};
  trainer_type owning{same, nn::SoftmaxLoss{}, optim::decay_only<optim::weights>(optim::AdamW{.weight_decay = 0.5}),
                      esp::batch<4, 8>{}};
  auto const x = floats<4, 8>(1);
  auto const y = labels<4>(2, 3);
  for (int step = 0; step < 3; ++step) {
    in_storage.learning_rate() = owning.learning_rate() = 0.1 / (step + 1);
    BOOST_TEST(in_storage.step(x, y) == owning.step(x, y));
  }
  BOOST_TEST(copy(model.parameters()) == copy(same.parameters()), boost::test_tools::per_element());
}
