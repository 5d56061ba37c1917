// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../derivative/derivative.hpp"
#include "../plan/plan.hpp"

namespace espalier::detail {

/// The type of an expression with borrowed tensors instead of owned ones, and without devices. Its values cost nothing,
/// and one program serves all devices.
template <class E>
struct skeleton {
  using type = E;
};
template <class Tensor>
struct skeleton<owned<Tensor>> {
  using type = borrowed<typename Tensor::value_type, typename Tensor::shape_type>;
};
template <class T, class S, class Device>
struct skeleton<borrowed<T, S, Device>> {
  using type = borrowed<T, S>;
};
template <class Op, std::uint64_t Attribute, class S, class... X>
struct skeleton<node<Op, Attribute, S, X...>> {
  using type = node<Op, Attribute, S, typename skeleton<X>::type...>;
};
template <class S, class M, class... X>
struct skeleton<call<S, M, X...>> {
  using type = call<S, M, typename skeleton<X>::type...>;
};
template <class F, int K, class S, class... X>
struct skeleton<derivative::formula<F, K, S, X...>> {
  using type = derivative::formula<F, K, S, typename skeleton<X>::type...>;
};

template <class E>
struct eager_program {
  using subject = E;
  struct traced {
    graph::program program;
    int arguments, numbers;
  };
  static constexpr traced trace() {
    traced r{};
    tracing::tracer t{r.program, tracing::mode::evaluation, true, 0, 0};
    r.program.add_output(trace_expression(t, E{}), graph::destination::result, 0);
    r.arguments = t.next_argument;
    r.numbers = t.next_hyperparameter;
    return r;
  }
  static constexpr graph::program build() { return trace().program; }
  static constexpr plan::storage_layout layout() { return {nullptr, nullptr}; }
};

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
