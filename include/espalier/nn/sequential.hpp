// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <boost/hana/at.hpp>
#include <boost/hana/unpack.hpp>

#include "module.hpp"

namespace espalier::nn {

template <class... M>
struct Sequential;

namespace detail {

/// The shape after some layers, as the value of a fold over the layers. The type of each step depends on one layer and
/// one shape only, so a thousand equal layers cost one instantiation.
template <class S, int Position, int Count>
struct reached {};
template <class S, int Position, int Count, class M>
constexpr auto operator>>(reached<S, Position, Count>, std::type_identity<M>) {
  if constexpr (is_invalid<S>) {
    return reached<S, Position + 1, Count>{};
  } else if constexpr (!layer_is_module<M>::agree) {
    return reached<invalid<layer_is_module<M>, layer<Position, Count>>, Position + 1, Count>{};
  } else {
    using Y = decltype(std::declval<M const&>()(traced<S>{}));
    if constexpr (espalier::detail::HoldsInvalid<Y>)
      return reached<decltype(through<layer<Position, Count>>(espalier::detail::first_invalid_of<Y>{})), Position + 1,
                     Count>{};
    else if constexpr (espalier::detail::Structure<Y>)
      return reached<
          invalid<layer_returns_one<M, static_cast<int>(espalier::detail::leaf_count_of<Y>)>, layer<Position, Count>>,
          Position + 1, Count>{};
    else return reached<shape_of<Y>, Position + 1, Count>{};
  }
}
template <class S, int Position, int Count>
S shape_reached(reached<S, Position, Count>);

/// The input of some layers in sequence is that of the first.
template <class... M>
struct first_input_element {
  using type = void;
};
template <class First, class... M>
struct first_input_element<First, M...> {
  using type = input_element_of<First>;
};

/// What a Sequential stores for a layer. ReLU() is the type of a function, which cannot be a member: it is reported as
/// a layer that is no module.
template <class M>
using stored_layer = std::conditional_t<std::is_function_v<M>, std::type_identity<M>, M>;

/// A value of a traced body, for a fold over the layers.
template <class X>
struct passing {
  X x;
};
template <class X, class M>
constexpr auto operator>>(passing<X> const& w, M const& module) {
  return passing<std::remove_cvref_t<decltype(module(w.x))>>{module(w.x)};
}

}  // namespace detail

/// Layers in sequence, named "0", "1", ...
/// shape   that of the layers in turn
/// errors  a layer that does not accept the result of the previous one does not compile; the error names its position
/// saves   what the layers save
/// gradient  that of the layers in turn
/// source  needle's Sequential
template <class... M>
struct Sequential {
  boost::hana::tuple<detail::stored_layer<M>...> layers{};

  constexpr Sequential() = default;
  /// Sequential{Linear<3, 2>{}, ReLU{}}: the type follows from the layers. They have no values; a model has.
  constexpr explicit Sequential(M const&...) requires(sizeof...(M) > 0) {}

  using is_module = void;
  using takes_single_values = void;
  using input_element = typename detail::first_input_element<M...>::type;
  template <class Self>
  static auto member_types_of(Self&) -> detail::types<M...>;
  using is_transparent = void;  // errors name the position and the layer, not the whole list again

  template <class Self, class Visit>
  static constexpr void visit_members(Self& self, Visit&& visit) {
    visit_layers(self, visit, std::make_integer_sequence<int, static_cast<int>(sizeof...(M))>{});
  }
  template <class X>
  constexpr auto operator()(X&& x) const {
    if constexpr (espalier::detail::marked_tensor<X>)
      return espalier::detail::apply_module_to_temporary(*this, static_cast<X&&>(x));
    else return espalier::detail::apply_module(*this, x);
  }
  constexpr auto forward(auto x) const {
    using X = decltype(x);
    using S = decltype(detail::shape_reached(
        (detail::reached<shape_of<X>, 0, static_cast<int>(sizeof...(M))>{} >> ... >> std::type_identity<M>{})));
    if constexpr (is_invalid<S>) return S{};
    else
      return boost::hana::unpack(layers, [&](M const&... layer) { return (detail::passing<X>{x} >> ... >> layer).x; });
  }

 private:
  template <class Self, class Visit, int... I>
  static constexpr void visit_layers(Self& self, Visit&& visit, std::integer_sequence<int, I...>) {
    (visit(position_name_of<I>.text, boost::hana::at_c<I>(self.layers)), ...);
  }
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
