// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <tuple>

#include "../device/cpu/engine.hpp"
#include "../plan/address.hpp"
#include "../tracing/traced_net.hpp"
#include "arguments.hpp"

#include "../base/diagnostics_push.hpp"
/// The arguments of a function as its program sees them: tensors are arguments of the program, models are parameters
/// and buffers at addresses of their own.
namespace espalier::detail {

/// An argument of a function. Leaf: a tensor (borrowed), or a model, for which model/model_argument.hpp specializes it.
/// states       pointers that the argument has in the table of bases
/// parameters, buffers, streams  their numbers
/// may_change   false for a const model
template <class Leaf>
struct function_argument {
  static constexpr int states = 0, parameters = 0, buffers = 0, streams = 0;
  static constexpr bool may_change = true;
  static constexpr in_body<Leaf> add(tracing::tracer& t) {
    int const position = t.next_argument++;
    return {&t, tracing::add_argument<typename Leaf::element_type>(t, position, Leaf::shape_type::value)};
  }
  /// Memory for the argument's gradient.
  template <class T, class Device, class X>
  static constexpr auto gradient(X const&) {
    return tensor<T, typename Leaf::shape_type, Device>{};
  }
  static constexpr void lay_out(plan::address*, plan::address*, int) {}
  static constexpr int lay_out_gradients(plan::address*, int) { return 0; }
};

template <class... Leaf>
constexpr int states_of = (function_argument<Leaf>::states + ... + 0);

/// What a program remembers of the models of its function while it is traced.
template <class... Leaf>
class function_state {
 public:
  /// Adds the arguments to the program and returns their values in the body.
  constexpr std::tuple<in_body<Leaf>...> add_arguments(tracing::tracer& t) {
    if constexpr (states_of < Leaf... >> 0) {
      t.parameter_now = parameter_now_;
      t.updated = updated_;
      t.streams_used = streams_used_;
    }
    return std::tuple<in_body<Leaf>...>{function_argument<Leaf>::add(t)...};
  }
  /// Reports a program that changes a const model. It is called after the last output was added.
  static constexpr void check(graph::program& p) {
    if constexpr (!(function_argument<Leaf>::may_change && ...)) {
      int first = 0;
      auto const check_argument = [&]<class A>(A) {
        for (int i = 0; i < p.output_count; ++i)
          if (!A::may_change && p.outputs[i].where == graph::destination::buffer && p.outputs[i].index >= first &&
              p.outputs[i].index < first + A::buffers)
            p.nodes.report(graph::fault::const_model);
        first += A::buffers;
      };
      (check_argument(function_argument<Leaf>{}), ...);
    }
  }

 private:
  static constexpr std::size_t parameters = static_cast<std::size_t>((function_argument<Leaf>::parameters + ... + 1)),
                               buffers = static_cast<std::size_t>((function_argument<Leaf>::buffers + ... + 1)),
                               streams = static_cast<std::size_t>((function_argument<Leaf>::streams + ... + 1));
  int parameter_now_[parameters]{};
  int updated_[buffers]{};
  bool streams_used_[streams]{};
};

/// The addresses of the tensors that the models of a function have, and of its gradients.
/// Differentiated  a bit for each argument that is
/// First           the number of the first gradient among the results
template <unsigned Differentiated, int First, class... Leaf>
struct function_layout {
  plan::address parameters[static_cast<std::size_t>((function_argument<Leaf>::parameters + ... + 1))]{};
  plan::address buffers[static_cast<std::size_t>((function_argument<Leaf>::buffers + ... + 1))]{};
  plan::address gradients[static_cast<std::size_t>((function_argument<Leaf>::parameters + ... + 1))]{};

  constexpr function_layout() {
    int parameter = 0, buffer = 0, state = plan::base::states, gradient = 0, result = plan::base::results + First,
        position = 0;
    auto const add = [&]<class A>(A) {
      A::lay_out(parameters + parameter, buffers + buffer, state);
      parameter += A::parameters;
      buffer += A::buffers;
      state += A::states;
      if (Differentiated >> position++ & 1u) gradient += A::lay_out_gradients(gradients + gradient, result++);
    };
    (add(function_argument<Leaf>{}), ...);
    (void)add;
  }
};
template <unsigned Differentiated, int First, class... Leaf>
inline constexpr function_layout<Differentiated, First, Leaf...> layout_of_function{};
/// The same as storage of a program; a function of tensors has none.
template <unsigned Differentiated, int First, class... Leaf>
constexpr plan::storage_layout storage_of_function() {
  if constexpr (states_of<Leaf...> == 0) return {};
  else
    return {nullptr, nullptr, layout_of_function<Differentiated, First, Leaf...>.parameters,
            layout_of_function<Differentiated, First, Leaf...>.buffers,
            layout_of_function<Differentiated, First, Leaf...>.gradients};
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
