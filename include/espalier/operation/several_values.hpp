// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <tuple>

#include "../expression/node.hpp"
#include "../expression/structure.hpp"

/// Readable errors for ops on a std::tuple: a recurrent layer returns its outputs and its state, and split returns
/// parts. A correct call of an op does not consider these functions.
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

}  // namespace detail

#define ESPALIER_OF_SEVERAL_VALUES(name)                             \
  template <int... I, class First, class... Rest>                    \
    requires Operand<First>                                          \
  constexpr auto name(std::tuple<First, Rest...> const&) {           \
    return detail::choose_one_of_them<std::tuple<First, Rest...>>(); \
  }
ESPALIER_OF_SEVERAL_VALUES(abs)
ESPALIER_OF_SEVERAL_VALUES(exp)
ESPALIER_OF_SEVERAL_VALUES(gelu)
ESPALIER_OF_SEVERAL_VALUES(log)
ESPALIER_OF_SEVERAL_VALUES(log_softmax)
ESPALIER_OF_SEVERAL_VALUES(max)
ESPALIER_OF_SEVERAL_VALUES(mean)
ESPALIER_OF_SEVERAL_VALUES(relu)
ESPALIER_OF_SEVERAL_VALUES(reshape)
ESPALIER_OF_SEVERAL_VALUES(sigmoid)
ESPALIER_OF_SEVERAL_VALUES(silu)
ESPALIER_OF_SEVERAL_VALUES(softmax)
ESPALIER_OF_SEVERAL_VALUES(sqrt)
ESPALIER_OF_SEVERAL_VALUES(square)
ESPALIER_OF_SEVERAL_VALUES(sum)
ESPALIER_OF_SEVERAL_VALUES(tanh)
ESPALIER_OF_SEVERAL_VALUES(transpose)
#undef ESPALIER_OF_SEVERAL_VALUES

// No constraint that correct calls would have to evaluate: their operands are no tuples.
#define ESPALIER_OF_SEVERAL_VALUES(name)                                                            \
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
ESPALIER_OF_SEVERAL_VALUES(operator+)
ESPALIER_OF_SEVERAL_VALUES(operator-)
ESPALIER_OF_SEVERAL_VALUES(operator*)
ESPALIER_OF_SEVERAL_VALUES(operator/)
ESPALIER_OF_SEVERAL_VALUES(matmul)
#undef ESPALIER_OF_SEVERAL_VALUES

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
