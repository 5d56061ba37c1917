// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <boost/hana/tuple.hpp>
#include <boost/hana/unpack.hpp>

#include "../operation/operation.hpp"
#include "../trace/trace.hpp"
#include "../plan/memory.hpp"

/// Optimizers. One is an aggregate of magnitudes (numbers that may change while training) and says
///   states                       how many vectors it keeps, each as long as the parameters
///   magnitudes(step)             the run-time scalars of step 1, 2, ...
///   update(p, g, states...)      a tuple of expressions: the new parameters, then the new states; magnitude<I>{} is the I-th magnitude
/// All trainable parameters are one contiguous vector, so an update is one fused sweep, whatever the net.
namespace espalier::optim {

inline constexpr int max_magnitudes = 12;

/// The run-time scalars of one step.
struct magnitudes {
  double at[max_magnitudes];
};

/// base to the power `step`, for bias corrections.
inline double power(double base, std::int64_t step) { return __builtin_pow(base, static_cast<double>(step)); }

template <class O>
concept Optimizer = requires(O const& o) {
  O::states;
  o.magnitudes_of(std::int64_t{1});
};

namespace detail {

/// The update as a program: parameter 0 is the whole vector, argument 0 its gradient, buffer k the k-th state. Result 0, where the optimizer has a
/// condition, says whether the update was applied.
template <class O, int Size>
struct update_source {
  using vector = shape<Size>;
  static constexpr std::int64_t parameter_offsets[] = {0};
  struct offsets {
    std::int64_t at[8];
  };
  static constexpr offsets state_offsets = [] {
    offsets r{};
    for (int i = 0; i < 8; ++i) r.at[i] = std::int64_t{i} * Size;
    return r;
  }();

  template <int... I>
  static constexpr auto expressions(std::integer_sequence<int, I...>) {
    return O::update(parameter<vector, void>{0}, argument<vector, 0>{}, buffer<vector, void>{I}...);
  }
  static constexpr graph::program build() {
    graph::program p{};
    graph::tracer t{p, graph::mode::training, false, 0, 0};
    graph::scope const in{{graph::add_argument<float>(t, 0, vector::value)}};
    auto const updates = expressions(std::make_integer_sequence<int, O::states>{});
    boost::hana::unpack(updates, [&](auto const& parameters, auto const&... states) {
      p.add_output(lower(t, parameters, in), graph::destination::parameter, 0);
      int slot = 0;
      (p.add_output(lower(t, states, in), graph::destination::buffer, slot++), ...);
      (void)slot;
    });
    if constexpr (requires { O::condition(argument<vector, 0>{}); })
      p.add_output(lower(t, O::condition(argument<vector, 0>{}), in), graph::destination::result, 0);
    return p;
  }
  static constexpr plan::storage_layout layout() { return {parameter_offsets, state_offsets.at}; }
};

}  // namespace detail

}  // namespace espalier::optim
