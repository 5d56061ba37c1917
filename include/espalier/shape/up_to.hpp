// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "shape.hpp"

namespace espalier {

namespace detail {

/// up_to<N> is this mark minus N. It is far from every extent, and from the -1 of reshape<-1, 8>, so that no arithmetic
/// on extents produces it by mistake. Compilers print up_to<64> as -1000000064.
inline constexpr int up_to_mark = -1'000'000'000;
inline constexpr int largest_up_to = 1'000'000;
constexpr bool is_up_to(int extent) { return extent < up_to_mark; }

}  // namespace detail

/// The number of samples of a batch whose size is a run-time number from 1 to N: batch<up_to<64>, 8, 8>. A program for
/// it is compiled and planned once, and its cost is in proportion to the number of samples that a call passes.
/// shape   the first extent of a batch; nowhere else
/// errors  N below 2 or above 1000000 does not compile, nor does a tensor of such a shape, which has no size
template <int N>
inline constexpr int up_to = [] {
  constexpr bool fits = N >= 2 && N <= detail::largest_up_to;
  static_assert(fits, ESPALIER_SENTENCE("up_to<N>: N must be 2 to 1000000; for batches of one sample, write 1",
                                        ESPALIER_STATED(fits, ESPALIER_NAMED("N", N))));
  return detail::up_to_mark - (fits ? N : 2);
}();

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
