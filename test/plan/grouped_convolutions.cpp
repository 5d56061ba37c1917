// SPDX-License-Identifier: BSL-1.0
// Convolutions with groups, as the processor runs them, against the program as it was traced: no permutation of images
// or results is left, and the numbers are the same but for the order of sums.
#define BOOST_TEST_MODULE plan_grouped_convolutions
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <string>
#include <tuple>
#include <type_traits>

#include <espalier/model/frozen.hpp>
#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/optim.hpp>
#include <espalier/report/explain.hpp>
#include <espalier/report/profile.hpp>

#include "support/convolution_programs.hpp"

namespace esp = espalier;
namespace nn = esp::nn;
namespace plan = esp::plan;
using esp::convolution;
using esp::shape;
using esp::tensor;

namespace {

using test::convolved, test::everything, test::program_of, test::fill, test::run_as_traced;

/// Between a bias and an activation.
template <convolution Options>
struct layer {
  constexpr auto operator()(auto x, auto w, auto b) const { return relu(esp::conv2d<Options>(x, w) + b); }
};
template <convolution Options>
struct without_bias {
  constexpr auto operator()(auto x, auto w, auto dy) const {
    auto const f = [](auto images, auto kernels, auto factor) {
      return sum(relu(esp::conv2d<Options>(images, kernels)) * factor);
    };
    return std::tuple{relu(esp::conv2d<Options>(x, w)), esp::grad<0>(f)(x, w, dy), esp::grad<1>(f)(x, w, dy)};
  }
};

/// The largest value that a kernel of its own permutes, in elements.
template <class Program>
constexpr std::int64_t largest_permuted() {
  using runs = plan::program_on_cpu<Program>;
  auto const& g = plan::graph_of<runs>.nodes;
  std::int64_t most = 0;
  for (int x = 1; x <= plan::plan_of<runs>.groups.group_count; ++x) {
    auto const& group = plan::plan_of<runs>.groups.groups[x];
    if (group.kind == plan::kernel_kind::permute && g[group.first].shape.size() > most)
      most = g[group.first].shape.size();
  }
  return most;
}
/// The products whose groups are in place.
template <class Program>
constexpr int in_place() {
  auto const& g = plan::graph_of<plan::program_on_cpu<Program>>.nodes;
  int count = 0;
  for (int id = 1; id <= g.size; ++id)
    count += g[id].op->family == plan::op_family::contraction && esp::graph::groups_in(g[id].attribute) > 1;
  return count;
}

/// The largest difference of two tensors, relative to the largest element.
template <class X>
double off(X const& x, X const& y) {
  double most = 0, largest = 0;
  auto at = y.begin();
  for (auto const v : x) {
    most = std::fmax(most, std::isfinite(v) ? std::fabs(static_cast<double>(v) - static_cast<double>(*at)) : 1e9);
    largest = std::fmax(largest, std::fabs(static_cast<double>(*at++)));
  }
  return largest == 0 ? 1e9 : most / largest;
}

/// InPlace: the products of F that are rewritten. Permuted: the largest value that is permuted.
template <class F, class T, class X, class W, class Y, int InPlace, std::int64_t Permuted>
void same_as_traced(char const* name) {
  tensor<T, X> x, dx, traced_dx;
  tensor<T, W> w, dw, traced_dw;
  tensor<T, Y> dy, y, traced_y;
  fill(x, 1), fill(w, 2), fill(dy, 3);
  esp::compiled run{F{}, x, w, dy};
  run(x, w, dy, y, dx, dw);
  using Program = program_of<F, T, X, W, Y>;
  run_as_traced<Program, T>(x, w, dy, traced_y, traced_dx, traced_dw);
  static_assert(in_place<Program>() == InPlace);
  static_assert(largest_permuted<Program>() <= Permuted);
  double const bound = std::is_same_v<T, float> ? 3e-6 : 1e-14;
  BOOST_TEST(off(y, traced_y) < bound, name << ": result");
  BOOST_TEST(off(dx, traced_dx) < bound, name << ": images");
  BOOST_TEST(off(dw, traced_dw) < bound, name << ": kernels");
}
template <convolution Options, class X, class W, class Y, int InPlace = 3, class T = float,
          std::int64_t Permuted = (InPlace == 3 ? W::size : X::size + Y::size)>
void convolution_and_gradients(char const* name) {
  same_as_traced<everything<Options>, T, X, W, Y, InPlace, Permuted>(name);
}

/// As in ResNeXt: a grouped convolution between others, its norm and activations.
struct Net {
  nn::Conv<8, 32, 1> first{};
  nn::Conv<32, 32, 3, nn::conv{.groups = 8}> grouped{};
  nn::BatchNorm2d<32> norm{};
  nn::Conv<32, 4, 1> last{};
  ESPALIER_MODULE(Net, first, grouped, norm, last)
  constexpr auto forward(auto x) const { return esp::mean<2, 3>(last(relu(norm(grouped(relu(first(x))))))); }
};
using Batch = shape<4, 8, 10, 12>;

}  // namespace

