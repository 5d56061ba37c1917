// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE plan_winograd_program
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <string>
#include <type_traits>

#include <espalier/model/frozen.hpp>
#include <espalier/model/predictor.hpp>
#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/optim.hpp>
#include <espalier/report/explain.hpp>
#include <espalier/report/profile.hpp>

#include "support/convolution_programs.hpp"

namespace esp = espalier;
namespace nn = esp::nn;
namespace plan = esp::plan;
using esp::shape;
using esp::tensor;

namespace {

using test::convolved, test::everything, test::program_of, test::fill, test::run_as_traced;

template <class Program>
constexpr int count(plan::op_family family) {
  int r = 0;
  auto const& g = plan::graph_of<plan::program_on_cpu<Program>>.nodes;
  for (int id = 1; id <= g.size; ++id) r += g[id].op->family == family;
  return r;
}
template <class Program>
constexpr int transforms = count<Program>(plan::op_family::winograd);

constexpr esp::convolution same{.padding = 1};

/// The root of the mean square of x - y.
template <class X, class Y>
double distance(X const& x, Y const& y) {
  double sum = 0;
  auto at = y.begin();
  for (auto const v : x) {
    double const d = static_cast<double>(v) - static_cast<double>(*at++);
    sum += d * d;
  }
  return std::sqrt(sum / static_cast<double>(X::size()));
}

/// The convolution and both gradients with one term after the other, which the bound of errors counts from. Kernels
/// move by one.
template <esp::convolution Options, class X, class W, class Y>
void term_by_term(tensor<float, X> const& x, tensor<float, W> const& w, tensor<float, Y> const& dy, tensor<float, Y>& y,
                  tensor<float, X>& dx, tensor<float, W>& dw) {
  constexpr esp::extents in = X::value, kernel = W::value, out = Y::value;
  auto const at = [](esp::extents const& s, int a, int b, int c, int d) {
    return ((std::int64_t{a} * s.at[1] + b) * s.at[2] + c) * s.at[3] + d;
  };
  for (float& v : y) v = 0;
  for (float& v : dx) v = 0;
  for (float& v : dw) v = 0;
  // In every sum the terms come in the order of these loops.
  for (int n = 0; n < out.at[0]; ++n)
    for (int i = 0; i < out.at[1]; ++i)
      for (int j = 0; j < out.at[2]; ++j)
        for (int p = 0; p < kernel.at[0]; ++p)
          for (int q = 0; q < kernel.at[1]; ++q) {
            int const row = i + p - Options.padding.top, column = j + q - Options.padding.left;
            if (row < 0 || row >= in.at[1] || column < 0 || column >= in.at[2]) continue;
            for (int c = 0; c < in.at[3]; ++c) {
              float const *const of_w = w.data() + at(kernel, p, q, c, 0), *const of_dy =
                                                                               dy.data() + at(out, n, i, j, 0);
              float *const to_dw = dw.data() + at(kernel, p, q, c, 0), *const to_y = y.data() + at(out, n, i, j, 0);
              float const pixel = x.data()[at(in, n, row, column, c)];
              float& sum = dx.data()[at(in, n, row, column, c)];
              for (int o = 0; o < out.at[3]; ++o) {
                to_y[o] += pixel * of_w[o];
                sum += of_dy[o] * of_w[o];
                to_dw[o] += pixel * of_dy[o];
              }
            }
          }
}

/// Results in float by tiles and term by term, both against double: errors are at most `convolution_error` times those
/// of the latter.
template <esp::convolution Options, class X, class W, class Y>
void within_bound(char const* name) {
  using F = everything<Options>;
  tensor<float, X> x, dx, direct_dx;
  tensor<float, W> w, dw, direct_dw;
  tensor<float, Y> dy, y, direct_y;
  fill(x, 1), fill(w, 2), fill(dy, 3);
  esp::compiled run{F{}, x, w, dy};
  run(x, w, dy, y, dx, dw);
  term_by_term<Options>(x, w, dy, direct_y, direct_dx, direct_dw);
  tensor<double, X> const exact_x(x);
  tensor<double, W> const exact_w(w);
  tensor<double, Y> const exact_dy(dy);
  tensor<double, Y> exact_y;
  tensor<double, X> exact_dx;
  tensor<double, W> exact_dw;
  run_as_traced<program_of<F, double, X, W, Y>, double>(exact_x, exact_w, exact_dy, exact_y, exact_dx, exact_dw);
  static_assert(transforms<program_of<F, float, X, W, Y>> > 0);
  BOOST_TEST(distance(y, exact_y) <= plan::convolution_error * distance(direct_y, exact_y), name << ": result");
  BOOST_TEST(distance(dx, exact_dx) <= plan::convolution_error * distance(direct_dx, exact_dx), name << ": images");
  BOOST_TEST(distance(dw, exact_dw) <= plan::convolution_error * distance(direct_dw, exact_dw), name << ": kernels");
}

/// Two convolutions that become tiles, one that does not.
struct Net {
  nn::Conv<32, 64, 3> first{};
  nn::BatchNorm2d<64> norm{};
  nn::Conv<64, 64, 3> second{};
  nn::Conv<64, 8, 1> last{};
  ESPALIER_MODULE(Net, first, norm, second, last)
  constexpr auto forward(auto x) const { return esp::mean<2, 3>(last(relu(second(relu(norm(first(x))))))); }
};
using Batch = shape<4, 32, 16, 16>;

}  // namespace

