// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../expression/expression.hpp"
#include "../storage/tensor.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Memory of the user where models, trainers and predictors take tensors: std::vector, std::array, std::span and arrays
/// become views of the shape that the place asks for, once their element type and their number of elements have been
/// compared with it.
namespace espalier::detail {

/// element_is for tensors and views alone: whatever else is given fails softly, and finds the function that takes it.
template <StoredAnywhere X, class T>
using element_given = element_is<element_of<X>, T>;

/// What a place that reads (T const) or writes (T) elements of shape S asks of X: the first relation that does not
/// hold. Tensors and views are asked by the place itself.
template <class X, class T, class S>
struct given_fault {
  using asked = seen_fit<X, T, S>;
  using type = typename first_fault<typename asked::numbers, typename asked::element, typename asked::writing,
                                    typename asked::counts>::type;
};
template <class X, class T, class S>
  requires StoredAnywhere<X>
struct given_fault<X, T, S> {
  using type = agreed;
};
template <class X, class T, class S>
using given_fit = typename given_fault<X, T, S>::type;
#define ESPALIER_GIVEN                                                                                             \
  "expected a tensor, a view, or numbers of the model's element type that lie in a row (std::vector, std::array, " \
  "std::span, arrays), as many as "                                                                                \
  "the shape has; tensor<T, S>(x) converts a copy, evaluate(x) makes a tensor of a formula"
#define ESPALIER_GIVEN_TARGETS                                                                                         \
  "expected a tensor, a view, or numbers of the type that the loss asks for (labels: std::int32_t) that lie in a row " \
  "(std::vector, std::array, "                                                                                         \
  "std::span, arrays), one for each label or target; tensor<T, S>(x) converts a copy"
#define ESPALIER_GIVEN_SCORES                                                                               \
  "expected a tensor, a view, or numbers of the model's element type that lie in a row and may be written " \
  "(std::vector, std::array, std::span, arrays), as many as the output has"

/// A fact for a refusal: a call that writes scores is given where.
template <class X>
struct has_room_for_scores {
  static constexpr bool agree = false;
};
/// The same of results, which must stay: no temporary.
template <class Y, class T, class S, class Fit = given_fit<std::remove_reference_t<Y>, T, S>>
using written_fit = std::conditional_t<Fit::agree && !StoredAnywhere<Y>, outlives_the_view<Y>, Fit>;

/// Tensors and views as they are; a range as a view, whose number of elements is compared where its type does not say
/// it.
/// errors  range_error
template <class T, class S, class X>
constexpr decltype(auto) as_given(char const* where, X& x) {
  if constexpr (StoredAnywhere<X>) {
    return static_cast<X&>(x);
  } else {
    check_count<S>(where, x);
    return view<T, S>(first_number(x));
  }
}

/// The batch, of several, that the type of X says: a tensor's shape, or the first with as many elements as an array
/// has; otherwise the first.
template <class X, class First, class... More>
struct batch_given {
  using type = First;
};
template <StoredAnywhere X, class First, class... More>
struct batch_given<X, First, More...> {
  using type = std::conditional_t<(std::is_same_v<shape_of<X>, More> || ...), shape_of<X>, First>;
};
template <class X, class First, class Second, class... More>
  requires(!StoredAnywhere<X> && fixed_count<X> >= 0 && !array_counts<First, X>::agree &&
           (array_counts<Second, X>::agree || (array_counts<More, X>::agree || ...)))
struct batch_given<X, First, Second, More...> : batch_given<X, Second, More...> {};
/// Whether only a run says which batch X is of.
template <class X, class... Batches>
inline constexpr bool chooses_batch = sizeof...(Batches) > 1 && !StoredAnywhere<X> && fixed_count<X> < 0;

}  // namespace espalier::detail
#pragma GCC diagnostic pop
