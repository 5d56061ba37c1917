// SPDX-License-Identifier: BSL-1.0
// The nets of two examples against plain loops over their parameters.
#define BOOST_TEST_MODULE examples_residual_nets
#include <boost/test/unit_test.hpp>

#define main simple_model_main
#include "../../docs/examples/simple_model.cpp"
#undef main
#define main residual_net_main
#include "../../docs/examples/residual_net.cpp"
#undef main

#include <cmath>
#include <string>
#include <vector>

using row = std::vector<double>;

namespace {

/// y = x W + b with the parameters of that name.
row linear(auto& model, std::string const& name, row const& x) {
  auto const weight = model.parameter((name + ".weight").c_str()).span();
  auto const bias = model.parameter((name + ".bias").c_str()).span();
  auto const outputs = static_cast<std::size_t>(bias.size());
  row y(outputs);
  for (std::size_t o = 0; o < outputs; ++o) {
    y[o] = static_cast<double>(bias[o]);
    for (std::size_t i = 0; i < x.size(); ++i) y[o] += x[i] * static_cast<double>(weight[i * outputs + o]);
  }
  return y;
}
row relu_of(row x) {
  for (double& value : x) value = value > 0 ? value : 0;
  return x;
}
row plus(row a, row const& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}
void check(auto const& y, row const& expected) {
  BOOST_TEST(static_cast<std::size_t>(y.size()) == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    BOOST_TEST(std::abs(static_cast<double>(y[i]) - expected[i]) < 1e-5);
}

}  // namespace

BOOST_AUTO_TEST_CASE(simple_model_is_two_layers_around_a_residual_block) {
  esp::model<SimpleModel> model{esp::seed{0}};
  esp::tensor<float, esp::shape<1, 10>> x;
  row input_row;
  for (int i = 0; i < 10; ++i) input_row.push_back(static_cast<double>(x[i] = static_cast<float>(i * i % 7) / 7));
  row const hidden = linear(model, "linear1", input_row);
  row const block = plus(relu_of(linear(model, "residual.fn.0", hidden)), hidden);
  check(model(x), linear(model, "linear2", block));
}

BOOST_AUTO_TEST_CASE(four_layers_add_the_input_and_then_the_output_of_the_second) {
  esp::model<FourLayers<4>> model{esp::seed{5}};
  esp::tensor<float, esp::shape<1, 4>> const x{{1, -2, 3, -4}};
  row const input_row{1, -2, 3, -4};
  row const two = plus(linear(model, "layer2", relu_of(linear(model, "layer1", input_row))), input_row);
  row const four = plus(linear(model, "layer4", relu_of(linear(model, "layer3", two))), two);
  check(model(x), four);
  check(esp::model<FourLayersOfParts<4>>{esp::seed{5}}(x), four);  // the same draws, whatever the names
}
