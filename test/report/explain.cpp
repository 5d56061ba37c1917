// SPDX-License-Identifier: BSL-1.0
// A plan as text: each line of one that can be followed by hand, and sums that agree with the facts of the plan.
#define BOOST_TEST_MODULE report_explain
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/report/explain.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
namespace report = espalier::report;

namespace {

using Net = nn::Sequential<nn::Linear<8, 4>, nn::ReLU, nn::Linear<4, 3>>;
using Blocks = nn::MLPResNet<8, 8, 2, 3>;

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

std::int64_t count(std::string const& text, std::string const& pattern) {
  std::int64_t n = 0;
  for (std::size_t at = text.find(pattern); at != std::string::npos; at = text.find(pattern, at + 1)) ++n;
  return n;
}
bool has(std::string const& text, std::string const& pattern) { return text.find(pattern) != std::string::npos; }

/// The bytes that the lines of all kernels say.
std::int64_t bytes_said(std::string const& text) {
  std::int64_t sum = 0;
  for (char const* word : {"  reads ", "  writes "})
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
      sum += std::stoll(text.substr(at + std::string(word).size()));
  return sum;
}

}  // namespace

BOOST_AUTO_TEST_CASE(evaluation) {
  std::string const pattern =
      "evaluation of Sequential on (2, 8): 2 kernels, 64 bytes of workspace, 64 live at most, 356 moved, 198 flops\n"
      "kernel 1: product\n"
      "  v7 = relu(add(matmul(input, 0.weight), 0.bias))\n"
      "  reads 208 bytes: input (2, 8), 0.weight (8, 4), 0.bias (1, 4)\n"
      "  writes 32 bytes: v7 (2, 4) to workspace +0, until kernel 2\n"
      "kernel 2: product\n"
      "  v12 = add(matmul(v7, 2.weight), 2.bias)\n"
      "  reads 92 bytes: v7 (2, 4), 2.weight (4, 3), 2.bias (1, 3)\n"
      "  writes 24 bytes: v12 (2, 3) to output\n";
  BOOST_TEST((esp::explain<Net, esp::batch<2, 8>>()) == pattern);
  esp::model<Net> const model{esp::seed{0}};
  BOOST_TEST(esp::explain(esp::predictor{model, esp::batch<2, 8>{}}) == pattern);
  BOOST_TEST((report::explanation(
                  {"p", &report::view_of<esp::detail::evaluation_program<Net, esp::batch<2, 8>>>, 8, {}, {}, {}, {}})
                  .substr(0, 77)) == "p: 2 kernels, 128 bytes of workspace, 128 live at most, 712 moved, 198 flops\n");
}

BOOST_AUTO_TEST_CASE(several_inputs_and_results) {
  std::string const pattern =
      "evaluation of Cell on (2, 5), (2, 4): 3 kernels, 64 bytes of workspace, 64 live at most, 460 moved, 230 flops\n"
      "kernel 1: product\n"
      "  v7 = add(matmul(input 0, input.weight), input.bias)\n"
      "  reads 136 bytes: input 0 (2, 5), input.weight (5, 4), input.bias (1, 4)\n"
      "  writes 32 bytes: v7 (2, 4) to workspace +0, until kernel 2\n"
      "kernel 2: product\n"
      "  v14 = tanh(add(add(matmul(input 1, state.weight), state.bias), v7))\n"
      "  reads 144 bytes: input 1 (2, 4), state.weight (4, 4), state.bias (1, 4), v7 (2, 4)\n"
      "  writes 32 bytes: v14 (2, 4) to output 1\n"
      "kernel 3: product\n"
      "  v19 = add(matmul(v14, output.weight), output.bias)\n"
      "  reads 92 bytes: v14 (2, 4), output.weight (4, 3), output.bias (1, 3)\n"
      "  writes 24 bytes: v19 (2, 3) to output 0\n";
  BOOST_TEST((esp::explain<Cell, Inputs>()) == pattern);
  esp::model<Cell> const model{esp::seed{0}};
  esp::predictor const predict{model, esp::batch<2, 5>{}, esp::batch<2, 4>{}};
  BOOST_TEST(esp::explain(predict) == pattern);
  BOOST_TEST(bytes_said(pattern) == decltype(predict)::bytes_moved);
}

BOOST_AUTO_TEST_CASE(training) {
  using batch = esp::batch<2, 8>;
  std::string const text = esp::explain<Net, nn::SoftmaxLoss, optim::Adam, batch>();
  using facts = esp::training_facts<Net, nn::SoftmaxLoss, optim::Adam, batch>;
  BOOST_TEST(text == esp::explain<facts>());
  BOOST_TEST(count(text, "\nkernel ") == facts::kernel_count);
  BOOST_TEST(bytes_said(text) == facts::bytes_moved);
  BOOST_TEST(has(text, ", " + std::to_string(facts::workspace_bytes) + " bytes of workspace, " +
                           std::to_string(facts::peak_live_bytes) + " live at most, "),
             text);
  BOOST_TEST(has(text, ", " + std::to_string(facts::flops) + " flops\n"), text);
  // Forward, loss, backward and update.
  BOOST_TEST(has(text, "relu(add(matmul(input, 0.weight), 0.bias))"), text);
  BOOST_TEST(has(text, "= equal(column_index, v"), text);
  BOOST_TEST(has(text, " (1) to loss;"), text);
  BOOST_TEST(has(text, "= matmul(transpose(input), v"), text);
  BOOST_TEST(has(text, " (8, 4) to gradient of 0.weight\n"), text);
  BOOST_TEST(has(text, "update by Adam: 1 kernel, 0 bytes of workspace, 0 live at most"), text);
  BOOST_TEST(has(text, " (80) to new parameters\n"), text);
}

BOOST_AUTO_TEST_CASE(trainers) {
  esp::model<Blocks> model{esp::seed{0}};
  esp::trainer const trainer{model, nn::SoftmaxLoss{}, optim::SGD<>{}, esp::batch<4, 8>{}, esp::batch<3, 8>{}};
  std::string const text = esp::explain(trainer);
  BOOST_TEST(count(text, "training of Sequential on (4, 8): ") == 1);
  BOOST_TEST(count(text, "training of Sequential on (3, 8): ") == 1);
  BOOST_TEST(count(text, "update by SGD") == 1);
  // Equal kernels share their code; running statistics are written where they belong; draws are named.
  BOOST_TEST(has(text, ", the code of kernel "), text);
  BOOST_TEST(count(text, " (4) to new 2.1.0.fn.1.running_mean;") == 2);
  BOOST_TEST(count(text, "= random_uniform[0]\n") == 2);
  BOOST_TEST(count(text, "[column](") > 0);
}

// What a plan can hold beside products: movements, joins, permutations, a copy at the end.
BOOST_AUTO_TEST_CASE(other_kernels) {
  using Images = nn::Sequential<nn::ConvBN<3, 8, 3>, nn::MaxPool2d<2>, nn::Flatten, nn::Linear<8 * 4 * 4, 4>>;
  std::string const images = esp::explain<Images, nn::SoftmaxLoss, optim::SGD<>, esp::batch<2, 3, 8, 8>>();
  using facts = esp::training_facts<Images, nn::SoftmaxLoss, optim::SGD<>, esp::batch<2, 3, 8, 8>>;
  BOOST_TEST(bytes_said(images) == facts::bytes_moved);
  BOOST_TEST(has(images, "permute["), images);
  // no formula lacks its operands; numbers have the shape ()
  BOOST_TEST(count(images, "()") == count(images, " ()"), images);
}
