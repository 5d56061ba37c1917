// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE model_frozen
#include <boost/test/unit_test.hpp>

#include <memory>

#include <espalier/model/frozen.hpp>

#include "support/allocation_counter.hpp"
#include "support/longer_run.hpp"
#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;
namespace graph = esp::graph;
namespace plan = esp::plan;

namespace {

template <class Net, class Batch>
using frozen_net = esp::frozen<esp::model<Net>, Batch>;

/// Steps of all kernels that run for one call.
template <class Net, class Batch>
inline constexpr int steps = plan::plan_of<esp::detail::frozen_program<Net, Batch>>.ir.instruction_count;

/// Whatever a call computes depends on its input: the parameters' own share was done before.
template <class Program>
constexpr bool computes_with_the_input_only() {
  graph::node_table const& g = plan::graph_of<Program>.nodes;
  bool varies[256]{};
  for (int id = 1; id <= g.size; ++id) {
    graph::op_family const f = g[id].op->family;
    varies[id] = f == graph::op_family::argument;
    for (int x : g[id].operand) varies[id] = varies[id] || varies[x];
    bool const name = f == graph::op_family::parameter || f == graph::op_family::constant ||
                      f == graph::op_family::reshape || f == graph::op_family::broadcast;
    if (!varies[id] && !name) return false;
  }
  return true;
}

/// A model whose statistics are not those it started with.
template <class T = float, class Net, class Batch>
void train(esp::model<Net, esp::cpu, T>& model, Batch) {
  scramble(model);
  std::uint64_t number = 100;
  model.for_each_buffer([&](char const*, esp::extents const&, auto span) {
    for (auto& element : span) element = numbers<T, shape<1>>(number++, 0.5, 2)[0];
  });
}
template <class Net, class T, int... N>
void check(shape<N...> batch, double within) {
  esp::model<Net, esp::cpu, T> model{esp::seed{1}};
  train(model, batch);
  esp::predictor predict{model, batch};
  esp::frozen net{model, batch};
  static_assert(std::is_same_v<typename decltype(net)::output_shape, typename decltype(predict)::output_shape>);
  static_assert(computes_with_the_input_only<esp::detail::frozen_program<Net, shape<N...>>>());
  tensor<T, typename decltype(net)::output_shape> expected, scores;
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    auto const x = numbers<T, shape<N...>>(seed);
    predict(x, expected);
    net(x, scores);
    for (std::int64_t i = 0; i < scores.size(); ++i)
      BOOST_TEST(near(static_cast<double>(scores[i]), static_cast<double>(expected[i]), within));
  }
}
/// In double by a longer run, in float by the others: the program is the same.
template <class Net, int... N>
void check(shape<N...> batch) {
  if constexpr (longer_run) check<Net, double>(batch, 1e-13);
  else check<Net, float>(batch, 2e-5);
}

using Small = nn::Sequential<nn::Linear<16, 32>, nn::ReLU, nn::Linear<32, 32>, nn::ReLU, nn::Linear<32, 4>>;
using Normed = nn::Sequential<nn::Linear<16, 32>, nn::BatchNorm1d<32>, nn::ReLU, nn::Linear<32, 32>,
                              nn::BatchNorm1d<32>, nn::ReLU, nn::Linear<32, 4>>;

/// A matrix that is stored the other way round, scales and shifts of all kinds, and a product that two read.
struct Scaled {
  esp::parameter<shape<5, 6>, nn::init::initialized_by<nn::init::uniform{-1, 1}>> weight{};
  esp::parameter<shape<5>, nn::init::initialized_by<nn::init::uniform{1, 2}>> scale{};
  nn::Linear<5, 5> fc{};
  ESPALIER_MODULE(Scaled, weight, scale, fc)
  constexpr auto forward(auto x) const {
    auto const y = (2 * (matmul(x, esp::transpose<0, 1>(weight)) - scale) / scale + 1) * exp(scale);
    auto const z = fc(esp::relu(y));
    return z * scale + tanh(z);
  }
};
/// Nothing of its input reaches the result.
struct Constant {
  esp::parameter<shape<2, 3>, nn::init::initialized_by<nn::init::uniform{-1, 1}>> value{};
  ESPALIER_MODULE(Constant, value)
  constexpr auto forward(auto) const { return esp::square(value); }
};

