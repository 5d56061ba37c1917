// SPDX-License-Identifier: BSL-1.0
// The table of a net: its lines are the net's modules, its numbers those that can be counted by hand, its totals the
// facts of the evaluation plan.
#define BOOST_TEST_MODULE report_summary
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/report/summary.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace report = espalier::report;

namespace {

/// Applies `shared` twice, and `forgotten` never.
template <int Width>
struct Twice {
  std::array<nn::Linear<Width, Width>, 2> layers;
  nn::ReLU first, second;
  nn::Linear<Width, Width> shared;
  nn::Linear<Width, 3> forgotten;
  ESPALIER_MODULE(Twice, layers, first, second, shared, forgotten)
  constexpr auto forward(auto x) const { return shared(second(layers[1](first(layers[0](shared(x)))))) * x; }
};

/// Two inputs, and two results of which one reads the other.
struct Cell {
  nn::Linear<5, 4> input;
  nn::Linear<4, 4> state;
  nn::Linear<4, 3> output;
  ESPALIER_MODULE(Cell, input, state, output)
  constexpr auto forward(auto x, auto h) const {
    auto const next = tanh(input(x) + state(h));
    return std::tuple{output(next), next};
  }
};
using Inputs = esp::shapes<esp::batch<2, 5>, esp::batch<2, 4>>;
/// A module without modules that returns several values.
struct Halves {
  ESPALIER_MODULE(Halves)
  constexpr auto forward(auto x) const { return std::tuple{esp::slice<1, 0, 2>(x), esp::slice<1, 2, 5>(x)}; }
};
/// Modules of several values within a net, and one of them twice.
struct TwoSteps {
  Cell cell;
  Halves halves;
  ESPALIER_MODULE(TwoSteps, cell, halves)
  constexpr auto forward(auto x, auto h) const {
    auto const [first, next] = cell(x, h);
    auto const [second, last] = cell(x, next);
    auto const [left, right] = halves(x);
    return first * second + right + esp::sum<1>(left, esp::keepdims) + esp::sum<1>(last, esp::keepdims);
  }
};
/// Results that are the input, a value twice, and a parameter.
struct Passing {
  nn::Linear<3, 2> layer;
  ESPALIER_MODULE(Passing, layer)
  constexpr auto forward(auto x) const {
    auto const y = layer(x);
    return std::tuple{y, x, y, layer.weight};
  }
};

template <class Net, class Batch>
void totals_are_facts() {
  using facts = esp::predictor<esp::model<Net>, Batch>;
  report::architecture const a = report::architecture_of<Net, Batch>();
  report::view const& v = report::view_of<esp::detail::evaluation_program<Net, Batch>>;
  std::vector<report::cost> const costs = report::costs_of(a, v);
  BOOST_TEST(static_cast<int>(a.owner.size()) == v.node_count + 1);
  BOOST_TEST(a.modules[0].facts.parameters == esp::parameter_count<Net>);
  BOOST_TEST(costs[0].moved * 4 == facts::bytes_moved);
  BOOST_TEST(costs[0].flops == (esp::plan::flops_of_program<esp::detail::evaluation_program<Net, Batch>>));
  // What a net learns and does is learnt and done in its parts, or by itself.
  std::int64_t parameters = 0, flops = 0;
  for (std::size_t i = 1; i < a.modules.size(); ++i) {
    if (a.modules[i].parent != 0) continue;
    parameters += a.modules[i].facts.parameters;
    flops += costs[i].flops;
  }
  BOOST_TEST(parameters == esp::parameter_count<Net>);
  BOOST_TEST(flops <= costs[0].flops);
  for (std::size_t id = 1; id < a.owner.size(); ++id) BOOST_TEST_REQUIRE(a.owner[id] >= 0);
}

}  // namespace

