// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <tuple>

#include "../expression/node.hpp"
#include "../expression/structure.hpp"

/// Readable errors for arguments that no op takes: a std::tuple (a recurrent layer returns its outputs and its state,
/// split returns parts), things that are no values (a std::vector, a module, nullptr), and arguments that an op
/// lacks (relu(x, true)). A correct call of an op does not choose these functions.
namespace espalier {

/// Named relation: an op computes with single values.
template <int Values>
struct op_takes_one_value {
  ESPALIER_READS("an op takes one value, got {}; choose one by std::get<0>(y) or auto const [y, h] = ...")
  static constexpr bool agree = false;
};

namespace detail {

/// Whether all values are tensors or formulas of tensors, which no root reports.
template <class Leaves>
inline constexpr bool are_eager = false;
template <class... X>
inline constexpr bool are_eager<member_types<X...>> = (is_eager<X> && ...);

/// What an op returns for a tuple of values, which may be nested, as the state of an LSTM is: inside a module, a fault
/// that the root reports with the path to the module. Others: its other operand.
template <class Tuple, class... Others>
constexpr auto choose_one_of_them() {
  using Fault = op_takes_one_value<static_cast<int>(leaf_count_of<Tuple>)>;
  if constexpr (HoldsInvalid<Tuple> || (HoldsInvalid<Others> || ...)) {
    return first_invalid_of<Tuple, Others...>{};
  } else if constexpr (!are_eager<all_leaves_of<Tuple>>) {
    return invalid<Fault>{};
  } else {
    static_assert(Fault::agree, ESPALIER_SENTENCE("an op takes one value, and this is a std::tuple of several", Fault));
    return invalid<already_reported>{};
  }
}

/// A container of numbers, such as std::vector<float>.
template <class X>
concept numbers_in_a_container = !Operand<X> && requires(X const& x) {
  x.size();
  requires Number<decltype(*x.data())>;
};
/// Text is none of them; nullptr is.
template <class X>
inline constexpr bool points_to_numbers = false;
template <class X>
inline constexpr bool points_to_numbers<X*> = Number<X>;
template <>
inline constexpr bool points_to_numbers<char*> = false;
template <>
inline constexpr bool points_to_numbers<char const*> = false;
template <>
inline constexpr bool points_to_numbers<decltype(nullptr)> = true;
/// What programs pass in the place of a value: numbers elsewhere in memory, or a layer instead of its result. Of other
/// types a program can ask whether an op takes them, and the answer is no.
template <class X>
concept no_value = numbers_in_a_container<X> || points_to_numbers<X> || requires {
  typename X::is_module;
};

/// The errors stand outside of the macros, whose lines compilers would add to them.
template <class X>
constexpr invalid<already_reported> reject_no_value(X const&) {
  static_assert(is_invalid<X>,
                "an op takes tensors, views and formulas, and an argument is something else; write "
                "esp::view<float, shape<4>>{x} for numbers in memory, and layer(x) for a layer");
  return {};
}
template <class X>
constexpr invalid<already_reported> reject_more_arguments(X const&) {
  static_assert(is_invalid<X>,
                "an op has no such argument: axes and extents are template arguments, as in sum<1>(x), and nothing is "
                "computed in place");
  return {};
}

}  // namespace detail

#define ESPALIER_REJECTS(name)                                                                           \
  template <int... I, class First, class... Rest>                                                        \
    requires Operand<First>                                                                              \
  constexpr auto name(std::tuple<First, Rest...> const&) {                                               \
    return detail::choose_one_of_them<std::tuple<First, Rest...>>();                                     \
  }                                                                                                      \
  template <int... I, detail::no_value X>                                                                \
  constexpr invalid<already_reported> name(X const& x) {                                                 \
    return detail::reject_no_value(x);                                                                   \
  }                                                                                                      \
  template <int... I, Operand X>                                                                         \
  constexpr invalid<already_reported> name(X const& x, detail::any_argument, detail::any_argument = 0) { \
    return detail::reject_more_arguments(x);                                                             \
  }
ESPALIER_REJECTS(abs)
ESPALIER_REJECTS(exp)
ESPALIER_REJECTS(gelu)
ESPALIER_REJECTS(log)
ESPALIER_REJECTS(log_softmax)
ESPALIER_REJECTS(max)
ESPALIER_REJECTS(mean)
ESPALIER_REJECTS(relu)
ESPALIER_REJECTS(reshape)
ESPALIER_REJECTS(sigmoid)
ESPALIER_REJECTS(silu)
ESPALIER_REJECTS(softmax)
ESPALIER_REJECTS(sqrt)
ESPALIER_REJECTS(square)
ESPALIER_REJECTS(sum)
ESPALIER_REJECTS(tanh)
ESPALIER_REJECTS(transpose)
#undef ESPALIER_REJECTS

// No constraint that correct calls would have to evaluate: their operands are no tuples.
#define ESPALIER_REJECTS(name)                                                                      \
  template <class First, class... Rest, class B>                                                    \
    requires Operand<First>                                                                         \
  constexpr auto name(std::tuple<First, Rest...> const&, B const&) {                                \
    return detail::choose_one_of_them<std::tuple<First, Rest...>, B>();                             \
  }                                                                                                 \
  template <class A, class First, class... Rest>                                                    \
    requires Operand<First>                                                                         \
  constexpr auto name(A const&, std::tuple<First, Rest...> const&) {                                \
    return detail::choose_one_of_them<std::tuple<First, Rest...>, A>();                             \
  }                                                                                                 \
  template <class First, class... Rest, class Second, class... Others>                              \
    requires Operand<First>                                                                         \
  constexpr auto name(std::tuple<First, Rest...> const&, std::tuple<Second, Others...> const&) {    \
    return detail::choose_one_of_them<std::tuple<First, Rest...>, std::tuple<Second, Others...>>(); \
  }
ESPALIER_REJECTS(operator+)
ESPALIER_REJECTS(operator-)
ESPALIER_REJECTS(operator*)
ESPALIER_REJECTS(operator/)
ESPALIER_REJECTS(matmul)
#undef ESPALIER_REJECTS

#define ESPALIER_REJECTS(name)                                     \
  template <Operand A, detail::numbers_in_a_container B>           \
  constexpr invalid<already_reported> name(A const&, B const& b) { \
    return detail::reject_no_value(b);                             \
  }                                                                \
  template <detail::numbers_in_a_container A, Operand B>           \
  constexpr invalid<already_reported> name(A const& a, B const&) { \
    return detail::reject_no_value(a);                             \
  }
ESPALIER_REJECTS(operator+)
ESPALIER_REJECTS(operator-)
ESPALIER_REJECTS(operator*)
ESPALIER_REJECTS(operator/)
#undef ESPALIER_REJECTS

template <Operand A, detail::no_value B>
constexpr invalid<already_reported> matmul(A const&, B const& b) {
  return detail::reject_no_value(b);
}
template <detail::no_value A, Operand B>
constexpr invalid<already_reported> matmul(A const& a, B const&) {
  return detail::reject_no_value(a);
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
