// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdint>
#include <string_view>
#include <tuple>

#include "module.hpp"

// ONNX's training operators: one step from given states. Their inputs are R (the rate), T (the steps that were made),
// then X..., G..., V... and, for Adam, H..., as many of each as there are tensors; their outputs are X_new... and so
// on.
namespace conformance {

template <class S>
struct one_parameter {
  zero_parameter<S> moved{};
  ESPALIER_MODULE(one_parameter, moved)
  constexpr auto forward(auto x) const { return x + sum(moved); }
};

/// One step of an optimizer for tensor `At` of `Count`, after `steps` steps; `finish` has the last word on each new
/// number.
template <class T, int At, int Count, class... CaseTensor>
void run_onnx_tensor(case_run& run, case_tensors<CaseTensor...>, auto optimizer, std::int64_t steps, auto finish) {
  using list = std::tuple<CaseTensor...>;
  constexpr auto name = [](int role) {
    constexpr std::string_view names[] = {CaseTensor::name()...};
    return names[static_cast<std::size_t>(2 + role * Count + At)];
  };
  using shape = typename std::tuple_element_t<std::size_t{2} + At, list>::shape;
  using net = one_parameter<shape>;
  esp::model<net, esp::cpu, T> model{esp::seed{0}};
  optim::updater updater{model, optimizer};
  esp::gradients<net, T> gradients;
  updater.continue_after(steps);
  run.read(role::input, name(0), as_span<T>(model.parameter("moved").span()));
  run.read(role::input, name(1), as_span<T>(gradients.parameter("moved").span()));
  constexpr int states = decltype(optimizer)::states;
  auto const state = [&](int k) {
    return as_span<T>(updater.states().part(k * (updater.states().size() / states), shape::size));
  };
  for (int k = 0; k < states; ++k) run.read(role::input, name(2 + k), state(k));
  updater.update(model, gradients);
  for (T& x : model.parameter("moved").span()) x = finish(x);
  run.result(join(name(0), "_new"), as_span<T const>(model.parameter("moved").span()), shape::value);
  for (int k = 0; k < states; ++k) run.result(join(name(2 + k), "_new"), std::span<T const>{state(k)}, shape::value);
}

/// For each tensor of the case. Groups: how many lists of tensors there are.
template <class T, int Groups, class... CaseTensor>
void run_onnx_optimizer(case_run& run, case_tensors<CaseTensor...> all, auto optimizer, std::int64_t steps,
                        auto finish) {
  constexpr int count = (static_cast<int>(sizeof...(CaseTensor)) - 2) / Groups;
  [&]<int... At>(std::integer_sequence<int, At...>) {
    (run_onnx_tensor<T, At, count>(run, all, optimizer, steps, finish), ...);
  }
  (std::make_integer_sequence<int, count>{});
}

/// R and T.
template <class T>
struct onnx_rate {
  T rate[1], steps[1];
  explicit onnx_rate(case_run& run) {
    run.read(role::input, "R", std::span<T>{rate});
    run.read(role::input, "T", std::span<T>{steps});
  }
};

}  // namespace conformance
