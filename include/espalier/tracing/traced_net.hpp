// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <array>
#include <tuple>

#include "../expression/structure.hpp"
#include "trace.hpp"

/// Values of a body that consist of several tensors: models and structs.
namespace espalier {

namespace tracing {
template <class V, class F>
constexpr void visit_leaves(V& value, F&& f, bool trainable = true);

/// A value or net of a body that is held constant: a derivative in the body has none for it.
template <class V>
struct held : V {
  template <class Y>
    requires std::is_same_v<V, Y>
  using is_held = void;
  using V::operator=;
};
}  // namespace tracing

namespace tracing {
/// Relation that errors name: a net in a function has no parameter(name), which is for names at run time.
template <class Net, class Name>
struct named_at_compile_time {
  static constexpr bool agree = false;
};
/// What models have and nets in functions do not, unless the net has a member of that name.
template <class Net>
struct words_of_net {
  template <class Name>
  invalid<already_reported> parameter(Name const&) const {
    using Named = named_at_compile_time<Net, Name>;
    static_assert(Named::agree,
                  ESPALIER_SENTENCE("net.parameter(\"name\"), gradients.parameter(\"name\"): in a function, "
                                    "write parameter_of<\"name\">(net)",
                                    Named));
    return {};
  }
};
template <class Net>
  requires requires { &Net::parameter; }
struct words_of_net<Net> {};
}  // namespace tracing

/// A model in the body of a function: its module, whose parameters, buffers and random streams belong to the program. A
/// call runs its forward in the mode of the program, which is training in functions; evaluate(net, x) runs it in
/// evaluation mode. Gradients of a model have this type, too: their parameters are the gradients.
template <class Net>
struct traced_net : Net, tracing::words_of_net<Net> {
  using net_type = Net;
  using is_traced_net = void;
  int vector = 0;  ///< the number of the vector of its trainable parameters among the parameters of the program

  /// A model without a program. g++ 12 cannot copy members that were only initialized from {}.
  constexpr traced_net() : Net{} {
    tracing::visit_leaves(static_cast<Net&>(*this), [](auto& leaf, bool) { leaf.slot = 0; });
  }
  constexpr traced_net(Net const& net, int number) : Net{net}, vector{number} {}

  // Element by element of each trainable parameter, with the parameters of the same net, or with a number.
#define ESPALIER_OF_NETS(op)                                               \
  template <class B>                                                       \
  friend constexpr auto operator op(traced_net const& a, B const& b) {     \
    if constexpr (requires { typename B::is_traced_net; })                 \
      return map_parameters([](auto p, auto q) { return p op q; }, a, b);  \
    else return map_parameters([&](auto p) { return p op b; }, a);         \
  }                                                                        \
  template <class A>                                                       \
    requires(!requires { typename A::is_traced_net; })                     \
  friend constexpr auto operator op(A const& a, traced_net const& b) {     \
    return map_parameters([&](auto p) { return a op p; }, b);              \
  }                                                                        \
  template <class B>                                                       \
  friend constexpr traced_net& operator op##=(traced_net& a, B const& b) { \
    return detail::replace_value(a, a op b);                               \
  }
  ESPALIER_OF_NETS(+)
  ESPALIER_OF_NETS(-)
  ESPALIER_OF_NETS(*)
  ESPALIER_OF_NETS(/)
#undef ESPALIER_OF_NETS
  friend constexpr auto operator-(traced_net const& a) {
    return map_parameters([](auto p) { return -p; }, a);
  }
};

/// A value of a body that is a model, or gradients of one.
template <class V>
concept TracedNet = requires {
  typename detail::bare<V>::is_traced_net;
};

template <class Net>
struct element_of_impl<traced_net<Net>> {
  using type = void;
};

namespace detail {
template <class X>
struct without_hold {
  using type = X;
};
template <class V>
struct without_hold<tracing::held<V>> {
  using type = V;
};
template <class X>
using unheld = typename without_hold<X>::type;
template <class X>
inline constexpr bool is_held = !std::is_same_v<unheld<bare<X>>, bare<X>>;
template <class Net>
struct body_argument<traced_net<Net>> {
  using type = traced_net<Net>;
};
template <class M>
concept HasMembers = requires(M& module) {
  M::visit_members(module, [](char const*, auto&) {});
};
}  // namespace detail

