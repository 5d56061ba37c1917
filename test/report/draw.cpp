// SPDX-License-Identifier: BSL-1.0
// Pictures as text: their nodes and edges are those of the net, the program and the plan, and no two values of a memory
// map overlap.
#define BOOST_TEST_MODULE report_draw
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/report/draw.hpp>

#include <set>
#include <sstream>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
namespace report = espalier::report;

namespace {

using Net = nn::Sequential<nn::Linear<8, 4>, nn::ReLU, nn::Linear<4, 3>>;
using Blocks = nn::MLPResNet<8, 8, 2, 3>;
using Loss = nn::SoftmaxLoss;
using Optimizer = optim::Adam;

/// A gain of its own between two modules, the sum of two branches.
template <int Width>
struct Branches {
  nn::Linear<Width, Width> left, right;
  esp::parameter<esp::shape<Width>, nn::init::initialized_by<nn::init::ones{}>> gain{};
  nn::Dropout<0.5> drop;
  ESPALIER_MODULE(Branches, left, right, gain, drop)
  constexpr auto forward(auto x) const { return tanh(drop(left(x)) * gain) + right(x); }
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
/// A module of several values between two others.
struct Halves {
  ESPALIER_MODULE(Halves)
  constexpr auto forward(auto x) const { return std::tuple{esp::slice<1, 0, 2>(x), esp::slice<1, 2, 5>(x)}; }
};
struct Apart {
  Halves halves;
  nn::Linear<2, 3> layer;
  ESPALIER_MODULE(Apart, halves, layer)
  constexpr auto forward(auto x) const {
    auto const [left, right] = halves(x);
    return std::tuple{layer(left) + right, x};
  }
};

struct counted {
  int nodes = 0, edges = 0, clusters = 0;
};
/// What a text in the language of graphviz holds, a statement on each line; its brackets and quotation marks must
/// agree, and its edges join nodes that are there.
counted parse(std::string const& text) {
  counted c;
  int braces = 0;
  std::set<std::string> names, used;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    std::string bare;  // without what is quoted
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (quoted && line[i] == '\\') ++i;
      else if (line[i] == '"') quoted = !quoted;
      else if (!quoted) bare += line[i];
    }
    BOOST_TEST(!quoted, line);
    int brackets = 0;
    for (char x : bare) {
      braces += (x == '{') - (x == '}');
      brackets += (x == '[') - (x == ']');
      BOOST_TEST_REQUIRE((braces >= 0 && brackets >= 0 && brackets <= 1));
    }
    BOOST_TEST(brackets == 0, line);
    std::istringstream words{bare};
    std::string first, second, third;
    words >> first >> second >> third;
    if (first == "subgraph") ++c.clusters;
    if (second == "->") {
      ++c.edges;
      used.insert(first);
      used.insert(third);
    } else if (!second.empty() && second[0] == '[' && first != "graph" && first != "node" && first != "edge") {
      ++c.nodes;
      BOOST_TEST(names.insert(first).second, first << " stands there twice");
    }
  }
  BOOST_TEST(braces == 0);
  for (std::string const& name : used) BOOST_TEST(names.count(name) == 1u, name);
  return c;
}
bool has(std::string const& text, std::string const& pattern) { return text.find(pattern) != std::string::npos; }

struct box {
  double x, y, width, height;
};
std::vector<box> boxes_of(std::string const& svg) {
  std::vector<box> boxes;
  std::string const mark = "<rect class=\"value ";
  for (std::size_t at = svg.find(mark); at != std::string::npos; at = svg.find(mark, at + 1)) {
    auto const number = [&](char const* name) {
      return std::stod(svg.substr(svg.find(std::string(" ") + name + "=\"", at) + std::string(name).size() + 3));
    };
    boxes.push_back({number("x"), number("y"), number("width"), number("height")});
  }
  return boxes;
}

template <class Program>
void values_share_nothing() {
  report::view const& v = report::view_of<Program>;
  auto const lives = report::lives_of(v);
  std::int64_t end = 0;
  for (std::size_t i = 0; i < lives.size(); ++i) {
    report::life const& a = lives[i];
    BOOST_TEST(a.first < a.end);
    BOOST_TEST(a.offset + a.size <= v.workspace);
    end = end > a.offset + a.size ? end : a.offset + a.size;
    for (std::size_t j = 0; j < i; ++j) {
      report::life const& b = lives[j];
      bool const disjoint =
          a.end <= b.first || b.end <= a.first || a.offset + a.size <= b.offset || b.offset + b.size <= a.offset;
      BOOST_TEST(disjoint, "v" << a.node << " and v" << b.node);
    }
  }
  BOOST_TEST(esp::plan::rounded(end) == v.workspace);
}

}  // namespace

