// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/needs_header.hpp"
#include "shape.hpp"

ESPALIER_HEADER_INCLUDED(up_to);

namespace espalier {

namespace detail {

constexpr bool is_up_to(int extent) { return extent < up_to_mark; }

}  // namespace detail

/// The shape of a batch of up to N samples. It has no `size` and no `value`, so nothing mistakes it for a shape of N
/// samples.
template <int Count, int... Sample>
  requires(detail::is_up_to(Count))
struct shape<Count, Sample...> {
  static constexpr int rank = 1 + static_cast<int>(sizeof...(Sample));
  static constexpr int max_samples = detail::up_to_mark - Count;
  using sample = shape<Sample...>;
  /// The shape of a batch of Samples samples.
  template <int Samples>
  using of = shape<Samples, Sample...>;
};
template <int Count, int... Sample>
  requires(detail::is_up_to(Count))
inline constexpr bool is_shape<shape<Count, Sample...>> = false;

template <int Count, int... Sample>
  requires(detail::is_up_to(Count))
inline constexpr bool is_bounded_batch<shape<Count, Sample...>> = is_sound_shape<shape<Sample...>>;
template <class T>
concept BoundedBatch = is_bounded_batch<T>;

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
