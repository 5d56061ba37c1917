// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cmath>

#include "module.hpp"
#include "optimizer.hpp"

// Whole training runs: given initial parameters, batches and masks; losses, parameters and buffers at the end.
namespace conformance {

namespace detail {
template <int Count, class Sample>
struct batch_of;
template <int Count, int... Sample>
struct batch_of<Count, integers<Sample...>> {
  using type = esp::shape<Count, Sample...>;
};
}  // namespace detail

/// `Count` samples of the case's sample shape.
template <class Case, int Count>
using batch_of = typename detail::batch_of<Count, attribute_of<Case, "sample">>::type;

/// The given masks mask<i><after>, to where the net has them.
template <class Case, class Net, class Device, class T>
void read_masks(case_run& run, esp::model<Net, Device, T>& model, std::string_view after) {
  using paths = typename attribute_of<Case, "mask_paths">::type;
  for (std::size_t i = 0; i < paths::count; ++i)
    run.read(role::input, join("mask", static_cast<int>(i), after), as_span<T>(model.buffer(paths::at[i]).span()));
}
/// The case's parameters, and masks where `after` says which.
template <class Case, class Net, class Device, class T>
void read_model(case_run& run, esp::model<Net, Device, T>& model, std::string_view after = {}) {
  model.for_each_parameter([&](std::string_view name, esp::extents const&, auto values) { run.read(role::parameter, name, as_span<T>(values)); });
  if (!after.empty()) read_masks<Case>(run, model, after);
}

/// Logits and slopes of the first step, from a model of their own.
template <class Case, class T, int Count>
void give_first_step(case_run& run, auto const& x, auto const& labels) {
  using Net = typename attribute_of<Case, "module">::type;
  watched_model<T, Net, batch_of<Case, Count>> watched(run);
  watched.input("X0");
  watched.masks(typename attribute_of<Case, "mask_paths">::type{}, "mask", "_step0");
  give(run, "logits_step0", watched.train());

  esp::model<Net, esp::cpu, T> model{esp::seed{0}};
  read_model<Case>(run, model, "_step0");
  auto const result = esp::value_and_grad(model, nn::SoftmaxLoss{})(x, labels);
  result.slopes.for_each([&](std::string_view name, esp::extents const& shape, auto values) { run.result(join("grad_step0.", name), as_span<T const>(values), shape); });
}

/// final.<path>, final_norm.<path> of every parameter and final.<path> of every buffer.
template <class Net, class Device, class T>
void give_final(case_run& run, esp::model<Net, Device, T>& model) {
  model.for_each_parameter([&](std::string_view name, esp::extents const& shape, auto values) {
    run.result(join("final.", name), as_span<T const>(values), shape);
    double squares = 0;
    for (T v : values) squares += static_cast<double>(v) * static_cast<double>(v);
    run.result(join("final_norm.", name), std::sqrt(squares));
  });
  model.for_each_buffer([&](std::string_view name, esp::extents const& shape, auto values) { run.result(join("final.", name), as_span<T const>(values), shape); });
}

}  // namespace conformance