BOOST_AUTO_TEST_CASE(several_inputs_and_results) {
  std::string const net = esp::draw_architecture<Cell, Inputs>();
  counted const c = parse(net);
  BOOST_TEST(c.nodes == 9);  // two inputs, three layers, an addition, a tanh, two outputs
  BOOST_TEST(c.edges == 8);
  BOOST_TEST(c.clusters == 0);
  for (char const* const part :
       {"label=\"Cell on (2, 5), (2, 4)\"", "\"input 0\\n(2, 5)\"", "\"input 1\\n(2, 4)\"",
        "output0 [label=\"output 0\\n(2, 3)\"", "output1 [label=\"output 1\\n(2, 4)\"", " -> output0", " -> output1"})
    BOOST_TEST(has(net, part), part << " is missing in " << net);
  // The halves are one box, which the layer and the addition read; the input is a result, too.
  std::string const apart = esp::draw_architecture<Apart, esp::shape<2, 5>>();
  counted const a = parse(apart);
  BOOST_TEST(a.nodes == 6);
  BOOST_TEST(a.edges == 6);
  BOOST_TEST(has(apart, "\"halves  Halves\\n(2, 2), (2, 3)\""), apart);
  BOOST_TEST(has(apart, "n1 -> output1"), apart);

  std::string const program = esp::draw_program<Cell, Inputs>();
  counted const p = parse(program);
  report::view const& v = report::view_of<esp::detail::evaluation_program<Cell, Inputs>>;
  int nodes = 0, operands = 0;
  for (int id = 1; id <= v.node_count; ++id) {
    if (!v.nodes[id].needed) continue;
    ++nodes;
    for (int const operand : v.nodes[id].operand) operands += operand != 0;
  }
  BOOST_TEST(p.nodes == nodes + 2);
  BOOST_TEST(p.edges == operands + 2);
  for (char const* const part : {"\"input 0  (2, 5)\"", "\"input 1  (2, 4)\"", "\"output 0\"", "\"output 1\""})
    BOOST_TEST(has(program, part), part << " is missing in " << program);

  counted const k = parse(esp::draw_kernels<Cell, Inputs>());
  BOOST_TEST(k.nodes == v.kernel_count + 4);
  std::string const layers = esp::draw_kernels<Cell, Inputs>("", esp::kernel_detail::layers);
  BOOST_TEST(has(layers, "output  Linear&lt;4, 3&gt;"), layers);
  BOOST_TEST(boxes_of(esp::draw_memory<Cell, Inputs>()).size() == report::lives_of(v).size());
  values_share_nothing<esp::detail::evaluation_program<Cell, Inputs>>();
}

