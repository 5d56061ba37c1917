// SPDX-License-Identifier: BSL-1.0
// Page 3 of the guide: gradients of formulas, of any order, at run time and while compiling.
//   guide_gradients [FILE]    prints; with FILE, compares with that file
#include <espalier.hpp>

#include <cstring>

#include "support/show.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
using esp::shape, esp::tensor;
using three = tensor<double, shape<3>>;

// [function]
// A function of tensors that returns one number. It captures nothing; its type is the program.
inline constexpr auto energy = [](auto a, auto b) { return sum(a * b + exp(a)); };
// [/function]

// [constant]
// The compiler runs the backward pass, too: d/da sum(a a a) = 3 a a, and its gradient 6 a.
inline constexpr auto cubes = [](auto a) { return sum(a * a * a); };
inline constexpr auto gradient_sum = [](auto a) { return sum(esp::grad(cubes)(a)); };
static_assert(esp::grad(cubes)(three{1, 2, 3}) == three{3, 12, 27});
static_assert(esp::grad(gradient_sum)(three{1, 2, 3}) == three{6, 12, 18});
// [/constant]

// [detach]
// detach: a value without its history. Held constant, the mean sends nothing back.
inline constexpr auto spread = [](auto a) { return sum((a - mean(a)) * (a - mean(a))); };
inline constexpr auto from_held = [](auto a) { return sum((a - detach(mean(a))) * a); };
static_assert(esp::grad(spread)(three{1, 2, 6}) == three{-4, -2, 6});
static_assert(esp::grad(from_held)(three{1, 2, 6}) == three{-1, 1, 9});  // 2 a - mean
// [/detach]

// [probe]
/// A net whose input is x plus a parameter: the parameter's gradient is the gradient by the input.
template <class Net, class Input>
struct WithInput {
  esp::parameter<Input, nn::init::initialized_by<nn::init::zeros{}>> input{};
  Net net;
  ESPALIER_MODULE(WithInput, input, net)

  constexpr auto forward(auto x) const { return net(x + input); }
};
// [/probe]
using Net = nn::Sequential<nn::Linear<4, 8>, nn::Tanh, nn::Linear<8, 2>>;

int main(int count, char** words) {
  examples::recorded out;
  three const a{0, 1, 2}, b{4, 5, 6};

  // [grad]
  auto const [da, db] = esp::grad(energy)(a, b);  // b + exp(a), and a
  three const expected = b + exp(a);
  examples::show(out, "db", db);
  examples::show(out, "da is b + exp(a)", all_close(da, expected) ? "yes" : "no");
  auto const da_only = esp::grad<0>(energy)(a, esp::constant(b));  // b is held: nothing is computed for it
  examples::show(out, "the same alone", da_only == da ? "yes" : "no");
  // [/grad]

  // [value]
  auto const [value, both] = esp::value_and_grad(energy)(a, b);  // one program for both
  out.print("%-24s%.4f\n", "value", static_cast<double>(value));
  examples::show(out, "the gradient by b is a", std::get<1>(both) == a ? "yes" : "no");
  // [/value]

  // [vjp]
  // For functions with many results: the map from a gradient of the result to gradients of the arguments.
  auto const back = esp::vjp([](auto v) { return v * v; })(a);
  examples::show(out, "back(1, 10, 100)", back(three{1, 10, 100}));
  // [/vjp]

  // [difference]
  // Not sure of a gradient? Compare it with a difference along some direction.
  three const direction{0.3, -0.5, 0.2};
  double const step = 1e-6;
  three const ahead = a + direction * step, behind = a - direction * step;
  auto const [up, up_gradients] = esp::value_and_grad(energy)(ahead, b);
  auto const [down, down_gradients] = esp::value_and_grad(energy)(behind, b);
  tensor<double, shape<>> const along = sum(da * direction);
  out.print("%-24s%.4f and %.4f\n", "along a direction", static_cast<double>(along), (up - down) / (2 * step));
  // [/difference]

  esp::model<Net> model{esp::seed{0}};
  for (int i = 0; i < 8; ++i) model.parameter<"0.weight">().span()[16 + i] = 0;  // input 2 reaches no unit
  // [saliency]
  esp::model<WithInput<Net, shape<1, 4>>> probe{esp::seed{0}};
  probe.for_each_parameter([&](char const* name, esp::extents const&, esp::span<float> numbers) {
    if (std::strncmp(name, "net.", 4) != 0) return;
    model.parameter(name + 4).to_host(numbers);  // "net.0.weight" is the model's "0.weight"
  });
  tensor<float, shape<1, 4>> const sample{{0.5, -1, 2, 0}};
  tensor<std::int32_t, shape<1>> const label{1};
  auto const of_loss = esp::grad(probe, nn::SoftmaxLoss{})(sample, label);
  auto const by_input = of_loss.parameter("input");  // four numbers: how the loss changes with each input
  // [/saliency]
  examples::show(out, "input 2 matters", by_input.span()[2] == 0 ? "no" : "yes");
  examples::show(out, "input 1 matters", by_input.span()[1] == 0 ? "no" : "yes");
  return out.finish(count, words);
}
