// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <utility>

#include <espalier/operation/operation.hpp>

/// Functions of a tensor over a set of axes that is given as a bit mask, so that a test can run through all sets.
namespace test {

#define ESPALIER_TEST_OVER(name)                   \
  struct over_##name {                             \
    template <int... Axes>                         \
    static constexpr auto dropped(auto const& x) { \
      return name<Axes...>(x);                     \
    }                                              \
    template <int... Axes>                         \
    static constexpr auto kept(auto const& x) {    \
      return name<Axes...>(x, espalier::keepdims); \
    }                                              \
  };
ESPALIER_TEST_OVER(sum)
ESPALIER_TEST_OVER(mean)
ESPALIER_TEST_OVER(max)
ESPALIER_TEST_OVER(min)
ESPALIER_TEST_OVER(logsumexp)
ESPALIER_TEST_OVER(norm)
#undef ESPALIER_TEST_OVER

struct over_normalize {
  template <int... Axes>
  static constexpr auto dropped(auto const& x) {
    return normalize<Axes...>(x, 1e-3);
  }
  template <int... Axes>
  static constexpr auto kept(auto const& x) {
    return normalize<Axes...>(x, 1e-3) * x;
  }
};

/// Over::dropped<axes...>(x) or Over::kept<axes...>(x) for the axes of a mask.
template <class Over, unsigned Mask, bool Kept, int Axis = 0, int... Axes>
constexpr auto over_mask(auto const& x) {
  if constexpr (Mask >> Axis == 0) {
    if constexpr (Kept) return Over::template kept<Axes...>(x);
    else return Over::template dropped<Axes...>(x);
  } else if constexpr (Mask >> Axis & 1u) {
    return over_mask<Over, Mask, Kept, Axis + 1, Axes..., Axis>(x);
  } else {
    return over_mask<Over, Mask, Kept, Axis + 1, Axes...>(x);
  }
}

/// The reduction as a function; Squared: of the squares, so that its second derivative is not zero.
template <class Over, unsigned Mask, bool Kept, bool Squared = false>
struct reduces {
  constexpr auto operator()(auto x) const {
    if constexpr (Squared) return over_mask<Over, Mask, Kept>(x * x * x);
    else return over_mask<Over, Mask, Kept>(x);
  }
};

/// check(integral_constant<unsigned, mask>) for every set of axes of a rank but the empty one.
template <int Rank, class Check>
void for_all_axes(Check check) {
  [&]<unsigned... M>(std::integer_sequence<unsigned, M...>) { (check(std::integral_constant<unsigned, M + 1>{}), ...); }
  (std::make_integer_sequence<unsigned, (1u << Rank) - 1u>{});
}

/// The same for four sets: the first axis, the last, those between, and all. Where every reduction follows the rule
/// that the sets of sum are tried with, these are enough; tests that take longer (long_tests) try all sets.
template <int Rank, class Check>
void for_some_axes(Check check) {
#if defined(ESPALIER_TEST_ALL)
  for_all_axes<Rank>(check);
#else
  constexpr unsigned first = 1u, last = 1u << (Rank - 1), all = (1u << Rank) - 1u;
  (check(std::integral_constant<unsigned, first>{}), check(std::integral_constant<unsigned, last>{}),
   check(std::integral_constant<unsigned, all & ~(first | last)>{}), check(std::integral_constant<unsigned, all>{}));
#endif
}

}  // namespace test