BOOST_AUTO_TEST_CASE(architectures) {
  std::string const plain = esp::draw_architecture<Net, esp::shape<2, 8>>();
  counted const c = parse(plain);
  BOOST_TEST(c.nodes == 4);  // input, the first layer with its ReLU, the last layer, output
  BOOST_TEST(c.edges == 3);
  BOOST_TEST(c.clusters == 0);
  BOOST_TEST(has(plain, "\"0  Linear<8, 4>\\n1  ReLU\\n(2, 4)\""), plain);
  BOOST_TEST(has(plain, "label=\"Sequential on (2, 8)\", rankdir=LR"), plain);
  BOOST_TEST(has(esp::draw_architecture<Net, esp::shape<2, 8>>("two layers"), "label=\"two layers on (2, 8)\""));
  // Two equal blocks, of which one is drawn: two boxes with four and two layers, an addition and a ReLU, within a
  // Sequential with a Residual with a Sequential. The Repeat around them has no other part.
  std::string const blocks = esp::draw_architecture<Blocks, esp::shape<2, 8>>();
  counted const b = parse(blocks);
  BOOST_TEST(b.nodes == 2 + 2 + 4);
  BOOST_TEST(b.edges == 3 + 5);
  BOOST_TEST(b.clusters == 3);
  BOOST_TEST(has(blocks, "2.0.0.fn.3  Dropout<0.1>\\n(2, 4)\""), blocks);
  BOOST_TEST(has(blocks, "label=\"2.0 to 2.1, x 2  Sequential\""), blocks);
  BOOST_TEST(!has(blocks, "2.1.0"), blocks);
  // Blocks of different widths are all drawn. The convolution, norm and ReLU of a block are one box.
  std::string const convolutions =
      esp::draw_architecture<nn::Sequential<nn::ConvBN<3, 8, 3>, nn::ConvBN<8, 4, 3>>, esp::shape<2, 3, 8, 8>>();
  counted const v = parse(convolutions);
  BOOST_TEST(v.nodes == 4);
  BOOST_TEST(v.clusters == 0);
  BOOST_TEST(has(convolutions, "\"1  ConvBN<8, 4, (3, 3)>\\nconv, norm, relu\\n(2, 4, 8, 8)\""), convolutions);
  // input; left with drop, right, gain; multiply, tanh, add; output
  std::string const own = esp::draw_architecture<Branches<4>, esp::shape<2, 4>>();
  counted const o = parse(own);
  BOOST_TEST(o.nodes == 8);
  BOOST_TEST(o.edges == 8);
  BOOST_TEST(has(own, "\"gain\\n(4)\""), own);
}

BOOST_AUTO_TEST_CASE(programs) {
  std::string const evaluation = esp::draw_program<Net, esp::shape<2, 8>>();
  counted const e = parse(evaluation);
  BOOST_TEST(e.nodes == 1 + 4 + 2 * 3 + 1 + 1);  // input; parameters; matmul, broadcast_to, add twice; relu; output
  BOOST_TEST(e.edges == 2 * 5 + 1 + 1);
  BOOST_TEST(!has(evaluation, "backward"), evaluation);

  using Program = esp::detail::training_program<Net, Loss, esp::batch<2, 8>>;
  std::string const training = esp::draw_program<Net, Loss, Optimizer, esp::batch<2, 8>>();
  counted const t = parse(training);
  int nodes = 0, edges = 0;
  auto const& p = esp::plan::graph_of<Program>;
  for (int id = 1; id <= p.nodes.size; ++id) {
    if (!esp::plan::plan_of<Program>.groups.needed[id]) continue;
    ++nodes;
    bool const alias = p.nodes[id].op->family == esp::graph::op_family::alias;
    for (int k = 0; k < (alias ? 1 : 4); ++k) edges += p.nodes[id].operand[k] != 0;
  }
  BOOST_TEST(t.nodes == nodes + 5);  // the loss and four gradients
  BOOST_TEST(t.edges == edges + 5);
  BOOST_TEST(has(training, "the backward pass is blue"), training);
  BOOST_TEST(has(training, "\"gradient of 2.bias\""), training);
  parse(esp::draw_program<Blocks, Loss, Optimizer, esp::batch<2, 8>>());
}

struct ValueLayer {
  nn::Linear<8, 4> value;
  ESPALIER_MODULE(ValueLayer, value)
  constexpr auto forward(auto x) const { return value(x); }
};
// Names of values begin with v: a parameter whose name does, too, keeps it.
BOOST_AUTO_TEST_CASE(parameters_whose_names_begin_with_v) {
  std::string const text = esp::draw_program<ValueLayer, esp::batch<2, 8>>();
  BOOST_TEST(has(text, "value.weight"), text);
}

