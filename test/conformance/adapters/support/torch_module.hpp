// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <vector>

#include "module.hpp"

// Cases whose op is a module with PyTorch's layout of weights: matrices are (outputs, inputs).
namespace conformance {

/// (rows, columns) in row-major order, transposed.
template <class T>
std::vector<T> transposed(std::span<T const> from, int rows, int columns) {
  std::vector<T> to(from.size());
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      to[static_cast<std::size_t>(j * rows + i)] = from[static_cast<std::size_t>(i * columns + j)];
  return to;
}

/// As `watched`, with a second input, the context, also as a parameter.
template <class Net, class In, class Context>
struct watched_cross {
  zero_parameter<In> input{};
  zero_parameter<Context> context{};
  Net net{};
  zero_buffer<In> output{};
  ESPALIER_MODULE(watched_cross, input, context, net, output)

  constexpr auto forward(auto shift) const {
    auto const y = net(input + shift, context);
    return with_update(y, output, y);
  }
};

/// y in training mode and the gradients where the case wants them. name_of(path): what the case calls a parameter of
/// the net.
template <class Case, class T, class Watched, class In>
void run_torch_module(case_run& run, auto name_of) {
  esp::model<Watched, esp::cpu, T> model{esp::seed{0}};
  auto const given = [&](std::string_view name) {
    return name == "input" ? joined{}.add("x") : name == "context" ? joined{}.add(name) : name_of(name.substr(4));
  };
  model.for_each_parameter([&](std::string_view name, esp::extents const& shape, auto values) {
    bool const is_input = name == "input" || name == "context";
    run.read(is_input ? role::input : role::parameter, given(name), as_span<T>(values));
    if (is_input || shape.rank != 2) return;
    std::vector<T> const in_order = transposed(as_span<T const>(values), shape.at[1], shape.at[0]);
    for (std::size_t i = 0; i < in_order.size(); ++i) values.data()[i] = in_order[i];
  });
  esp::trainer trainer{model, dot_loss{}, optim::SGD<>{.learning_rate = 0}, In{}};
  esp::tensor<T, In> const shift;
  esp::tensor<T, In> y;
  trainer.step(shift, y);
  auto const seen = model.buffer("output").span();
  for (std::int64_t i = 0; i < In::size; ++i) y.data()[i] = seen.data()[i];
  check_alone(run, model, shift, y);
  report_result(run, "y", y);
  if constexpr (Case::gradient) {
    trainer.step(shift, gradient_of_loss(run, y));
    model.for_each_parameter([&](std::string_view name, esp::extents const& shape, auto values) {
      std::span<T const> const gradient{trainer.gradients().data() + (values.data() - model.parameters().data()),
                                        static_cast<std::size_t>(values.size())};
      joined const to = join("grad.", std::string_view{given(name)});
      if (name == "input" || name == "context" || shape.rank != 2) run.result(to, gradient, shape);
      else
        run.result(to, std::span<T const>{transposed(gradient, shape.at[0], shape.at[1])},
                   esp::extents{2, {shape.at[1], shape.at[0]}});
    });
  }
}
template <class Case, class T, class Net, class In = input_shape<Case>>
void run_torch_module(case_run& run) {
  run_torch_module<Case, T, watched<Net, In>, In>(run, [](std::string_view path) { return joined{}.add(path); });
}

}  // namespace conformance