// Linear<8, 4> on two samples: 2 (2 8 4) flops of the product, 8 of the bias; reads 16 + 32 + 4 numbers. Its sum is not
// written: the ReLU's 8 numbers are.
BOOST_AUTO_TEST_CASE(by_hand) {
  using Net = nn::Sequential<nn::Linear<8, 4>, nn::ReLU, nn::Linear<4, 3>>;
  BOOST_TEST((esp::summary<Net, esp::shape<2, 8>>()) ==
             "path   module        output  parameters  flops  bytes moved\n"
             "0      Linear<8, 4>  (2, 4)          36    136          208\n"
             "1      ReLU          (2, 4)           0      8           32\n"
             "2      Linear<4, 3>  (2, 3)          15     54          116\n"
             "total  Sequential    (2, 3)          51    198          356\n");
  BOOST_TEST((esp::summary<nn::Linear<2, 3>, esp::shape<5, 2>, double>()) ==
             "path   module        output  parameters  flops  bytes moved\n"
             "total  Linear<2, 3>  (5, 3)           9     75          272\n");
}

BOOST_AUTO_TEST_CASE(modules_in_modules) {
  using Net = nn::MLPResNet<8, 8, 2, 3>;
  report::architecture const a = report::architecture_of<Net, esp::shape<2, 8>>();
  std::vector<std::string> paths;
  for (report::module_row const& m : a.modules) {
    paths.push_back(m.path + " " + m.type);
    BOOST_TEST(m.calls == 1);
  }
  std::vector<std::string> const expected{" Sequential",
                                          "0 Linear<8, 8>",
                                          "1 ReLU",
                                          "2 Repeat<2>",
                                          "2.0 Sequential",
                                          "2.0.0 Residual",
                                          "2.0.0.fn Sequential",
                                          "2.0.0.fn.0 Linear<8, 4>",
                                          "2.0.0.fn.1 BatchNorm1d<4>",
                                          "2.0.0.fn.2 ReLU",
                                          "2.0.0.fn.3 Dropout<0.1>",
                                          "2.0.0.fn.4 Linear<4, 8>",
                                          "2.0.0.fn.5 BatchNorm1d<8>",
                                          "2.0.1 ReLU",
                                          "2.1 Sequential",
                                          "2.1.0 Residual",
                                          "2.1.0.fn Sequential",
                                          "2.1.0.fn.0 Linear<8, 4>",
                                          "2.1.0.fn.1 BatchNorm1d<4>",
                                          "2.1.0.fn.2 ReLU",
                                          "2.1.0.fn.3 Dropout<0.1>",
                                          "2.1.0.fn.4 Linear<4, 8>",
                                          "2.1.0.fn.5 BatchNorm1d<8>",
                                          "2.1.1 ReLU",
                                          "3 Linear<8, 3>"};
  BOOST_TEST(paths == expected, boost::test_tools::per_element());
  std::vector<report::cost> const costs =
      report::costs_of(a, report::view_of<esp::detail::evaluation_program<Net, esp::shape<2, 8>>>);
  // A block is what is in it, and the addition of the residual, and a ReLU.
  BOOST_TEST(costs[6].flops == 136 + 40 + 8 + 0 + 144 + 80);
  BOOST_TEST(costs[5].flops == costs[6].flops + 16);
  BOOST_TEST(costs[4].flops == costs[5].flops + 16);
  BOOST_TEST(costs[3].flops == 2 * costs[4].flops);
  BOOST_TEST(costs[10].flops == 0);  // Dropout, evaluated
  totals_are_facts<Net, esp::shape<2, 8>>();
}

