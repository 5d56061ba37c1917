// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../expression/expression.hpp"
#include "../storage/tensor.hpp"

/// Accepts memory of the user (std::vector, std::array, std::span, arrays) where models, trainers and predictors need
/// tensors. A range becomes a view of the required shape after a check of its element type and its number of elements.
namespace espalier::detail {

/// element_is only for tensors and views: for other types it is a substitution failure, which selects the overload for
/// ranges.
template <TensorOrView X, class T>
using stored_element_is = element_is<element_of<X>, T>;

/// The first relation that X violates as memory to read (T const) or write (T) elements of shape S, or `agreed`. The
/// caller checks tensors and views itself.
template <class X, class T, class S>
struct argument_fault {
  using fit = view_fit<X, T, S>;
  using type = typename first_fault<typename fit::numbers, typename fit::element, typename fit::writing,
                                    typename fit::counts>::type;
};
template <class X, class T, class S>
  requires TensorOrView<X>
struct argument_fault<X, T, S> {
  using type = agreed;
};
template <class X, class T, class S>
using argument_fit = typename argument_fault<X, T, S>::type;
#define ESPALIER_EXPECTED_INPUT                                                                             \
  "expected a tensor, a view, or contiguous numbers of the model's element type (std::vector, std::array, " \
  "std::span, arrays), as many as "                                                                         \
  "the shape has; tensor<T, S>(x) converts a copy, evaluate(x) makes a tensor of a formula"
#define ESPALIER_EXPECTED_TARGETS                                                                               \
  "expected a tensor, a view, or contiguous numbers of the type that the loss requires (labels: std::int32_t) " \
  "(std::vector, std::array, "                                                                                  \
  "std::span, arrays), one for each label or target; tensor<T, S>(x) converts a copy"

/// The same for results, which must not be a temporary.
template <class Y, class T, class S, class Fit = argument_fit<std::remove_reference_t<Y>, T, S>>
using written_fit = std::conditional_t<Fit::agree && !TensorOrView<Y>, outlives_the_view<Y>, Fit>;

/// Returns tensors and views unchanged, and a range as a view. The number of elements is checked here if the type does
/// not determine it.
/// errors  range_error
template <class T, class S, class X>
constexpr decltype(auto) as_tensor_or_view(char const* where, X& x) {
  if constexpr (TensorOrView<X>) {
    return static_cast<X&>(x);
  } else {
    check_count<S>(where, x);
    return view<T, S>(first_number(x));
  }
}

/// The one of several batches that the type of X determines: a tensor's shape, or the first with as many elements as an
/// array. Otherwise the first batch.
template <class X, class First, class... More>
struct deduced_batch {
  using type = First;
};
template <TensorOrView X, class First, class... More>
struct deduced_batch<X, First, More...> {
  using type = std::conditional_t<(std::is_same_v<shape_of<X>, More> || ...), shape_of<X>, First>;
};
template <class X, class First, class Second, class... More>
  requires(!TensorOrView<X> && fixed_count<X> >= 0 && !array_counts<First, X>::agree &&
           (array_counts<Second, X>::agree || (array_counts<More, X>::agree || ...)))
struct deduced_batch<X, First, Second, More...> : deduced_batch<X, Second, More...> {};
/// Whether the batch that X belongs to is determined only at run time.
template <class X, class... Batches>
inline constexpr bool chooses_batch = sizeof...(Batches) > 1 && !TensorOrView<X> && fixed_count<X> < 0;

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