BOOST_AUTO_TEST_CASE(groups_that_share_registers) {
  constexpr convolution of_2{.padding = 1, .groups = 6}, of_4{.padding = 1, .groups = 8},
      of_8{.padding = 1, .groups = 3}, of_16{.padding = 1, .groups = 2};
  convolution_and_gradients<of_2, shape<2, 9, 11, 12>, shape<3, 3, 2, 12>, shape<2, 9, 11, 12>>("2 channels");
  convolution_and_gradients<of_4, shape<2, 9, 11, 32>, shape<3, 3, 4, 32>, shape<2, 9, 11, 32>>("4 channels");
  convolution_and_gradients<of_8, shape<2, 9, 11, 24>, shape<3, 3, 8, 24>, shape<2, 9, 11, 24>>("8 channels");
  convolution_and_gradients<of_16, shape<2, 9, 11, 32>, shape<3, 3, 16, 32>, shape<2, 9, 11, 32>>("16 channels");
}
BOOST_AUTO_TEST_CASE(large_groups) {
  constexpr convolution two{.padding = 1, .groups = 2};
  convolution_and_gradients<two, shape<2, 9, 11, 64>, shape<3, 3, 32, 64>, shape<2, 9, 11, 64>>("32 channels");
  convolution_and_gradients<two, shape<2, 9, 11, 80>, shape<3, 3, 40, 48>, shape<2, 9, 11, 48>>("40 to 24 channels");
  convolution_and_gradients<two, shape<1, 40, 40, 96>, shape<3, 3, 48, 96>, shape<1, 40, 40, 96>>("several bands");
}
BOOST_AUTO_TEST_CASE(options) {
  constexpr convolution second{.stride = 2, .padding = 1, .groups = 4},
      odd{.stride = {2, 3}, .padding = {2, 0, 2, 1}, .dilation = {3, 2}, .groups = 2}, pixels{.groups = 4};
  convolution_and_gradients<second, shape<2, 9, 12, 16>, shape<3, 3, 4, 16>, shape<2, 5, 6, 16>>("every second");
  convolution_and_gradients<second, shape<2, 9, 12, 80>, shape<3, 3, 20, 80>, shape<2, 5, 6, 80>>("of many");
  convolution_and_gradients<odd, shape<2, 9, 14, 8>, shape<2, 3, 4, 8>, shape<2, 5, 4, 8>, 3, double>("set all");
  convolution_and_gradients<odd, shape<2, 9, 14, 40>, shape<2, 3, 20, 36>, shape<2, 5, 4, 36>, 3, double>("of many");
  convolution_and_gradients<pixels, shape<3, 5, 7, 64>, shape<1, 1, 16, 64>, shape<3, 5, 7, 64>>("1x1");
  convolution_and_gradients<pixels, shape<3, 5, 7, 16>, shape<1, 1, 4, 16>, shape<3, 5, 7, 16>>("1x1 of few");
}
// What fills no register of results stays a batch of products: of the images' gradient, only that of 18 channels.
BOOST_AUTO_TEST_CASE(other_groups_stay_as_they_are) {
  constexpr convolution two{.padding = 1, .groups = 2};
  convolution_and_gradients<two, shape<2, 5, 6, 36>, shape<3, 3, 18, 10>, shape<2, 5, 6, 10>, 1>("18 to 5 channels");
  convolution_and_gradients<two, shape<2, 5, 6, 6>, shape<3, 3, 3, 6>, shape<2, 5, 6, 6>, 0>("3 channels");
}
// A bias and an activation run with the product.
BOOST_AUTO_TEST_CASE(epilogues) {
  constexpr convolution of_4{.padding = 1, .groups = 8}, two{.padding = 1, .groups = 2};
  using X = shape<2, 9, 11, 64>;
  using four = program_of<layer<convolution{.padding = 1, .groups = 16}>, float, X, shape<3, 3, 4, 64>, shape<64>>;
  using large = program_of<layer<two>, float, X, shape<3, 3, 32, 64>, shape<64>>;
  static_assert(plan::plan_of<plan::program_on_cpu<four>>.groups.group_count == 1);
  static_assert(plan::plan_of<plan::program_on_cpu<large>>.groups.group_count == 1);
  auto const checked = []<convolution Options, class W>(char const* name) {
    constexpr int outputs = W::value.at[3];
    tensor<float, X> x;
    tensor<float, shape<2, 9, 11, outputs>> y;
    tensor<float, W> w;
    tensor<float, shape<outputs>> b;
    fill(x, 1), fill(w, 2), fill(b, 3);
    esp::compiled run{layer<Options>{}, x, w, b};
    run(x, w, b, y);
    auto const apart = evaluate(esp::conv2d<Options>(x, w));
    auto const expected = evaluate(relu(apart + b));
    BOOST_TEST(off(y, expected) < 3e-6, name);
  };
  checked.template operator()<convolution{.padding = 1, .groups = 16}, shape<3, 3, 4, 64>>("4 channels");
  checked.template operator()<two, shape<3, 3, 32, 64>>("32 channels");
  // The results of a group end within a register.
  checked.template operator()<two, shape<3, 3, 32, 34>>("17 results");
  checked.template operator()<convolution{.groups = 2}, shape<1, 1, 32, 38>>("19 results of pixels");
  checked.template operator()<convolution{.padding = 1, .groups = 4}, shape<3, 3, 16, 72>>("18 results");
  same_as_traced<without_bias<of_4>, float, shape<2, 9, 11, 32>, shape<3, 3, 4, 32>, shape<2, 9, 11, 32>, 3,
                 3 * 3 * 4 * 32>("no bias");
}
BOOST_AUTO_TEST_CASE(images_in_the_order_of_pytorch) {
  constexpr convolution of_4{.padding = 1, .groups = 8, .layout = esp::nchw};
  convolution_and_gradients<of_4, shape<2, 32, 9, 11>, shape<32, 4, 3, 3>, shape<2, 32, 9, 11>, 3, float,
                            2 * 32 * 9 * 11>("4 channels");
}

BOOST_AUTO_TEST_CASE(models_frozen_models_and_training_steps_agree) {
  using Profiled = esp::profiled<esp::cpu>;
  esp::model<Net> model{esp::seed(5)};
  esp::model<Net, Profiled> timed{esp::seed(5)};
  tensor<float, Batch> x;
  tensor<float, shape<4, 4>> y;
  fill(x, 4), fill(y, 7);
  esp::frozen run{model, Batch{}};
  auto const expected = model(x);
  auto of_frozen = expected;
  run(x, of_frozen);
  BOOST_TEST(off(of_frozen, expected) < 1e-5);
  esp::trainer step{model, nn::L1Loss<>{}, esp::optim::SGD<>{.learning_rate = .01}, Batch{}};
  esp::trainer timed_step{timed, nn::L1Loss<>{}, esp::optim::SGD<>{.learning_rate = .01}, Batch{}};
  for (int i = 0; i < 3; ++i) BOOST_TEST(step.step(x, y) == timed_step.step(x, y));
  static_assert(in_place<esp::detail::training_program<Net, nn::L1Loss<>, Batch>>() == 3);
  std::string const text = esp::explain<Net, Batch>();
  BOOST_TEST(text.find("grouped") != std::string::npos);
}
