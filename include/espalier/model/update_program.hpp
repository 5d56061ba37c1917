// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../optim/optimizer.hpp"
#include "../plan/plan.hpp"
#include "slots.hpp"

namespace espalier::detail {

/// The update as a program: parameter 0 is the vector of all parameters, argument 0 its gradient, buffer k the k-th
/// state, and buffer vectors + i its i-th scalar, which is stored behind all vectors. If the optimizer has a condition,
/// result 0 is whether the update was applied.
/// Stride: the distance of the states, where the vector is a part of all parameters.
template <class O, int Size, int Stride = Size>
struct update_program {
  // A net without trainable parameters has facts about an update, too: of one parameter. Its update never runs.
  using vector = shape<(Size > 0 ? Size : 1)>;
  static constexpr std::int64_t stride = Stride > 0 ? Stride : 1;
  static constexpr std::int64_t parameter_offsets[] = {0};
  static constexpr int scalars_from = optim::vectors<O>, buffers = scalars_from + optim::scalars<O>;
  struct offsets {
    std::int64_t at[static_cast<std::size_t>(buffers) + 1];
  };
  static constexpr offsets state_offsets = [] {
    offsets r{};
    for (int i = 0; i < buffers; ++i)
      r.at[i] = i < scalars_from ? i * stride : scalars_from * stride + (i - scalars_from);
    return r;
  }();

  template <int... I>
  static constexpr auto updates(tracing::tracer& t, traced<vector> gradient, std::integer_sequence<int, I...>) {
    return O::update(parameter<vector, void>{0, &t}, gradient, buffer<vector, void>{I, &t}...);
  }
  static constexpr graph::program build() {
    graph::program p{};
    tracing::tracer t{p, tracing::mode::training, false, 0, 0};
    auto const gradient = tracing::argument_of<vector>(t, 0);
    boost::hana::unpack(updates(t, gradient, std::make_integer_sequence<int, O::states>{}),
                        [&](auto const& parameters, auto const&... states) {
                          p.add_output(tracing::trace_operand(t, parameters), graph::destination::parameter, 0);
                          int slot = 0;
                          (p.add_output(tracing::trace_operand(t, states), graph::destination::buffer, slot++), ...);
                          (void)slot;
                        });
    if constexpr ((optim::scalars<O>) > 0)
      boost::hana::unpack(O::next_scalars(gradient), [&](auto const&... next) {
        int slot = scalars_from;
        (p.add_output(tracing::trace_operand(t, next), graph::destination::buffer, slot++), ...);
      });
    if constexpr (requires { O::condition(gradient); })
      p.add_output(tracing::trace_operand(t, O::condition(gradient)), graph::destination::result, 0);
    return p;
  }
  static constexpr plan::storage_layout layout() { return {parameter_offsets, state_offsets.at}; }
};

/// The penalty as a separate program: result 0 is the value that the optimizer adds to the loss.
template <class O, int Size>
struct penalty_program : update_program<O, Size> {
  static constexpr graph::program build() {
    graph::program p{};
    tracing::tracer t{p, tracing::mode::training, false, 0, 0};
    p.add_output(
        tracing::trace_operand(t, O::penalty(parameter<typename update_program<O, Size>::vector, void>{0, &t})),
        graph::destination::result, 0);
    return p;
  }
};

template <class O>
constexpr bool penalty_in_loss(O const& optimizer) {
  if constexpr (requires { optimizer.in_loss; }) {
    if (optimizer.in_loss) return true;
  }
  if constexpr (requires { optimizer.optimizer; }) return penalty_in_loss(optimizer.optimizer);
  else return false;
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
