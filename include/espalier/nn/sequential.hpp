// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <boost/hana/at.hpp>
#include <boost/hana/unpack.hpp>

#include "module.hpp"

namespace espalier::nn {

template <class... M>
struct Sequential;

namespace detail {

/// The shape that has been reached after some layers, as a value that a fold carries from layer to layer: each step's type depends on one layer and
/// one shape only, so a thousand equal layers cost one instantiation.
template <class S, int Position, int Count>
struct reached {};
template <class S, int Position, int Count, class M>
constexpr auto operator>>(reached<S, Position, Count>, std::type_identity<M>) {
  if constexpr (is_refused<S>) {
    return reached<S, Position + 1, Count>{};
  } else {
    using Y = decltype(std::declval<M const&>()(traced<S>{}));
    if constexpr (is_refused<Y>) return reached<decltype(through<layer<Position, Count>>(Y{})), Position + 1, Count>{};
    else return reached<shape_of<Y>, Position + 1, Count>{};
  }
}
template <class S, int Position, int Count>
S shape_reached(reached<S, Position, Count>);

/// A traced value on its way through the layers. The tracer is a template parameter, so that modules know nothing of tracing.
template <class S, class Tracer, class Scope>
struct passing {
  Tracer& tracer;
  int id;
};
template <class S, class Tracer, class Scope, class M>
constexpr auto operator>>(passing<S, Tracer, Scope> x, M const& module) {
  auto const y = module(argument<S, 0>{});
  return passing<shape_of<decltype(y)>, Tracer, Scope>{x.tracer, lower(x.tracer, y, Scope{{x.id}})};
}

/// A value on its way through the layers of a traced body.
template <class S>
struct on_the_way {
  traced<S> x;
};
template <class S, class M>
constexpr auto operator>>(on_the_way<S> w, M const& module) {
  auto const y = module(w.x);
  return on_the_way<shape_of<decltype(y)>>{{w.x.tracer, trace_operand(*w.x.tracer, y)}};
}

/// The layers of a Sequential applied to an argument.
template <class S, class X, class... M>
struct chain {
  using shape_type = S;
  using is_expression = void;
  using element_type = void;
  static constexpr bool eager = false;
  boost::hana::tuple<M...> const* layers;  ///< those of the module whose body this is: it outlives the tracing of its body
  X x;

  template <class Tracer, class Scope>
  constexpr int lower_into(Tracer& t, Scope const& in) const {
    return boost::hana::unpack(*layers, [&](M const&... layer) { return (passing<shape_of<X>, Tracer, Scope>{t, lower(t, x, in)} >> ... >> layer).id; });
  }
};

}  // namespace detail

/// Layers one after the other; its members are named "0", "1", ...
/// shape   that of the layers in turn
/// errors  a layer that does not take its predecessor's result is refused, with its position
/// saves   what the layers save
/// slope   that of the layers in turn
/// source  needle's Sequential
template <class... M>
struct Sequential {
  boost::hana::tuple<M...> layers{};

  using is_module = void;
  template <class Self>
  static auto member_types_of(Self&) -> detail::types<M...>;
  using is_transparent = void;  // a refusal names the position and the layer, not the whole list again

  template <class Self, class Visit>
  static constexpr void visit_members(Self& self, Visit&& visit) {
    visit_layers(self, visit, std::make_integer_sequence<int, static_cast<int>(sizeof...(M))>{});
  }
  template <class X>
  constexpr auto operator()(X const& x) const {
    return espalier::detail::record_call(*this, x);
  }
  constexpr auto forward(auto x) const {
    using X = decltype(x);
    using S = decltype(detail::shape_reached((detail::reached<shape_of<X>, 0, static_cast<int>(sizeof...(M))>{} >> ... >> std::type_identity<M>{})));
    if constexpr (is_refused<S>) return S{};
    else if constexpr (Traced<X>) return boost::hana::unpack(layers, [&](M const&... layer) { return (detail::on_the_way<shape_of<X>>{{x.tracer, x.id}} >> ... >> layer).x; });
    else return detail::chain<S, X, M...>{&layers, x};
  }

 private:
  template <class Self, class Visit, int... I>
  static constexpr void visit_layers(Self& self, Visit&& visit, std::integer_sequence<int, I...>) {
    (visit(position_name_of<I>.text, boost::hana::at_c<I>(self.layers)), ...);
  }
};

}  // namespace espalier::nn