BOOST_AUTO_TEST_CASE(convolutions_of_three_by_three_become_tiles) {
  using Program = program_of<everything<same>, float, shape<4, 20, 20, 64>, shape<3, 3, 64, 64>, shape<4, 20, 20, 64>>;
  static_assert(transforms<Program> == 3);
  static_assert(std::is_same_v<plan::program_on_cpu<Program>, plan::convolution_program<Program>>);
}

BOOST_AUTO_TEST_CASE(other_convolutions_stay_as_they_are) {
  using Strided = program_of<convolved<esp::convolution{.stride = 2, .padding = 1}>, float, shape<4, 20, 20, 64>,
                             shape<3, 3, 64, 64>>;
  using Dilated = program_of<convolved<esp::convolution{.padding = 2, .dilation = 2}>, float, shape<4, 20, 20, 64>,
                             shape<3, 3, 64, 64>>;
  using Pixel = program_of<convolved<esp::convolution{}>, float, shape<4, 20, 20, 64>, shape<1, 1, 64, 64>>;
  using First = program_of<convolved<same>, float, shape<4, 20, 20, 3>, shape<3, 3, 3, 64>>;
  static_assert(std::is_same_v<plan::program_on_cpu<Strided>, Strided>);
  static_assert(std::is_same_v<plan::program_on_cpu<Dilated>, Dilated>);
  static_assert(std::is_same_v<plan::program_on_cpu<Pixel>, Pixel>);
  static_assert(std::is_same_v<plan::program_on_cpu<First>, First>);
}

/// The images' gradient of a convolution of small images turns its kernels itself.
template <class Program>
constexpr int turned = [] {
  int r = 0;
  auto const& g = plan::graph_of<plan::program_on_cpu<Program>>.nodes;
  for (int id = 1; id <= g.size; ++id)
    r += g[id].op->family == plan::op_family::contraction && (g[id].attribute & esp::graph::turned_kernels) != 0;
  return r;
}();
template <esp::convolution Options, class X, class W, class Y>
void turns() {
  using F = everything<Options>;
  tensor<float, X> x, dx, traced_dx;
  tensor<float, W> w, dw, traced_dw;
  tensor<float, Y> dy, y, traced_y;
  fill(x, 1), fill(w, 2), fill(dy, 3);
  esp::compiled run{F{}, x, w, dy};
  run(x, w, dy, y, dx, dw);
  using Program = program_of<F, float, X, W, Y>;
  run_as_traced<Program, float>(x, w, dy, traced_y, traced_dx, traced_dw);
  static_assert(turned<Program> == 1);
  BOOST_TEST(distance(dx, traced_dx) < 1e-4);
  BOOST_TEST(distance(dw, traced_dw) < 1e-4);
}
BOOST_AUTO_TEST_CASE(small_images_turn_kernels_as_they_are_packed) {
  turns<same, shape<1, 4, 4, 96>, shape<3, 3, 96, 112>, shape<1, 4, 4, 112>>();
  turns<esp::convolution{.stride = 2, .padding = 1}, shape<2, 9, 8, 70>, shape<3, 3, 70, 33>, shape<2, 5, 4, 33>>();
  turns<esp::convolution{.padding = {0, 1}}, shape<1, 1, 12, 40>, shape<1, 3, 40, 40>, shape<1, 1, 12, 40>>();
  using Large = program_of<everything<same>, float, shape<4, 40, 40, 64>, shape<3, 3, 64, 64>, shape<4, 40, 40, 64>>;
  static_assert(turned<Large> == 0);
}