namespace tracing {

/// Calls f(leaf, trainable) for each traced value and parameter of a value of a body, in order of declaration.
/// Parameters inside a Frozen module are not trainable.
template <class V, class F>
constexpr void visit_leaves(V& value, F&& f, bool trainable) {
  using Plain = std::remove_const_t<V>;
  if constexpr (
      requires { typename Plain::is_traced_value; } || requires { typename Plain::is_parameter; }) {
    f(value, trainable);
  } else if constexpr (espalier::detail::HasMembers<Plain>) {
    Plain::visit_members(value, [&](char const*, auto& inner) {
      visit_leaves(
          inner, f, trainable && !requires { typename Plain::is_frozen; });
    });
  } else if constexpr (espalier::detail::Structure<Plain>) {
    std::apply([&](auto&... inner) { (visit_leaves(inner, f, trainable), ...); },
               espalier::detail::structure<Plain>::members_of(value));
  }
}

/// Lets a leaf stand for a node of the program.
template <class Leaf>
constexpr void set_node(tracer& t, Leaf& leaf, int id) {
  leaf.tracer = &t;
  if constexpr (requires { typename Leaf::is_parameter; }) leaf.node = id;
  else leaf.id = id;
}

/// The tracer of the first leaf that has one.
template <class V>
constexpr tracer* tracer_of_leaves(V const& value) {
  tracer* t = nullptr;
  visit_leaves(value, [&](auto const& leaf, bool) { t = t != nullptr ? t : leaf.tracer; });
  return t;
}

/// Scope guard: programs that are traced in it run in the given mode.
class in_mode {
 public:
  constexpr in_mode(tracer* t, mode m) : tracer_{t}, before_{t != nullptr ? t->traced_mode : m} { set(m); }
  constexpr ~in_mode() { set(before_); }
  in_mode(in_mode const&) = delete;
  in_mode& operator=(in_mode const&) = delete;

 private:
  constexpr void set(mode m) {
    if (tracer_ != nullptr) tracer_->traced_mode = m;
  }
  tracer* tracer_;
  mode before_;
};

}  // namespace tracing

/// evaluate(net, x...): the value of net(x...) in evaluation mode, in the body of a function: a BatchNorm reads its
/// running statistics, a Dropout passes values on. Also for a part of a net: evaluate(net.encoder, x).
/// shape     as net(x...)
/// gradient  as net(x...)
template <class M, class... X>
  requires(detail::HasMembers<M> && sizeof...(X) > 0)
constexpr auto evaluate(M const& net, X const&... x) {
  tracing::tracer* const t = detail::tracer_of(x...);
  tracing::in_mode const evaluation{t, tracing::mode::evaluation};
  return net(x...);
}
/// The same for a net that is invalid: its error is reported where it was made.
template <class... Facts, class... X>
constexpr auto evaluate(invalid<Facts...> net, X const&...) {
  return net;
}

/// detach(net): a net in the body of a function, or gradients of one, whose parameters are constants for the backward
/// pass: the target of a distillation.
/// shape     a net like net
/// gradient  none: gradients stop at the parameters
template <class Net>
constexpr auto detach(traced_net<Net> const& net) {
  traced_net<Net> r = net;
  if (tracing::tracer* const t = tracing::tracer_of_leaves(net); t != nullptr)
    tracing::visit_leaves(r, [&](auto& leaf, bool) {
      tracing::set_node(*t, leaf, detach(handle{&t->nodes(), tracing::trace_operand(*t, leaf)}).id);
    });
  return r;
}
/// stop_gradient(net) is detach(net).
/// shape     a net like net
/// gradient  none: gradients stop at the parameters
template <class Net>
constexpr auto stop_gradient(traced_net<Net> const& net) {
  return detach(net);
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