BOOST_AUTO_TEST_CASE(modules_of_users) {
  report::architecture const a = report::architecture_of<Twice<4>, esp::shape<2, 4>>();
  auto const costs = report::costs_of(a, report::view_of<esp::detail::evaluation_program<Twice<4>, esp::shape<2, 4>>>);
  BOOST_TEST_REQUIRE(a.modules.size() == 7u);
  BOOST_TEST(a.modules[1].path == "layers.0");
  BOOST_TEST(a.modules[2].path == "layers.1");
  BOOST_TEST(a.modules[3].path == "first");
  BOOST_TEST(a.modules[3].calls == 1);
  BOOST_TEST(a.modules[4].calls == 1);
  BOOST_TEST(a.modules[5].calls == 2);
  BOOST_TEST(a.modules[6].calls == 0);
  std::int64_t const one_linear = 2 * 2 * 4 * 4 + 8;
  BOOST_TEST(costs[1].flops == one_linear);
  BOOST_TEST(costs[4].flops == 8);
  BOOST_TEST(costs[5].flops == 2 * one_linear);
  BOOST_TEST(costs[6].flops == 0);
  BOOST_TEST(costs[0].flops == 4 * one_linear + 8 + 8 + 8);
  std::string const table = esp::summary<Twice<4>, esp::shape<2, 4>>();
  BOOST_TEST(table.find("shared     Linear<4, 4>  (2, 4) x2          20    144") != std::string::npos, table);
  BOOST_TEST(table.find("forgotten  Linear<4, 3>  unused             15      0            0") != std::string::npos,
             table);
  totals_are_facts<Twice<4>, esp::shape<2, 4>>();
}

// state: 2 (2 4 4) flops of the product, 8 of the bias; reads 8 + 16 + 4 numbers. Its kernel has the addition and the
// tanh of the cell, too, which read the 8 numbers of the other product and write 8.
BOOST_AUTO_TEST_CASE(several_inputs_and_results) {
  BOOST_TEST((esp::summary<Cell, Inputs>()) ==
             "path    module        output          parameters  flops  bytes moved\n"
             "input   Linear<5, 4>  (2, 4)                  24     88          168\n"
             "state   Linear<4, 4>  (2, 4)                  20     72          112\n"
             "output  Linear<4, 3>  (2, 3)                  15     54          116\n"
             "total   Cell          (2, 3), (2, 4)          59    230          460\n");
  totals_are_facts<Cell, Inputs>();
  totals_are_facts<TwoSteps, Inputs>();
  totals_are_facts<Passing, esp::batch<4, 3>>();
  totals_are_facts<nn::Identity, esp::batch<4, 3>>();

  report::architecture const a = report::architecture_of<TwoSteps, Inputs>();
  auto const costs = report::costs_of(a, report::view_of<esp::detail::evaluation_program<TwoSteps, Inputs>>);
  BOOST_TEST_REQUIRE(a.modules.size() == 6u);
  BOOST_TEST(a.modules[1].path == "cell");
  BOOST_TEST(a.modules[1].calls == 2);
  BOOST_TEST(report::shapes_text(a.modules[1].outputs) == "(2, 3), (2, 4)");
  BOOST_TEST(costs[1].flops == 2 * 230 - 88);  // input(x) is the same value in both calls
  BOOST_TEST(a.modules[5].path == "halves");
  BOOST_TEST(a.modules[5].calls == 1);
  BOOST_TEST(report::shapes_text(a.modules[5].outputs) == "(2, 2), (2, 3)");
  BOOST_TEST(report::shapes_text(a.inputs) == "(2, 5), (2, 4)");
  BOOST_TEST(report::shapes_text(a.outputs) == "(2, 3)");
  BOOST_TEST(report::shapes_text(report::architecture_of<Passing, esp::batch<4, 3>>().outputs) ==
             "(4, 2), (4, 3), (4, 2), (3, 2)");
}

// Other formulas: normalised weights, a frozen part, windows, a softmax.
BOOST_AUTO_TEST_CASE(totals) {
  totals_are_facts<
      nn::Sequential<nn::WeightNorm<nn::Linear<8, 8>>, nn::Tanh, esp::nn::Frozen<nn::LayerNorm1d<8>>, nn::Softmax<>>,
      esp::shape<3, 8>>();
  totals_are_facts<nn::Sequential<nn::ConvBN<3, 8, 3>, nn::MaxPool2d<2>, nn::Flatten, nn::Linear<8 * 4 * 4, 4>>,
                   esp::shape<2, 3, 8, 8>>();
}