// A longer run has the other two of four.
BOOST_AUTO_TEST_CASE(errors_are_within_the_bound) {
#if !defined(ESPALIER_TEST_ALL)
  within_bound<same, shape<2, 24, 20, 32>, shape<3, 3, 32, 64>, shape<2, 24, 20, 64>>("32 to 64");
  within_bound<esp::convolution{.padding = 2}, shape<2, 24, 24, 48>, shape<5, 5, 48, 48>, shape<2, 24, 24, 48>>(
      "5 x 5");
#else
  within_bound<esp::convolution{}, shape<2, 23, 21, 64>, shape<3, 3, 64, 40>, shape<2, 21, 19, 40>>("no padding");
  within_bound<same, shape<4, 14, 14, 128>, shape<3, 3, 128, 128>, shape<4, 14, 14, 128>>("128");
#endif
}

BOOST_AUTO_TEST_CASE(a_frozen_model_transforms_its_kernels_once) {
  using Program = esp::detail::frozen_program<Net, Batch>;
  static_assert(transforms<Program> == 0);
  static_assert(count<esp::detail::preparing_program<Net, Batch>>(plan::op_family::winograd) == 2);
  static_assert(transforms<esp::detail::evaluation_program<Net, Batch>> == 2);
}

BOOST_AUTO_TEST_CASE(models_predictors_and_frozen_models_agree) {
  esp::model<Net> model{esp::seed(5)};
  tensor<float, Batch> x;
  fill(x, 4);
  auto const y = model(x);
  esp::predictor predict{model, Batch{}};
  esp::frozen run{model, Batch{}};
  auto of_predictor = y, of_frozen = y;
  predict(x, of_predictor);
  run(x, of_frozen);
  BOOST_TEST(distance(of_predictor, y) == 0);
  BOOST_TEST(distance(of_frozen, y) < 1e-5);
}

BOOST_AUTO_TEST_CASE(a_training_step_runs_by_tiles) {
  using Profiled = esp::profiled<esp::cpu>;
  esp::model<Net> model{esp::seed(5)};
  esp::model<Net, Profiled> timed{esp::seed(5)};
  esp::trainer step{model, nn::L1Loss<>{}, esp::optim::SGD<>{.learning_rate = .01}, Batch{}};
  esp::trainer timed_step{timed, nn::L1Loss<>{}, esp::optim::SGD<>{.learning_rate = .01}, Batch{}};
  tensor<float, Batch> x;
  tensor<float, shape<4, 8>> y;
  fill(x, 6), fill(y, 7);
  for (int i = 0; i < 3; ++i) BOOST_TEST(step.step(x, y) == timed_step.step(x, y));
  // Forward 2, gradients of kernels 2, gradient of the second convolution's images 1.
  using Program = esp::detail::training_program<Net, nn::L1Loss<>, Batch>;
  static_assert(transforms<Program> == 5);
  static_assert(esp::training_plan<Net, nn::L1Loss<>, esp::optim::SGD<>, Batch>.kernel_count > 0);
}

BOOST_AUTO_TEST_CASE(reports_show_the_program_that_runs) {
  std::string const text = esp::explain<Net, Batch>();
  BOOST_TEST(text.find("convolutions by tiles") != std::string::npos);
  BOOST_TEST(text.find("winograd_kernels") != std::string::npos);
}