BOOST_AUTO_TEST_CASE(kernels) {
  std::string const text = esp::draw_kernels<Net, Loss, Optimizer, esp::batch<2, 8>>();
  counted const c = parse(text);
  BOOST_TEST(c.nodes == 8 + 3);  // and input, target, loss
  // input to both products with it, target to its conversion; labels, scores, what the ReLU gave, two gradients from
  // kernel to kernel; the loss
  BOOST_TEST(c.edges == 2 + 1 + 1 + 1 + 3 + 2 + 2 + 1);
  BOOST_TEST(has(text, "v9: workspace +64, until kernel 6\\l"), text);
  BOOST_TEST(has(text, "training of Sequential on (2, 8): 8 kernels, 192 bytes of workspace"), text);
  BOOST_TEST(has(text, "v9 = relu(input @ 0.weight + 0.bias)\\l"), text);
  esp::model<Blocks> model{esp::seed{0}};
  esp::trainer trainer{model, Loss{}, Optimizer{}, esp::batch<2, 8>{}};
  std::string const blocks = esp::draw_kernels<decltype(trainer)>();
  std::string const by_types = esp::draw_kernels<Blocks, Loss, Optimizer, esp::batch<2, 8>>();
  BOOST_TEST(blocks == by_types);
  using Program = esp::detail::training_program<Blocks, Loss, esp::batch<2, 8>>;
  std::string const all =
      esp::draw_kernels<Blocks, Loss, Optimizer, esp::batch<2, 8>>({}, esp::kernel_detail::formulas);
  BOOST_TEST(parse(all).nodes == report::view_of<Program>.kernel_count + 3);
}

// The kernels of a large net are a table: each is in one cell, those of the backward pass in the last column.
BOOST_AUTO_TEST_CASE(kernels_of_layers) {
  std::string const text = esp::draw_kernels<Blocks, Loss, Optimizer, esp::batch<2, 8>>("MLPResNet");
  BOOST_TEST(has(text, "training of MLPResNet on (2, 8): "), text);
  BOOST_TEST(has(text, "bgcolor=\"white\">2.0.0.fn.0  Linear&lt;8, 4&gt;</td>"), text);
  BOOST_TEST(has(text, "<b>kept for backward</b>"), text);
  std::string const small = esp::draw_kernels<Net, Loss, Optimizer, esp::batch<2, 8>>({}, esp::kernel_detail::layers);
  BOOST_TEST(has(small, ">1  ReLU</td><td align=\"left\" balign=\"left\" bgcolor=\"#d8efd8\">2&nbsp; product&nbsp; "),
             small);
  BOOST_TEST(has(small, ">loss</td><td align=\"left\" balign=\"left\" bgcolor=\"#d8efd8\">1, 4&nbsp; "), small);
  std::string const evaluation = esp::draw_kernels<Net, esp::batch<2, 8>>({}, esp::kernel_detail::layers);
  BOOST_TEST(!has(evaluation, "backward"), evaluation);
  BOOST_TEST(has(evaluation, "<b>kernels</b>"), evaluation);
  // Inputs that are indices are no targets: what is made of them belongs to its layer.
  using Words = nn::Sequential<nn::Embedding<9, 4>, nn::Flatten, nn::Linear<12, 2>>;
  std::string const words =
      esp::draw_kernels<Words, nn::CrossEntropyLoss<>, Optimizer, esp::batch<2, 3>>({}, esp::kernel_detail::layers);
  BOOST_TEST(
      has(words, ">0  Embedding&lt;9, 4&gt;</td><td align=\"left\" balign=\"left\" bgcolor=\"#d8efd8\">2&nbsp; gather"),
      words);
  BOOST_TEST(has(words, ">loss</td><td align=\"left\" balign=\"left\" bgcolor=\"#d8efd8\">1, 4&nbsp; "), words);
}

// A value has the layer that makes it; a value of the backward pass has the layer that it differentiates.
BOOST_AUTO_TEST_CASE(layers_of_nodes) {
  using Program = esp::detail::training_program<Net, Loss, esp::batch<2, 8>>;
  report::program_layers const layers = report::detail::layers_of_program<Program>::get();
  report::view const& v = report::view_of<Program>;
  BOOST_TEST(static_cast<int>(layers.of.size()) == v.node_count + 1);
  auto const name = [&](int node) { return report::layer_name(layers, report::layer_of(layers, node)); };
  for (int i = 0; i < v.result_count; ++i) {
    report::node_row const& n = v.nodes[v.results[i].id];
    if (v.results[i].where == esp::graph::destination::gradient)
      BOOST_TEST(name(v.results[i].id) == (v.results[i].index < 2 ? "0  Linear<8, 4>" : "2  Linear<4, 3>"));
    else BOOST_TEST((v.results[i].index != 0 || name(v.nodes[n.holder].holder) == ""));
  }
  for (int id = 1; id <= v.node_count; ++id) {
    if (std::string_view{v.nodes[id].op->name} == "relu") BOOST_TEST(name(id) == "1  ReLU");
    if (std::string_view{v.nodes[id].op->name} == "exp") BOOST_TEST(name(id) == "");
  }
  // Two norms share constants; values of the backward pass belong to both in turn.
  using Normed = nn::Sequential<nn::Linear<8, 8>, nn::BatchNorm1d<8>, nn::Linear<8, 8>, nn::BatchNorm1d<8>>;
  using Second = esp::detail::training_program<Normed, Loss, esp::batch<4, 8>>;
  report::program_layers const normed = report::detail::layers_of_program<Second>::get();
  report::view const& w = report::view_of<Second>;
  int last = 4, found = 0;
  for (int x = 1; x <= w.kernel_count; ++x) {
    if (w.kernels[x].first <= report::end_of_forward(w)) continue;
    report::for_each_result(w, w.kernels[x], [&](int node) {
      if (w.nodes[node].at.base != esp::plan::base::workspace) return;
      std::string const path = report::layer_name(normed, report::layer_of(normed, node), false);
      int const layer = path.empty() ? 4 : path[0] - '0';
      BOOST_TEST(layer <= last, "v" << node << " of layer " << path << " comes after layer " << last);
      last = layer;
      ++found;
    });
  }
  BOOST_TEST(found >= 3);
}

