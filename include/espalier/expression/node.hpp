// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "traced.hpp"

/// Formulas of tensors as types: the node of an op, and the checks of its operands.
namespace espalier {

/// How many tensors and numbers a formula reads. Each use counts: a value that is used twice appears twice in the type
/// of a formula of tensors.
template <class X>
struct formula_reads {
  static constexpr int tensors = 0, numbers = 0;
};
template <class T, class S, class Device>
struct formula_reads<borrowed<T, S, Device>> {
  static constexpr int tensors = 1, numbers = 0;
};
template <class Tensor>
struct formula_reads<owned<Tensor>> {
  static constexpr int tensors = 1, numbers = 0;
};
template <class T>
struct formula_reads<number<T>> {
  static constexpr int tensors = 0, numbers = 1;
};
/// The most tensors and numbers that a formula may read.
inline constexpr int max_formula_tensors = 24, max_formula_numbers = 32;
template <class... X>
inline constexpr bool formula_is_small = (formula_reads<detail::kept<X>>::tensors + ... + 0) <= max_formula_tensors &&
                                         (formula_reads<detail::kept<X>>::numbers + ... + 0) <= max_formula_numbers;

/// Reports a formula that is too large. It is one class, so a translation unit has one such error for any number of
/// formulas.
template <bool Small>
struct small_formula {
  static constexpr bool agree = Small;
  static_assert(
      Small,
      "a formula of tensors reads at most 24 tensors and 32 numbers, and each use of a value counts; store a part of it in a tensor, or compile the formula as a function: esp::compiled run{f, x}; run(x, y)");
};

namespace detail {
/// The type of the number that a formula of rank 0 converts to: its real element type. A formula of integers and
/// booleans alone is computed in double, where they are exact.
template <class Element>
struct number_of_formula {
  using type = std::conditional_t<real_element<Element>, Element, double>;
};
/// A formula of rank 0 of tensors in host memory converts to a number, like a tensor of rank 0. Its value is computed
/// at the conversion.
template <class E>
concept NumberFormula = E::eager && E::shape_type::rank == 0 && !is_graphics<device_of<E>>;
/// A constraint that errors name: a condition is one number on the host. Only other formulas ask.
template <class S>
struct is_one_number {
  static constexpr bool agree = false;
};
template <class S>
constexpr bool condition_of_formula() {
  static_assert(
      is_one_number<S>::agree,
      ESPALIER_SENTENCE(
          "a condition is one number on the host: write where(c, a, b) for ?:, maximum(a, b) for std::max, or reduce the formula, as in if (sum(x) > 0)",
          is_one_number<S>));
  return false;
}
}  // namespace detail

/// An op applied to operands. The type contains op, attribute and shape; the operands are stored by value. Only
/// formulas of tensors are such types; in a traced body every op returns a `traced` value. A value that is used twice
/// appears twice in the type.
template <class Op, std::uint64_t Attribute, class S, class... X>
struct node;

template <class Op, std::uint64_t Attribute, class S, class A>
struct node<Op, Attribute, S, A> {
  using shape_type = S;
  using is_expression = void;
  using element_type = element_of<A>;
  static constexpr bool eager = A::eager;
  A a;

  constexpr operator typename detail::number_of_formula<element_type>::type()
      const requires detail::NumberFormula<node> {
    return evaluate(*this);
  }
  constexpr explicit operator bool() const requires detail::NumberFormula<node> { return evaluate(*this) != 0; }
  constexpr explicit operator bool() const requires(!detail::NumberFormula<node>) {
    return detail::condition_of_formula<S>();
  }
};

template <class Op, std::uint64_t Attribute, class S, class A, class B>
struct node<Op, Attribute, S, A, B> {
  using shape_type = S;
  using is_expression = void;
  using element_type = typename detail::common_element<element_of<A>, element_of<B>>::type;
  static constexpr bool eager = A::eager || B::eager;
  A a;
  B b;

  constexpr operator typename detail::number_of_formula<element_type>::type()
      const requires detail::NumberFormula<node> {
    return evaluate(*this);
  }
  constexpr explicit operator bool() const requires detail::NumberFormula<node> { return evaluate(*this) != 0; }
  constexpr explicit operator bool() const requires(!detail::NumberFormula<node>) {
    return detail::condition_of_formula<S>();
  }
};

template <class Op, std::uint64_t Attribute, class S, class A, class B, class C>
struct node<Op, Attribute, S, A, B, C> {
  using shape_type = S;
  using is_expression = void;
  using element_type =
      typename detail::common_element<element_of<A>,
                                      typename detail::common_element<element_of<B>, element_of<C>>::type>::type;
  static constexpr bool eager = A::eager || B::eager || C::eager;
  A a;
  B b;
  C c;

  constexpr operator typename detail::number_of_formula<element_type>::type()
      const requires detail::NumberFormula<node> {
    return evaluate(*this);
  }
  constexpr explicit operator bool() const requires detail::NumberFormula<node> { return evaluate(*this) != 0; }
  constexpr explicit operator bool() const requires(!detail::NumberFormula<node>) {
    return detail::condition_of_formula<S>();
  }
};

namespace detail {
template <class Op, std::uint64_t Attribute, class S, class... X>
struct device_of_impl<node<Op, Attribute, S, X...>> : common_device<device_of<X>...> {};
}  // namespace detail

template <class Op, std::uint64_t Attribute, class S, class... X>
struct formula_reads<node<Op, Attribute, S, X...>> {
  static constexpr int tensors = (formula_reads<X>::tensors + ...), numbers = (formula_reads<X>::numbers + ...);
};

namespace detail {

/// Named relation: all tensors of the operands are on one device. Module bodies read no tensors, so the check costs
/// them nothing.
template <bool Eager, class... X>
struct devices_relation {
  using type = same_device<void, void>;
};
template <class... X>
  requires(sizeof...(X) > 1)
struct devices_relation<true, X...> {
  using type = typename common_device<device_of<X>...>::relation;
};

#define ESPALIER_DEVICES_FIT \
  "operands are on different devices; tensor<T, S, cuda>(x) copies x to the device, x.to_host() copies it to the host"

template <class Op, std::uint64_t Attribute, class S, class... X>
constexpr auto make_node(X&&... x) {
  if constexpr ((Traced<X> || ...)) {
    return emit_traced<Op, Attribute, S>(x...);
  } else if constexpr (!formula_is_small<X...>) {
    using Small = small_formula<formula_is_small<X...>>;
    static_cast<void>(Small::agree);  // the class reports it
    return invalid<Small>{};
  } else {
    using Devices = typename devices_relation<(kept<X>::eager || ...), kept<X>...>::type;
    static_assert(Devices::agree, ESPALIER_SENTENCE(ESPALIER_DEVICES_FIT, Devices));
    if constexpr (!Devices::agree) return invalid<Devices>{};
    else if constexpr (kept_as_they_are<X...>) return node<Op, Attribute, S, kept<X>...>{static_cast<X&&>(x)...};
    else return node<Op, Attribute, S, kept<X>...>{keep(static_cast<X&&>(x))...};
  }
}
}  // namespace detail

/// True if an expression reads tensors directly: its ops then report their errors themselves.
template <class... X>
inline constexpr bool is_eager = (detail::kept<X>::eager || ...);

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
