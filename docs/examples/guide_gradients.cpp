// SPDX-License-Identifier: BSL-1.0
// Page 3 of the guide: gradients of formulas, of any order, at run time and while compiling.
//   guide_gradients [FILE]    prints; with FILE, compares with that file
#include <algorithm>
#include <cmath>

#include <espalier.hpp>

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

// [struct]
// A struct of tensors is a class template with one argument for each member.
template <class Position, class Velocity>
struct motion {
  Position position;
  Velocity velocity;
};
inline constexpr auto moved = [](auto m) { return motion{m.position + 0.5 * m.velocity, m.velocity}; };
inline constexpr auto distance = [](auto m, auto goal) { return sum(square(moved(m).position - goal)); };
inline constexpr auto by_motion = esp::grad<0>(distance)(motion{three{1, 2, 3}, three{2, 2, 2}}, three{0, 0, 0});
static_assert(by_motion.velocity == three{2, 3, 4});
// [/struct]

// [function_of_a_model]
// A function of a model and tensors. evaluate(net, x) runs the net in evaluation mode, net(x) in training mode.
inline constexpr auto surprise = [](auto net, auto x, auto y) { return nn::SoftmaxLoss{}(evaluate(net, x), y); };
// [/function_of_a_model]

// [penalty]
// A gradient inside a function: the loss, and the square of its gradient by the input.
inline constexpr auto smooth_loss = [](auto net, auto x, auto y) {
  auto const [loss, by_x] = esp::value_and_grad<1>(surprise)(net, x, y);
  return loss + 0.1f * sum(by_x * by_x);
};
// [/penalty]

// [constants]
// The teacher's scores are constants of the function: no gradient, also if gradients of all arguments are computed.
inline constexpr auto distillation = [](auto student, auto teacher, auto x) {
  return mean(square(student(x) - evaluate(constant(teacher), x)));
};
// [/constants]

// [by_sample]
// A function of one sample: its four inputs and its label. The net expects a batch, here of one.
inline constexpr auto surprise_of_one = [](auto net, auto x, auto y) {
  return surprise(net, reshape<1, 4>(x), reshape<1>(y));
};
// A parameter's gradient for one sample.
inline constexpr auto weight_gradient = [](auto net, auto x, auto y) {
  return esp::parameter_of<"2.weight">(esp::grad<0>(surprise_of_one)(net, x, y));
};
// [/by_sample]
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

  // [directions]
  three const v{1, 0, -1};
  auto const along_v = esp::jvp<0>(energy)(a, b)(v);  // the derivative of energy when a moves along v
  auto const bent = esp::hvp<0>(energy)(a, b)(v);     // the Hessian times v: exp(a) v
  auto const all = esp::hessian<0>(energy)(a, b);     // 3 x 3 numbers
  auto const each = esp::jacobian([](auto x) { return x * sum(x); })(a);  // 3 x 3: by element of x
  // [/directions]
  out.print("%-24s%.4f\n", "jvp along v", static_cast<double>(along_v));
  examples::show(out, "hvp along v", bent);
  out.print("%-24s%.4f\n", "hessian(2, 2)", static_cast<double>(all[8]));
  out.print("%-24s%.0f %.0f %.0f\n", "jacobian, row 1", each[3], each[4], each[5]);

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
  tensor<float, shape<1, 4>> const sample{{0.5, -1, 2, 0}};
  tensor<std::int32_t, shape<1>> const label{1};
  auto const by_input = esp::grad<1>(surprise)(model, sample, label);  // a tensor like sample
  auto const [gradients, again] = esp::grad<0, 1>(surprise)(model, sample, label);
  auto const of_weight = gradients.parameter("0.weight");  // those of the parameters have names
  // [/saliency]
  examples::show(out, "input 2 matters", by_input[2] == 0 ? "no" : "yes");
  examples::show(out, "input 1 matters", by_input[1] == 0 ? "no" : "yes");
  examples::show(out, "the same again", again == by_input && of_weight.span().size() == 32 ? "yes" : "no");
  // [of_penalty]
  auto const [penalized, of_model] = esp::value_and_grad<0>(smooth_loss)(model, sample, label);
  // [/of_penalty]
  examples::show(out, "the penalty has a gradient", of_model.parameter("0.weight").span()[0] != 0 ? "yes" : "no");
  esp::model<Net> const teacher{esp::seed{5}};
  auto const of_teacher = esp::grad<1>(distillation)(model, teacher, sample);
  auto const numbers = of_teacher.span();
  bool const learns = std::any_of(numbers.begin(), numbers.end(), [](float g) { return g != 0; });
  examples::show(out, "the teacher learns", learns ? "yes" : "no");
  examples::show(out, "the loss is a number", penalized > 0 ? "yes" : "no");
  // [of_samples]
  tensor<float, shape<3, 4>> const samples{{0.5, -1, 2, 0}, {1, 1, 0, -1}, {0, 2, -1, 1}};
  tensor<std::int32_t, shape<3>> const labels{1, 0, 1};
  auto const losses = esp::vmap<1, 2>(surprise_of_one)(model, samples, labels);                  // 3 losses
  auto const saliency = esp::vmap<1, 2>(esp::grad<1>(surprise_of_one))(model, samples, labels);  // 3 x 4
  auto const weights = esp::vmap<1, 2>(weight_gradient)(model, samples, labels);                 // 3 x 8 x 2
  // [/of_samples]
  // [number]
  tensor<float, shape<>> const mean_loss = mean(losses);  // one element, which converts to a number
  // [/number]
  auto const of_batch = esp::grad<0>(surprise)(model, samples, labels);
  tensor<float, shape<8, 2>> const mean_weights = esp::mean<0>(weights);
  auto const batch_weights = of_batch.parameter("2.weight").span();
  float far = 0;
  for (int i = 0; i < 16; ++i)
    far = std::max(far, std::abs(mean_weights[i] - batch_weights[static_cast<std::size_t>(i)]));
  examples::show(out, "samples have own losses", losses[0] != losses[1] && mean_loss[0] > 0 ? "yes" : "no");
  examples::show(out, "input 1 matters to each", saliency(0, 1) != 0 && saliency(2, 1) != 0 ? "yes" : "no");
  examples::show(out, "their mean is the batch's", far < 1e-6f ? "yes" : "no");
  return out.finish(count, words);
}