/// The product of a transposed input.
struct Transposed {
  nn::Linear<3, 4> fc{};
  nn::BatchNorm1d<4> norm{};
  ESPALIER_MODULE(Transposed, fc, norm)
  constexpr auto forward(auto x) const { return norm(fc(esp::transpose<0, 1>(x))); }
};
/// A matrix for each of two batches, between axes in two orders. The first scale is one for each batch and column, the
/// second for each column, the third for each batch; the others differ along the rows, or come where batches and
/// columns have changed their order.
struct Batches {
  template <int... N>
  using uniform = esp::parameter<shape<N...>, nn::init::initialized_by<nn::init::uniform{1, 2}>>;
  uniform<2, 3, 4> weight{};
  uniform<2, 1, 4> of_all{};
  uniform<4> of_columns{};
  uniform<2, 1> of_batches{};
  uniform<5, 1, 1> of_rows{};
  uniform<2> turned{};
  ESPALIER_MODULE(Batches, weight, of_all, of_columns, of_batches, of_rows, turned)
  constexpr auto forward(auto x) const {                                         // (2, 5, 3)
    auto const y = (matmul(x, weight) - of_all) / of_all * of_columns;           // (2, 5, 4)
    auto const z = (esp::permute<1, 0, 2>(y) + of_batches) * of_batches + 0.5f;  // (5, 2, 4)
    return (esp::permute<0, 2, 1>(z * of_rows) + turned) * turned;
  }
};
/// A sum of products with a factor that rows share, and one that only rows have.
struct Sums {
  esp::parameter<shape<3, 4>, nn::init::initialized_by<nn::init::uniform{1, 2}>> weight{};
  esp::parameter<shape<4>, nn::init::initialized_by<nn::init::uniform{1, 2}>> scale{};
  ESPALIER_MODULE(Sums, weight, scale)
  constexpr auto forward(auto x) const {  // (2, 3, 4)
    auto const y = (esp::sum<1>(x * weight) - scale) * scale;
    return y + esp::sum<1>(x * esp::unsqueeze<1>(esp::sum<1>(weight))) * 2 - scale;
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(batch_norm_leaves_nothing_behind) {
  static_assert(frozen_net<Normed, esp::batch<1, 16>>::kernel_count ==
                frozen_net<Small, esp::batch<1, 16>>::kernel_count);
  static_assert(steps<Normed, esp::batch<1, 16>> == steps<Small, esp::batch<1, 16>>);
  static_assert(steps<Normed, esp::batch<8, 16>> == steps<Small, esp::batch<8, 16>>);
  static_assert(steps<Normed, esp::batch<8, 16>> <
                plan::plan_of<esp::detail::evaluation_program<Normed, esp::batch<8, 16>>>.ir.instruction_count);
  static_assert(frozen_net<Normed, esp::batch<1, 16>>::parameter_bytes ==
                frozen_net<Small, esp::batch<1, 16>>::parameter_bytes);
  check<Normed>(esp::batch<1, 16>{});
  check<Normed>(esp::batch<8, 16>{});
}
BOOST_AUTO_TEST_CASE(norms_of_images_vanish_into_convolutions) {
  using Bare = nn::Sequential<nn::Conv<3, 8, 3>, nn::ReLU, nn::Conv<8, 4, 3>, nn::Flatten, nn::Linear<64, 5>>;
  using Images = nn::Sequential<nn::Conv<3, 8, 3>, nn::BatchNorm2d<8>, nn::ReLU, nn::Conv<8, 4, 3>, nn::BatchNorm2d<4>,
                                nn::Flatten, nn::Linear<64, 5>>;
  static_assert(frozen_net<Images, esp::batch<2, 3, 4, 4>>::kernel_count ==
                frozen_net<Bare, esp::batch<2, 3, 4, 4>>::kernel_count);
  static_assert(steps<Images, esp::batch<2, 3, 4, 4>> == steps<Bare, esp::batch<2, 3, 4, 4>>);
  check<Images>(esp::batch<2, 3, 4, 4>{});
  check<Images>(esp::batch<1, 3, 4, 4>{});
}
// Groups of channels that a kernel reads in place, groups that are a batch of products, and one for each channel.
template <int Channels, int Outputs, int Groups>
void check_groups() {
  using Convolution = nn::Conv<Channels, Outputs, 3, nn::conv{.groups = Groups}>;
  using Bare = nn::Sequential<Convolution, nn::ReLU>;
  using Images = nn::Sequential<Convolution, nn::BatchNorm2d<Outputs>, nn::ReLU>;
  using Batch = esp::batch<2, Channels, 4, 4>;
  using Frozen = frozen_net<Images, Batch>;
  static_assert(Frozen::kernel_count == frozen_net<Bare, Batch>::kernel_count);
  static_assert(steps<Images, Batch> == steps<Bare, Batch>);
  static_assert(Frozen::parameter_bytes == frozen_net<Bare, Batch>::parameter_bytes);
  check<Images>(Batch{});
}
BOOST_AUTO_TEST_CASE(norms_vanish_into_convolutions_with_groups) {
  check_groups<8, 8, 4>();
  check_groups<16, 16, 4>();
  check_groups<6, 32, 2>();
  check_groups<12, 12, 4>();
  check_groups<12, 8, 4>();
  check_groups<6, 6, 6>();
  check_groups<3, 6, 3>();
}
BOOST_AUTO_TEST_CASE(columns_of_batches_and_of_sums) {
  check<Transposed>(esp::batch<3, 2>{});
  check<Batches>(esp::batch<2, 5, 3>{});
  check<Sums>(esp::batch<2, 3, 4>{});
  // The product; shift, scale of rows, and the last shift and scale behind it.
  static_assert(steps<Batches, esp::batch<2, 5, 3>> <
                plan::plan_of<esp::detail::evaluation_program<Batches, esp::batch<2, 5, 3>>>.ir.instruction_count - 4);
}
BOOST_AUTO_TEST_CASE(equals_the_predictor) {
  check<nn::Sequential<nn::Linear<6, 8>, nn::LayerNorm<shape<8>>, nn::Tanh, nn::Dropout<0.3>,
                       nn::Residual<nn::Linear<8, 8>>, nn::Linear<8, 3>, nn::Softmax<>>>(esp::batch<1, 6>{});
  check<nn::Sequential<nn::Linear<6, 8>,
                       nn::Residual<nn::Sequential<nn::BatchNorm1d<8>, nn::ReLU, nn::Linear<8, 8>, nn::BatchNorm1d<8>>>,
                       nn::Linear<8, 3>>>(esp::batch<4, 6>{});
  check<nn::Sequential<nn::BatchNorm1d<6>, nn::WeightNorm<nn::Linear<6, 8>>, nn::GroupNorm<2, 8>, nn::GELU,
                       nn::Linear<8, 3, nn::no_bias>, nn::BatchNorm1d<3>>>(esp::batch<2, 6>{});
  check<nn::Sequential<nn::Conv<4, 8, 3, nn::conv{.groups = 2}>, nn::BatchNorm2d<8>, nn::ReLU, nn::Flatten,
                       nn::Linear<128, 2>>>(esp::batch<2, 4, 4, 4>{});
}
// Of the last kernels 2x2 taps, then one, reach the image. They are constants: a call does not cut them out.
BOOST_AUTO_TEST_CASE(taps_that_read_only_padding) {
  using Images = nn::Sequential<nn::Conv<3, 8, 3, nn::conv{.stride = 2}>, nn::BatchNorm2d<8>, nn::ReLU,
                                nn::Conv<8, 8, 3>, nn::BatchNorm2d<8>, nn::ReLU,
                                nn::Conv<8, 8, 3, nn::conv{.groups = 8}>, nn::Flatten, nn::Linear<8, 2>>;
  static_assert(frozen_net<Images, esp::batch<2, 3, 2, 2>>::parameter_bytes < 4 * 8 * 8 * 9);
  check<Images>(esp::batch<2, 3, 2, 2>{});
  check<Images>(esp::batch<1, 3, 2, 2>{});
}
BOOST_AUTO_TEST_CASE(scales_shifts_and_constants) {
  check<Scaled>(esp::batch<1, 6>{});
  check<Scaled>(esp::batch<3, 6>{});
  check<Constant>(esp::batch<1, 4>{});
  // One product, one step each for its bias, relu; the second: bias, multiplication, tanh, addition.
  static_assert(steps<Scaled, esp::batch<1, 6>> == 3 + 5);
}
BOOST_AUTO_TEST_CASE(keeps_what_it_was_made_of) {
  using Net = nn::Sequential<nn::Linear<6, 8>, nn::BatchNorm1d<8>, nn::ReLU, nn::Linear<8, 4>>;
  auto const x = floats<1, 6>(1);
  tensor<float, shape<1, 4>> expected, scores;
  auto const made = [&] {
    esp::model<Net> model{esp::seed{1}};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 0.05}, esp::batch<16, 6>{}};
    for (int i = 0; i < 3; ++i) trainer.step(floats<16, 6>(2), labels<16>(3, 4));
    auto result = std::make_unique<esp::frozen<esp::model<Net>, esp::batch<1, 6>>>(model, esp::batch<1, 6>{});
    expected = model(x);
    trainer.step(floats<16, 6>(4), labels<16>(5, 4));
    BOOST_TEST(!(model(x) == expected));
    return result;
  }();
  (*made)(x, scores);
  for (int i = 0; i < 4; ++i) BOOST_TEST(near(double{scores[i]}, double{expected[i]}, 1e-5));
  auto const first = scores;
  (*made)(x, scores);
  BOOST_TEST(scores == first);
}
BOOST_AUTO_TEST_CASE(never_allocates) {
  using frozen_type = esp::frozen<esp::model<Small>, esp::batch<1, 16>>;
  static_assert(noexcept(std::declval<frozen_type&>()(std::declval<tensor<float, shape<1, 16>> const&>(),
                                                      std::declval<tensor<float, shape<1, 4>>&>())));
  static_assert(frozen_type::bytes == frozen_type::parameter_bytes + frozen_type::workspace_bytes);
  esp::model<Small> const model{esp::seed{1}};
  auto const parameters = copy(model.parameters());
  auto const x = floats<1, 16>(1);
  float room[6];
  room[0] = room[5] = 77;
  static esp::bytes<frozen_type::bytes> storage;
  long const before = espalier_test::allocations();
  frozen_type in_storage{model, esp::batch<1, 16>{}, storage};
  in_storage(x, esp::view<float, shape<1, 4>>(room + 1));
  BOOST_TEST(espalier_test::allocations() == before);
  BOOST_TEST((room[0] == 77 && room[5] == 77));
  tensor<float, shape<1, 4>> scores;
  esp::frozen net{model, esp::batch<1, 16>{}};
  BOOST_TEST(espalier_test::allocations() == before + 1);
  net(x, scores);
  BOOST_TEST(espalier_test::allocations() == before + 1);
  for (int i = 0; i < 4; ++i) BOOST_TEST(scores[i] == room[i + 1]);
  BOOST_TEST(copy(model.parameters()) == parameters, boost::test_tools::per_element());
}
