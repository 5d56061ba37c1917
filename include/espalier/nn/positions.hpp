// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/rotary_embedding.hpp"
#include "../operation/slice.hpp"
#include "../operation/stack.hpp"
#include "module.hpp"

namespace espalier::nn {

/// Named relation: a sequence (..., length, features) has as many features as the positions that are added to it, and
/// is not longer.
template <class Sequence, class Positions>
struct positions_cover {
  ESPALIER_READS("the sequence is {}, the positions are {}")
  static constexpr bool agree =
      Sequence::rank >= 2 && Positions::rank == 2 && Sequence::value.at[Sequence::rank - 1] == Positions::value.at[1] &&
      Sequence::value.at[Sequence::rank - (Sequence::rank > 1 ? 2 : 1)] <= Positions::value.at[0];
};

/// Adds a row of weight to each position of a sequence: y = x + weight[0 : T].
/// shape   (..., T, Features) -> the same, T <= Length; weight (Length, Features)
/// start   weight normal with mean 0 and deviation 1
/// errors  a longer sequence, or another number of features, does not compile
/// saves   nothing
/// gradient  dx = dy, d weight = the sum of dy over the examples, 0 behind row T
/// source  Vaswani et al. 2017; needle's Transformer
template <int Length, int Features>
struct LearnedPositions {
  parameter<shape<Length, Features>, init::initialized_by<init::normal{}>> weight{};
  ESPALIER_MODULE(LearnedPositions, weight)
  using takes_single_values = void;
  static constexpr axis_order in_pytorch(char const*, extents const& shape) { return own_order(shape); }

  constexpr auto forward(auto x) const {
    using X = decltype(x);
    if constexpr (is_invalid<X>) {
      return x;
    } else {
      using Covers = positions_cover<shape_of<X>, shape<Length, Features>>;
      if constexpr (!Covers::agree) return invalid<Covers>{};
      else return x + slice<0, 0, shape_of<X>::template extent<-2>()>(weight);
    }
  }
};

/// The options of SinusoidalPositions.
/// range   base > 0 and finite
struct sinusoidal {
  double base = 10000;
  int first_position = 0;
};

/// Named relation: pairs of a sine and a cosine fill the features of a sequence (..., length, features).
template <class Sequence>
struct pairs_of_features {
  ESPALIER_READS("got {}; the number of features must be even")
  static constexpr bool agree =
      Sequence::rank >= 2 && Sequence::value.at[Sequence::rank > 0 ? Sequence::rank - 1 : 0] % 2 == 0;
};

/// Adds sines and cosines of the position: to feature 2 i of position p, sin(p / base^(2 i / Features)), to feature
/// 2 i + 1 its cosine. Positions begin with first_position.
/// shape   (..., T, Features) -> the same
/// errors  an odd number of features and another base do not compile
/// saves   nothing
/// gradient  dx = dy
/// source  Vaswani et al. 2017
template <sinusoidal Options = sinusoidal{}>
struct SinusoidalPositions {
  ESPALIER_MODULE(SinusoidalPositions)
  using takes_single_values = void;

  constexpr auto forward(auto x) const {
    using X = decltype(x);
    if constexpr (is_invalid<X>) {
      return x;
    } else if constexpr (!pairs_of_features<shape_of<X>>::agree) {
      return invalid<pairs_of_features<shape_of<X>>>{};
    } else {
      constexpr int rows = shape_of<X>::template extent<-2>(), features = shape_of<X>::template extent<-1>();
      constexpr rotary angles{.base = Options.base, .first_position = Options.first_position};
      using Base = base_of_angles<rotary_options<angles>>;
      if constexpr (!Base::agree) {
        return invalid<Base>{};
      } else {
        auto const angle = espalier::detail::angles_in_sequence<rows, features / 2, angles>();
        return x + reshape<rows, features>(stack<-1>(sin(angle), cos(angle)));
      }
    }
  }
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
