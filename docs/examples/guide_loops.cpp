// SPDX-License-Identifier: BSL-1.0
// Loops in programs: scan and repeat, their gradients, and what the planner makes of them.
//   guide_loops [FILE]    prints; with FILE, compares with that file
#include <espalier.hpp>

#include "support/show.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
using esp::shape, esp::tensor;

// [scan]
// A moving average: the state is the average so far, xs has one sample in each row.
inline constexpr auto average = [](auto start, auto xs) {
  auto const step = [](auto const& state, auto const& x) {
    auto const next = 0.75 * state + 0.25 * x;
    return std::tuple{next, next};  // the next state, and what the loop returns for this step
  };
  auto const [last, all] = esp::scan(step, start, xs);
  return std::tuple{last, all};
};
// [/scan]

// [repeat]
// Newton's method for a square root: ten steps, one program for a step.
inline constexpr auto root = [](auto a) {
  return esp::repeat<10>([&](auto const& x) { return 0.5 * (x + a / x); }, a);
};
inline constexpr auto sum_of_roots = [](auto a) { return sum(root(a)); };
// [/repeat]

// [module]
/// hs = a recurrent layer with tanh: (T, N, In) -> (T, N, Hidden).
template <int In, int Hidden>
struct Recurrent {
  nn::Linear<In, Hidden> input;
  nn::Linear<Hidden, Hidden, nn::no_bias> state;
  ESPALIER_MODULE(Recurrent, input, state)

  constexpr auto forward(auto x) const {
    using X = esp::shape_of<decltype(x)>;
    auto const step = [&](auto const& h, auto const& xt) {
      auto const next = tanh(input(xt) + state(h));
      return std::tuple{next, next};
    };
    auto const zero = esp::zeros<shape<X::template extent<1>(), Hidden>>(x);
    auto const [last, hs] = esp::scan(step, zero, x);
    return hs;
  }
};
// [/module]

// [mask]
/// The last states of sequences of different lengths: where a mask is 0, the state stays.
inline constexpr auto last_states = [](auto start, auto xs, auto masks) {
  auto const step = [](auto const& h, auto const& at) {
    auto const& [x, mask] = at;
    auto const next = tanh(h + x);
    return std::tuple{mask * next + (1 - mask) * h, std::tuple{}};
  };
  return std::get<0>(esp::scan(step, start, std::tuple{xs, masks}));
};
// [/mask]

// [count]
/// The same for one length, which is an argument: the loop runs that many steps.
inline constexpr auto state_after = [](auto start, auto xs, auto length) {
  auto const step = [](auto const& h, auto const& x) {
    auto const next = tanh(h + x);
    return std::tuple{next, next};
  };
  auto const [last, all] = esp::scan(step, start, xs, length);  // all is 0 behind the length
  return std::tuple{last, all};
};
// [/count]

int main(int count, char** words) {
  examples::recorded out;
  // [run]
  tensor<float, shape<2>> const start{0, 0};
  tensor<float, shape<4, 2>> const xs{{1, 4}, {1, 0}, {1, 4}, {1, 0}};
  esp::compiled averages{average, start, xs};
  tensor<float, shape<2>> last;
  tensor<float, shape<4, 2>> all;
  averages(start, xs, last, all);
  examples::show(out, "averages", all);
  tensor<double, shape<2>> const numbers{2, 9};
  examples::show(out, "gradient of the roots", esp::grad(sum_of_roots)(numbers));  // 1 / (2 sqrt(a))
  // [/run]
  // [plan]
  using Net = Recurrent<16, 32>;
  constexpr auto short_plan = esp::prediction_plan<Net, esp::batch<10, 8, 16>>;
  constexpr auto long_plan = esp::prediction_plan<Net, esp::batch<1000, 8, 16>>;
  static_assert(short_plan.kernel_count == long_plan.kernel_count);
  examples::show(out, "kernels, for 10 steps and for 1000", short_plan.kernel_count);
  // [/plan]
  tensor<float, shape<3, 2, 1>> const masks{{{1}, {1}}, {{1}, {0}}, {{0}, {0}}};
  tensor<float, shape<3, 2, 2>> const steps{{{1, 1}, {1, 1}}, {{1, 1}, {1, 1}}, {{1, 1}, {1, 1}}};
  tensor<float, shape<2, 2>> const zero{};
  tensor<float, shape<2, 2>> lasts;
  esp::compiled run{last_states, zero, steps, masks};
  run(zero, steps, masks, lasts);
  examples::show(out, "last states of 2 and of 1 step", lasts);
  tensor<std::int32_t, shape<>> const length{2};
  tensor<float, shape<3, 2, 2>> states;
  esp::compiled run_some{state_after, zero, steps, length};
  run_some(zero, steps, length, lasts, states);
  examples::show(out, "the state after 2 of 3 steps", lasts);
  return out.finish(count, words);
}
