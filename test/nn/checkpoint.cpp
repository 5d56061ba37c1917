// SPDX-License-Identifier: BSL-1.0
// Nets whose blocks are recomputed in the backward pass: the same numbers with less workspace.
#define BOOST_TEST_MODULE nn_checkpoint
#include <boost/test/unit_test.hpp>

#include <espalier/up_to.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
template <class Block>
using kept = Block;
template <class Block>
using recomputed = nn::Checkpoint<Block>;

constexpr int width = 64;
using wide_block = nn::Sequential<nn::Linear<width, width>, nn::Tanh, nn::Linear<width, width>, nn::Tanh,
                                  nn::Linear<width, width>, nn::Tanh>;
template <template <class> class Kept>
using Deep = nn::Sequential<nn::Linear<width, width>, nn::Repeat<8, Kept<wide_block>>, nn::Linear<width, 10>>;
using deep_batch = esp::batch<128, width>;

// Random masks, statistics of the batch, sums over the block, and blocks within blocks.
template <template <class> class Kept>
using Mixed = nn::Sequential<
    nn::Linear<6, 8>,
    Kept<nn::Sequential<nn::Linear<8, 8>, nn::BatchNorm1d<8>, nn::ReLU, nn::Dropout<0.25>, nn::Linear<8, 8>>>,
    nn::Residual<Kept<nn::Sequential<nn::LayerNorm1d<8>, Kept<nn::Sequential<nn::Linear<8, 8>, nn::Dropout<0.5>>>,
                                     nn::GELU, nn::Linear<8, 8>>>>,
    Kept<nn::WeightNorm<nn::Linear<8, 8>>>, nn::Linear<8, 3>>;
template <template <class> class Kept>
using Images = nn::Sequential<Kept<nn::Sequential<nn::Conv<1, 8, 3>, nn::BatchNorm2d<8>, nn::ReLU>>,
                              Kept<nn::Sequential<nn::Conv<8, 8, 3>, nn::ReLU, nn::MaxPool2d<2>>>, nn::Flatten,
                              nn::Linear<128, 3>>;

template <template <class> class Kept>
using deep_plan =
    std::remove_cvref_t<decltype(esp::training_plan<Deep<Kept>, nn::SoftmaxLoss, optim::SGD<>, deep_batch>)>;

inline constexpr auto classify = [](auto net, auto x, auto y) { return nn::SoftmaxLoss{}(net(x), y); };
inline constexpr auto train = [](auto net, auto optimizer, auto x, auto y) {
  auto const [loss, gradients] = esp::value_and_grad<0>(classify)(net, x, y);
  optimizer.update(net, gradients);
  return loss;
};

/// Trains both nets by trainers, and returns the largest difference of losses, parameters and buffers.
template <class A, class B, class X>
double trained_apart(X const& x, auto const& y) {
  esp::model<A> a{esp::seed{3}};
  esp::model<B> b{esp::seed{3}};
  esp::trainer first{a, nn::SoftmaxLoss{}, optim::Adam{1e-2f}, esp::shape_of<X>{}};
  esp::trainer second{b, nn::SoftmaxLoss{}, optim::Adam{1e-2f}, esp::shape_of<X>{}};
  double apart = 0;
  auto const compare = [&](auto u, auto v) { apart = std::fmax(apart, std::fabs(double{u} - double{v})); };
  for (int step = 0; step < 4; ++step) compare(first.step(x, y), second.step(x, y));
  BOOST_REQUIRE(a.parameters().size() == b.parameters().size());
  BOOST_REQUIRE(a.buffers().size() == b.buffers().size());
  for (std::int64_t i = 0; i < a.parameters().size(); ++i) compare(a.parameters()[i], b.parameters()[i]);
  for (std::int64_t i = 0; i < a.buffers().size(); ++i) compare(a.buffers()[i], b.buffers()[i]);
  return apart;
}
}  // namespace