BOOST_AUTO_TEST_CASE(memory) {
  std::string const svg = esp::draw_memory<Blocks, Loss, Optimizer, esp::batch<4, 8>>();
  auto const boxes = boxes_of(svg);
  using Program = esp::detail::training_program<Blocks, Loss, esp::batch<4, 8>>;
  BOOST_TEST(boxes.size() == report::lives_of(report::view_of<Program>).size());
  BOOST_TEST(boxes.size() > 20u);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    box const& a = boxes[i];
    BOOST_TEST((a.width > 0 && a.height > 0));
    BOOST_TEST((a.x >= 70 && a.y >= 56 && a.x + a.width <= 920.1 && a.y + a.height <= 476.1));
    for (std::size_t j = 0; j < i; ++j) {
      box const& b = boxes[j];
      double const rounding = 0.02;
      bool const disjoint = a.x + a.width <= b.x + rounding || b.x + b.width <= a.x + rounding ||
                            a.y + a.height <= b.y + rounding || b.y + b.height <= a.y + rounding;
      BOOST_TEST(disjoint, "boxes " << i << " and " << j);
    }
  }
  BOOST_TEST(svg.substr(svg.size() - 7) == "</svg>\n");
  values_share_nothing<Program>();
  values_share_nothing<esp::detail::evaluation_program<Blocks, esp::batch<4, 8>>>();
  values_share_nothing<esp::detail::training_program<Net, Loss, esp::batch<2, 8>>>();
  values_share_nothing<esp::detail::training_program<
      nn::Sequential<nn::ConvBN<3, 8, 3>, nn::MaxPool2d<2>, nn::Flatten, nn::Linear<8 * 4 * 4, 4>>, Loss,
      esp::batch<2, 3, 8, 8>>>();
}

// The map of the smallest net: the first layer's result lies in the one value of the workspace, from kernel 1 to kernel
// 2.
BOOST_AUTO_TEST_CASE(memory_by_hand) {
  auto const lives = report::lives_of(report::view_of<esp::detail::evaluation_program<Net, esp::batch<2, 8>>>);
  BOOST_TEST_REQUIRE(lives.size() == 1u);
  BOOST_TEST(lives[0].offset == 0);
  BOOST_TEST(lives[0].size == 8);
  BOOST_TEST(lives[0].first == 1);
  BOOST_TEST(lives[0].end == 3);
  std::string const svg = esp::draw_memory<Net, esp::batch<2, 8>>();
  // half of 16 elements
  BOOST_TEST(has(svg, "<rect class=\"value forward\" x=\"70.00\" y=\"56.00\" width=\"850.00\" height=\"210.00\""), svg);
  BOOST_TEST(has(svg, "<title>1  ReLU (2, 4) (v7): bytes 0 to 32, kernels 1 to 2</title>"), svg);
  BOOST_TEST(has(svg, ">1  ReLU  (2, 4)</text>"), svg);
  BOOST_TEST(has(svg, ">32 bytes</text>"), svg);
  BOOST_TEST(has(esp::draw_memory<Net, esp::batch<2, 8>>("two layers"), "evaluation of two layers on (2, 8): "));
}
