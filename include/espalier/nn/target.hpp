// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../expression/mode.hpp"
#include "module.hpp"

namespace espalier::nn {

namespace detail {

constexpr bool is_positive(real x) { return x.value > 0; }

/// The target of a loss that compares element by element: a tensor with the shape of the prediction.
template <class Prediction>
struct target_like_prediction {
  using element_type = void;
  using type = Prediction;
};

/// The violation of such a loss, or `agreed`.
template <class P, class T>
struct target_fault {
  using relation = same_shape<shape_of<P>, shape_of<T>>;
  using type = std::conditional_t<relation::agree, agreed, invalid<relation>>;
};
template <class P, class T>
  requires(is_invalid<P> || is_invalid<T>)
struct target_fault<P, T> : espalier::detail::first_invalid<P, T> {};

/// The target of a loss of labels: a class number for each position of a prediction with the classes on axis 1.
template <class Prediction>
struct target_labels {
  using element_type = std::int32_t;
  using type = shape<>;
  static constexpr int classes = 1;
};
template <int N, int Classes, int... D>
struct target_labels<shape<N, Classes, D...>> {
  using element_type = std::int32_t;
  using type = shape<N, D...>;
  static constexpr int classes = Classes;
};

}  // namespace detail

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