// 24 values of 32 KiB are kept otherwise; then nine, and those of one block while it is pulled back.
BOOST_AUTO_TEST_CASE(the_workspace_of_a_training_step_falls) {
  using with = deep_plan<recomputed>;
  using without = deep_plan<kept>;
  BOOST_TEST_MESSAGE("workspace " << without::workspace_bytes << " -> " << with::workspace_bytes << ", kernels "
                                  << without::kernel_count << " -> " << with::kernel_count);
  static_assert(2 * with::workspace_bytes < without::workspace_bytes);
  static_assert(with::kernel_count == without::kernel_count + 8 * 3);  // the three products of each block once more
}
BOOST_AUTO_TEST_CASE(so_does_that_of_a_compiled_step) {
  auto const x = numbers<float, deep_batch>(1, -1, 1);
  auto const y = labels<128>(2, 10);
  tensor<float, shape<>> loss, other;
  esp::model<Deep<recomputed>> a{esp::seed{3}};
  esp::model<Deep<kept>> b{esp::seed{3}};
  optim::updater first{a, optim::SGD<>{0.1f}};
  optim::updater second{b, optim::SGD<>{0.1f}};
  esp::compiled with{train, a, first, x, y};
  esp::compiled without{train, b, second, x, y};
  static_assert(2 * decltype(with)::workspace_bytes < decltype(without)::workspace_bytes);
  for (int step = 0; step < 3; ++step) {
    with(x, y, loss);
    without(x, y, other);
    BOOST_TEST((loss == other));
  }
  for (std::int64_t i = 0; i < a.parameters().size(); ++i)
    if (a.parameters()[i] != b.parameters()[i]) BOOST_TEST(a.parameters()[i] == b.parameters()[i]);
}

BOOST_AUTO_TEST_CASE(training_has_the_same_numbers) {
  BOOST_TEST((trained_apart<Deep<kept>, Deep<recomputed>>(numbers<float, deep_batch>(1, -1, 1), labels<128>(2, 10))) ==
             0);
  BOOST_TEST((trained_apart<Mixed<kept>, Mixed<recomputed>>(floats<16, 6>(1), labels<16>(2, 3))) < 1e-6);
  BOOST_TEST((trained_apart<Images<kept>, Images<recomputed>>(floats<5, 1, 8, 8>(1), labels<5>(2, 3))) < 1e-6);
}

BOOST_AUTO_TEST_CASE(gradients_agree_with_a_difference) {
  using Net = Mixed<recomputed>;
  esp::model<Net, esp::cpu, double> model{esp::seed{4}};
  scramble(model, -0.5, 0.5);
  auto const x = doubles<16, 6>(1);
  auto const y = labels<16>(2, 3);
  auto const at = [&](double by) {
    esp::model<Net, esp::cpu, double> moved = model.clone();
    std::uint64_t seed = 100;
    moved.for_each_parameter([&](char const*, esp::extents const&, auto span) {
      for (auto& p : span) p += by * numbers<double, shape<1>>(seed++, -1, 1)[0];
    });
    return esp::value_and_grad(moved, nn::SoftmaxLoss{})(x, y);
  };
  auto const middle = at(0);
  double along = 0, size = 0;
  std::uint64_t seed = 100;
  middle.gradients.for_each_parameter([&](char const*, esp::extents const&, auto span) {
    for (double g : span) {
      double const term = g * numbers<double, shape<1>>(seed++, -1, 1)[0];
      along += term;
      size += std::fabs(term);
    }
  });
  double const step = 1e-6, measured = (at(step).loss - at(-step).loss) / (2 * step);
  BOOST_TEST(std::fabs(along - measured) < 1e-6 * (1 + size));
}

BOOST_AUTO_TEST_CASE(evaluation_is_that_of_the_block) {
  esp::model<Mixed<recomputed>> a{esp::seed{3}};
  esp::model<Mixed<kept>> b{esp::seed{3}};
  auto const x = floats<16, 6>(1);
  BOOST_TEST((a(x) == b(x)));
}

BOOST_AUTO_TEST_CASE(batches_of_a_size_known_at_run_time) {
  using Net =
      nn::Sequential<nn::Linear<6, 8>, nn::Checkpoint<nn::Sequential<nn::Linear<8, 8>, nn::Tanh>>, nn::Linear<8, 3>>;
  using Other = nn::Sequential<nn::Linear<6, 8>, nn::Sequential<nn::Linear<8, 8>, nn::Tanh>, nn::Linear<8, 3>>;
  esp::model<Net> a{esp::seed{3}};
  esp::model<Other> b{esp::seed{3}};
  esp::trainer first{a, nn::SoftmaxLoss{}, optim::SGD<>{0.1f}, shape<esp::up_to<16>, 6>{}};
  esp::trainer second{b, nn::SoftmaxLoss{}, optim::SGD<>{0.1f}, shape<esp::up_to<16>, 6>{}};
  auto const x = floats<11, 6>(1);
  auto const y = labels<11>(2, 3);
  for (int step = 0; step < 3; ++step) BOOST_TEST(first.step(x, y) == second.step(x, y));
  for (std::int64_t i = 0; i < a.parameters().size(); ++i) BOOST_TEST(a.parameters()[i] == b.parameters()[i]);
}
