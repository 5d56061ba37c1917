// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "constant_argument.hpp"

/// Gradients of a function inside the body of another one: values of the program, so that they can be used and
/// differentiated again.
namespace espalier::detail {

/// True for an argument that belongs to a program that is being traced.
template <class X>
inline constexpr bool of_body_values = Traced<X> || TracedNet<X>;
template <class Leaves>
inline constexpr bool any_body_value = false;
template <class... X>
inline constexpr bool any_body_value<member_types<X...>> = (of_body_values<X> || ...);
template <Structure X>
inline constexpr bool of_body_values<X> = any_body_value<leaves_of<X>>;

template <class X>
constexpr tracing::tracer* tracer_of_argument([[maybe_unused]] X const& x) {
  if constexpr (TracedNet<X> || Structure<X>) return tracing::tracer_of_leaves(x);
  else return tracer_in(x);
}

/// An argument as a value of the program. Observers see the gradient as one operation, not what is inside.
template <class X>
constexpr auto argument_in_body(tracing::tracer* t, X const& x) {
  if constexpr (is_held<X>) {
    return argument_in_body(t, static_cast<unheld<X> const&>(x));
  } else if constexpr (TracedNet<X>) {
    return x;
  } else if constexpr (Structure<X>) {
    return map_leaves(x, [&]<class Leaf>(Leaf const& leaf) {
      auto const value = argument_in_body(t, leaf);
      if constexpr (is_held<Leaf>) return tracing::held<std::remove_const_t<decltype(value)>>{value};
      else return value;
    });
  } else {
    using Y = as_traced<X>;
    return t == nullptr ? Y{} : Y{t, tracing::trace_operand(*t, x)};
  }
}

template <class X>
using as_body_argument = decltype(argument_in_body(nullptr, std::declval<X const&>()));
/// The program that the arguments belong to; null if f is only probed.
template <class... X>
constexpr tracing::tracer* common_tracer(X const&... x) {
  tracing::tracer* t = nullptr;
  ((t = t != nullptr ? t : tracer_of_argument(x)), ...);
  return t;
}

/// A bit for each of the arguments: those that K lists, or all that are not held constant if it lists none.
template <class Arguments, int... K>
inline constexpr unsigned differentiated_in_body = (0u | ... | (1u << K));
template <class... X>
inline constexpr unsigned differentiated_in_body<void(X...)> = [] {
  unsigned bits = 0;
  int i = 0;
  ((bits |= is_held<X> ? 0u : 1u << i, ++i), ...);
  return bits;
}();

/// Notifies the observer of a gradient, if there is one.
template <class Observer, class G, class... X>
constexpr auto observed_gradient([[maybe_unused]] tracing::tracer* t, G const& gradient, X const&... x) {
  if constexpr (std::is_void_v<Observer> || !TracedValue<G>) {
    return gradient;
  } else {
    using Y = traced<shape_of<G>, void, Observer>;
    if (t == nullptr) return Y{};
    return Y{{t, gradient.id}, Observer::formula(*t, shape_of<G>::value, x...)};
  }
}

/// The value of f and its gradients for the differentiated arguments. Arguments without a program are only probed.
template <class F, unsigned Differentiated, class... X>
constexpr auto body_gradients(X const&... x) {
  using Observer = typename observer_of<X...>::type;
  tracing::tracer* const t = common_tracer(x...);
  using Found = decltype(derivative::trace_gradients<F, Differentiated>(std::declval<tracing::tracer&>(),
                                                                        argument_in_body(t, x)...));
  Found const found =
      t == nullptr ? Found{} : derivative::trace_gradients<F, Differentiated>(*t, argument_in_body(t, x)...);
  auto const wanted = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple_cat([&] {
      if constexpr ((Differentiated >> I & 1u) != 0)
        return std::make_tuple(observed_gradient<Observer>(t, std::get<I>(found.gradients), x...));
      else return std::tuple<>{};
    }()...);
  }
  (std::index_sequence_for<X...>{});
  struct result {
    decltype(Found::value) value;
    std::remove_const_t<decltype(wanted)> gradients;
  };
  return result{found.value, wanted};
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
