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

/// The case's parameters.
template <class Model>
void read_model(case_run& run, Model& model) {
  using T = typename Model::value_type;
  model.for_each_parameter([&](std::string_view name, esp::extents const&, auto values) {
    run.read(role::parameter, name, as_span<T>(values));
  });
}
/// The given masks mask<i><after>, to where the net has them.
template <class Model, text... Path>
void read_masks([[maybe_unused]] case_run& run, [[maybe_unused]] Model& model, words<Path...>,
                [[maybe_unused]] std::string_view after) {
  using T = typename Model::value_type;
  [[maybe_unused]] int number = 0;
  (run.read(role::input, join("mask", number++, after), as_span<T>(model.buffer(Path.characters).span())), ...);
}

/// Logits and gradients of the first step, from a model of their own.
template <class Case, class T, int Count>
void report_first_step(case_run& run, auto const& x, auto const& labels) {
  using Net = typename attribute_of<Case, "module">::type;
  typename attribute_of<Case, "mask_paths">::type const masks;
  watched_model<T, Net, batch_of<Case, Count>> watched(run);
  watched.input(x);
  watched.masks(masks, "mask", "_step0");
  report_result(run, "logits_step0", watched.train());

  esp::model<Net, esp::cpu, T> model{esp::seed{0}};
  read_model(run, model);
  read_masks(run, model, masks, "_step0");
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optimizer_of<Case, T>(), batch_of<Case, Count>{}};
  trainer.step(x, labels);
  model.for_each_parameter([&](std::string_view name, esp::extents const& shape, auto values) {
    std::span<T const> const gradient{trainer.gradients().data() + (values.data() - model.parameters().data()),
                                      static_cast<std::size_t>(values.size())};
    run.result(join("grad_step0.", name), gradient, shape);
  });
}

/// final.<path>, final_norm.<path> of every parameter and final.<path> of every buffer.
template <class Model>
void report_final(case_run& run, Model& model) {
  using T = typename Model::value_type;
  model.for_each_parameter([&](std::string_view name, esp::extents const& shape, auto values) {
    run.result(join("final.", name), as_span<T const>(values), shape);
    double squares = 0;
    for (T v : values) squares += static_cast<double>(v) * static_cast<double>(v);
    run.result(join("final_norm.", name), std::sqrt(squares));
  });
  model.for_each_buffer([&](std::string_view name, esp::extents const& shape, auto values) {
    run.result(join("final.", name), as_span<T const>(values), shape);
  });
}

}  // namespace conformance
