// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../device/engine.hpp"
#include "source.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

namespace detail {

template <class Net, class Batch, class T, class Found>
struct facts_of_prediction {
  using source = evaluation_source<Net, Batch>;
  static constexpr auto const& plan = plan::plan_of<source>;

  static constexpr auto input_shape = Batch{};
  static constexpr auto output_shape = shape_of<Found>{};
  static constexpr std::int64_t parameter_count = espalier::parameter_count<Net>;
  static constexpr std::size_t parameter_bytes = bytes_for<T>(static_cast<std::size_t>(slots_of<Net>.parameters.storage));
  static constexpr std::size_t buffer_bytes = bytes_for<T>(static_cast<std::size_t>(slots_of<Net>.buffers.storage));
  /// Activations and temporaries; input, scores, parameters and buffers are not in it.
  static constexpr std::size_t workspace_bytes = bytes_for<T>(static_cast<std::size_t>(plan.places.workspace));
  /// Of these, what is needed at once at most, each value rounded up to its alignment.
  static constexpr std::size_t peak_live_bytes = static_cast<std::size_t>(plan.places.peak_live) * sizeof(T);
  static constexpr int kernel_count = plan.groups.group_count;
  /// Multiplications and additions: two for each term of a product, one for each element of anything else.
  static constexpr std::int64_t flops = plan::flops_of_program<source>;
  /// What the kernels read and write, each operand and each result once.
  static constexpr std::int64_t bytes_moved = plan::moved_by_program<source> * static_cast<std::int64_t>(sizeof(T));
};

/// Members of a refusal, which nobody looks at. In a base: behind an assertion that fails, clang knows no member of the class itself.
struct no_prediction_facts {
  static constexpr std::int64_t parameter_count = 0, flops = 0, bytes_moved = 0;
  static constexpr std::size_t parameter_bytes = 0, buffer_bytes = 0, workspace_bytes = 0, peak_live_bytes = 0;
  static constexpr int kernel_count = 0;
};

/// Refused: one error, and no facts.
template <class Found>
struct refused_prediction : no_prediction_facts {
  using Layers = in_facts<Found, refused_prediction>;
  static_assert(layers_fit<Layers>::value, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
  static_assert(sizeof(say_in_words(in_words<Found>{})) != 0);
};
template <class Net, class Batch, class T, class Found = applied_net<Net, Batch>>
using prediction_facts_or_refusal = std::conditional_t<is_refused<Found>, refused_prediction<Found>, facts_of_prediction<Net, Batch, T, Found>>;

}  // namespace detail

/// What evaluating a net costs, known to the compiler: its forward pass for one batch, as a predictor runs it.
template <class Net, class Batch, class T = float>
using prediction_facts = detail::prediction_facts_or_refusal<Net, Batch, T>;

/// The facts of a net's evaluation as a value: static_assert(esp::prediction_plan<Net, batch<1, 8, 8>>.workspace_bytes <= 4096). training_plan has
/// those of a training step.
/// shape   any batch that the net takes
/// errors  layers that do not fit each other or the batch do not compile
/// memory  workspace_bytes is what a predictor takes on the processor, beside its in_place_bytes; parameter_bytes + buffer_bytes what its model does
template <class Net, class Batch, class T = float, bool Fits = layers_fit<detail::applied_net<Net, Batch>>::value>
inline constexpr prediction_facts<Net, Batch, T> prediction_plan{};
template <class Net, class Batch, class T>
inline constexpr auto const& prediction_plan<Net, Batch, T, false> = detail::declared<prediction_facts<Net, Batch, T>>;

}  // namespace espalier
#pragma GCC diagnostic pop
