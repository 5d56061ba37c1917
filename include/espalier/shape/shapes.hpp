// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <tuple>

#include "shape.hpp"

namespace espalier {

/// Several shapes, in order: the inputs of a net, or what it returns as a std::tuple.
///     static_assert(esp::output_shape<Cell, shape<8, 4>, shape<8, 6>> == esp::shapes<shape<8, 3>, shape<8, 6>>{});
template <class... S>
struct shapes {
  static constexpr int count = static_cast<int>(sizeof...(S));
  template <int I>
  using at = std::tuple_element_t<static_cast<std::size_t>(I), std::tuple<S...>>;
};
template <class... A, class... B>
constexpr bool operator==(shapes<A...>, shapes<B...>) {
  return std::is_same_v<shapes<A...>, shapes<B...>>;
}

namespace detail {
/// One or several shapes as a list, and a list with one shape as that shape.
template <class Batch>
struct list_of_shapes {
  using type = shapes<Batch>;
};
template <class... S>
struct list_of_shapes<shapes<S...>> {
  using type = shapes<S...>;
};
template <class... S>
struct one_or_several {
  using type = shapes<S...>;
};
template <class S>
struct one_or_several<S> {
  using type = S;
};
template <class Batch>
using listed_shapes = typename list_of_shapes<Batch>::type;
/// The batch of inputs of these shapes: the shape of the only one, or a list.
template <class... S>
using batch_of_shapes = typename one_or_several<S...>::type;
}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
