// SPDX-License-Identifier: BSL-1.0
// Page 4 of the guide: a module is a struct of parameters and modules with a formula; a model holds its numbers.
//   guide_modules [FILE]    prints; with FILE, compares with that file
#include <espalier.hpp>

#include "support/show.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
namespace init = espalier::nn::init;
using esp::shape, esp::tensor;

// [leaf]
/// y = x scale + shift, a number of each for each feature.
template <int Features>
struct Affine {
  esp::parameter<shape<Features>, init::initialized_by<init::ones{}>> scale{};
  esp::parameter<shape<Features>, init::initialized_by<init::constant{0.5}>> shift{};
  ESPALIER_MODULE(Affine, scale, shift)

  constexpr auto forward(auto x) const { return x * scale + shift; }
};
// [/leaf]

// [net]
template <int Width>
struct Block {
  nn::Linear<Width, Width> inner;
  Affine<Width> affine;
  ESPALIER_MODULE(Block, inner, affine)

  constexpr auto forward(auto x) const { return affine(relu(inner(x))) + x; }  // modules are called like functions
};
using Net = nn::Sequential<nn::Linear<3, 4>, Block<4>, Block<4>, nn::Linear<4, 2>>;
// [/net]

// [cell]
/// A recurrent cell: an input and a state, and the output beside the next state.
struct Cell {
  nn::Linear<3, 4> from_input;
  nn::Linear<4, 4> from_state;
  nn::Linear<4, 2> output;
  ESPALIER_MODULE(Cell, from_input, from_state, output)

  constexpr auto forward(auto x, auto h) const {
    auto const next = tanh(from_input(x) + from_state(h));
    return std::tuple{output(next), next};
  }
};
static_assert(esp::output_shape<Cell, esp::batch<1, 3>, esp::batch<1, 4>> == esp::shapes<shape<1, 2>, shape<1, 4>>{});
// [/cell]

// [indices]
/// Features of a token, and its number in a table.
struct Token {
  using input_element = std::tuple<float, std::int32_t>;  // float: the element type of the model
  nn::Embedding<100, 4> table;
  ESPALIER_MODULE(Token, table)

  constexpr auto forward(auto features, auto index) const { return features + table(index); }
};
// [/indices]

// [facts]
static_assert(esp::output_shape<Net, esp::batch<5, 3>> == shape<5, 2>{});
static_assert(esp::parameter_count<Block<4>> == (4 * 4 + 4) + (4 + 4));
// [/facts]

int main(int count, char** words) {
  examples::recorded out;
  // [model]
  esp::model<Net> model{esp::seed{0}};  // all parameters in one allocation, initialized from the seed
  model.for_each_parameter(
      [&](char const* name, esp::extents const& extents, auto) { examples::show(out, name, extents); });
  // [/model]

  // [names]
  // by name; a wrong name does not compile, and the error has the nearest name
  auto const shift = model.parameter<"1.affine.shift">();
  shift.span()[2] = 8;
  // parameter(name) would throw, with the nearest name
  examples::show(out, "\"1.affine.shft\"", model.find_parameter("1.affine.shft") ? "is there" : "is not there");
  // [/names]

  // [call]
  tensor<float, esp::batch<5, 3>> x;
  init::fill(init::uniform{-1, 1}, x.span(), {.seed = 1});
  tensor<float, esp::batch<5, 2>> const scores = model(x);  // evaluation, for any static batch size
  tensor<float, esp::batch<1, 3>> first;
  for (int i = 0; i < 3; ++i) first[i] = x[i];
  tensor<float, esp::batch<1, 2>> alone;
  esp::predictor predict{model, esp::batch<1, 3>{}};  // owns its workspace: noexcept, never allocates
  predict(first, alone);
  examples::show(out, "alone as in the batch",
                 all_close(alone, tensor<float, esp::batch<1, 2>>{{scores(0, 0), scores(0, 1)}}) ? "yes" : "no");
  // [/call]

  // [several]
  esp::model<Cell> cell{esp::seed{0}};
  tensor<float, esp::batch<1, 4>> state;
  auto const [first_output, first_state] = cell(first, state);  // a tuple of tensors
  // a batch for each input; a run gets each input, then a tensor for each result
  esp::predictor step{cell, esp::batch<1, 3>{}, esp::batch<1, 4>{}};
  tensor<float, esp::batch<1, 2>> output;
  step(first, state, output, state);  // the next state replaces the state
  examples::show(out, "a step is the call", output == first_output && state == first_state ? "yes" : "no");
  // [/several]
  esp::model<Token> const token{esp::seed{0}};
  tensor<std::int32_t, esp::batch<1>> number;
  number[0] = 17;
  examples::show(
      out, "a row of the table",
      token(tensor<float, esp::batch<1, 4>>{}, number)[2] == token.parameter<"table.weight">().span()[4 * 17 + 2]
          ? "yes"
          : "no");

  // [double]
  esp::model<Net, esp::cpu, double> exact;  // net, device, element type
  copy(model, exact);                       // float to double, by name
  tensor<double, esp::batch<5, 3>> const wide{x};
  tensor<double, esp::batch<5, 2>> const exact_scores = exact(wide);  // double in, double out
  examples::show(out, "double agrees",
                 all_close(tensor<double, esp::batch<5, 2>>{scores}, exact_scores, 1e-5, 1e-6) ? "yes" : "no");
  // [/double]
  return out.finish(count, words);
}
