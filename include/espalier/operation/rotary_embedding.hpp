// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "add.hpp"
#include "broadcast_to.hpp"
#include "composite.hpp"
#include "concatenate.hpp"
#include "cos.hpp"
#include "exp.hpp"
#include "flip.hpp"
#include "multiply.hpp"
#include "negate.hpp"
#include "reshape.hpp"
#include "sin.hpp"

namespace espalier {

/// The options of rotary_embedding. interleaved: features 2 i and 2 i + 1 are a pair (Llama); otherwise i and
/// i + features / 2 (GPT-NeoX, Hugging Face). Pair i of position p turns by the angle p / base^(2 i / features).
/// range   base > 0 and finite
struct rotary {
  bool interleaved = true;
  double base = 10000;
  int first_position = 0;
};

/// Named relation of positions that become angles: their base is above 0 and finite.
template <rotary Options>
struct rotary_options {};
template <class Options>
struct base_of_angles;
template <rotary Options>
struct base_of_angles<rotary_options<Options>> {
  static constexpr bool agree = Options.base > 0 && math::is_finite(Options.base) != 0;
};
/// Named relation of rotary_embedding(x): x has an axis of positions and an even number of features.
template <class X>
struct rotates {
  ESPALIER_READS("x is {}")
  static constexpr bool agree =
      X::rank >= 2 && X::rank < max_rank && X::value.at[X::rank > 0 ? X::rank - 1 : 0] % 2 == 0;
};
/// Named relation of rotary_embedding(x, positions): one position for each row.
template <class X, class Positions>
struct one_position_a_row {
  ESPALIER_READS("x is {}, positions is {}")
  static constexpr bool agree =
      X::rank >= 2 && Positions::rank == 1 && Positions::value.at[0] == X::value.at[X::rank > 1 ? X::rank - 2 : 0];
};

namespace detail {

/// x (..., positions, features) with its pairs on an axis of their own, and what is constant along that axis.
template <class S, bool Interleaved, int Last = S::template extent<-1>(), int Rows = S::template extent<-2>()>
struct paired {
  static constexpr int axis = Interleaved ? -1 : -2;
  static constexpr extents value = [] {
    extents r = S::value;
    r.at[r.rank - 1] = Interleaved ? Last / 2 : 2;
    r.push(Interleaved ? 2 : Last / 2);
    return r;
  }();
  using angles = std::conditional_t<Interleaved, shape<Rows, Last / 2, 1>, shape<Rows, 1, Last / 2>>;
};

/// Turns each pair (a, b) by its angle: (a cos - b sin, b cos + a sin).
template <bool Interleaved, class X>
constexpr auto turned(X const& x, auto const& cosines, auto const& sines) {
  using Pairs = paired<shape_of<X>, Interleaved>;
  auto const pairs = reshape_as(shape_from<Pairs>{}, x);
  auto const c = reshape_as(typename Pairs::angles{}, cosines);
  auto const s = reshape_as(typename Pairs::angles{}, sines);
  return reshape_as(shape_of<X>{}, pairs * c + flip<Pairs::axis>(pairs) * concatenate<Pairs::axis>(-s, s));
}
/// positions (T) -> the angles (T, Pairs). The frequency of pair i, Base^(-i / Pairs), is computed as an exponential.
template <int Pairs, rotary Options>
constexpr auto angles_of(auto const& positions) {
  constexpr int rows = shape_of<decltype(positions)>::template extent<0>();
  // Constants: clang 19 reads members of a template argument wrongly at run time.
  constexpr int first = Options.first_position;
  constexpr double exponent = -math::log(Options.base) / Pairs;
  return broadcast_to<rows, Pairs>(reshape<rows, 1>(positions + first)) * exp(column_index<shape<Pairs>>{} * exponent);
}
/// The angles of Rows positions in sequence: (Rows, Pairs).
template <int Rows, int Pairs, rotary Options>
constexpr auto angles_in_sequence() {
  return angles_of<Pairs, Options>(column_index<shape<Rows>>{});
}

}  // namespace detail

template <rotary Options>
struct rotary_embedding_ {};
template <rotary Options>
struct rotary_embedding_at_ {};

template <rotary Options>
struct rule<rotary_embedding_<Options>> : composite {
  static constexpr char const* name = "rotary_embedding";
  static constexpr auto expand(auto x, auto) {
    using S = shape_of<decltype(x)>;
    auto const angles = detail::angles_in_sequence<S::template extent<-2>(), S::template extent<-1>() / 2, Options>();
    return detail::turned<Options.interleaved>(x, cos(angles), sin(angles));
  }
};
template <rotary Options>
struct rule<rotary_embedding_at_<Options>> : composite {
  static constexpr char const* name = "rotary_embedding";
  static constexpr int arity = 2;
  static constexpr auto expand(auto x, auto positions, auto) {
    using S = shape_of<decltype(x)>;
    auto const angles = detail::angles_of<S::template extent<-1>() / 2, Options>(positions);
    return detail::turned<Options.interleaved>(x, cos(angles), sin(angles));
  }
};

namespace detail {
template <bool AnyInvalid, rotary Options, class X, class... P>
struct rotary_fault : first_invalid<std::remove_cvref_t<X>, std::remove_cvref_t<P>...> {
  using reported_fault = agreed;
};
template <rotary Options, class X, class... P>
struct rotary_fault<false, Options, X, P...> {
  using pairs = rotates<shape_of<X>>;
  using devices = typename devices_relation<is_eager<X, P...>, X, P...>::type;
  using fault = typename first_fault<base_of_angles<rotary_options<Options>>, pairs,
                                     behind<one_position_a_row<shape_of<X>, shape_of<P>>, pairs>...,
                                     same_element<element_of<X>, element_of<P>>..., devices>::type;
  using type = std::conditional_t<fault::agree, agreed, invalid<fault>>;
  using reported_fault = std::conditional_t<is_eager<X, P...>, type, agreed>;
};
template <rotary Options, class... X>
using rotary_fault_of = rotary_fault<(is_invalid<std::remove_cvref_t<X>> || ...), Options, X...>;
}  // namespace detail

#define ESPALIER_ROTARY_BASE "rotary_embedding<rotary{.base = b}>(x): b must be above 0 and finite"
#define ESPALIER_ROTARY_SHAPE "x is (..., positions, features), with an even number of features and at most 5 axes"

/// rotary_embedding<Options>(x): turns pairs of features by angles that grow with the position, so that products of
/// queries and keys depend on the distance of their positions. The rows are positions first_position,
/// first_position + 1, ...; rotary_embedding<Options>(x, positions) takes them from a vector, to which first_position
/// is added.
/// shape   (..., T, D) -> the same; positions (T)
/// errors  another base, an odd D, another number of positions, a mix of float and double, and two devices do not
///         compile
/// range   angles have the precision of the elements: in float their error is about 6e-8 of the position
/// saves   the cosines and sines of the angles
/// gradient  dx = dy turned back; none for positions that are constants
/// source  Su et al. 2021
template <rotary Options = rotary{}, Expression X,
          class Fault = typename detail::rotary_fault_of<Options, X>::reported_fault>
constexpr auto rotary_embedding(X&& x) {
  static_assert(holds<base_of_angles, Fault>, ESPALIER_SENTENCE(ESPALIER_ROTARY_BASE, Fault));
  static_assert(holds<rotates, Fault>, ESPALIER_SENTENCE("rotary_embedding(x): " ESPALIER_ROTARY_SHAPE, Fault));
  using Invalid = typename detail::rotary_fault_of<Options, X>::type;
  if constexpr (!Invalid::agree) return Invalid{};
  else return detail::make_node<rotary_embedding_<Options>, 0, shape_of<X>>(static_cast<X&&>(x));
}
template <rotary Options = rotary{}, Expression X, Expression P,
          class Fault = typename detail::rotary_fault_of<Options, X, P>::reported_fault>
constexpr auto rotary_embedding(X&& x, P&& positions) {
  static_assert(holds<base_of_angles, Fault>, ESPALIER_SENTENCE(ESPALIER_ROTARY_BASE, Fault));
  static_assert(holds<rotates, Fault>,
                ESPALIER_SENTENCE("rotary_embedding(x, positions): " ESPALIER_ROTARY_SHAPE, Fault));
  static_assert(
      holds<one_position_a_row, Fault>,
      ESPALIER_SENTENCE("rotary_embedding(x, positions): positions has one element for each row of x", Fault));
  static_assert(holds<same_element, Fault>,
                ESPALIER_SENTENCE("rotary_embedding(x, positions): " ESPALIER_ELEMENTS_FIT, Fault));
  static_assert(holds<same_device, Fault>,
                ESPALIER_SENTENCE("rotary_embedding(x, positions): " ESPALIER_DEVICES_FIT, Fault));
  using Invalid = typename detail::rotary_fault_of<Options, X, P>::type;
  if constexpr (!Invalid::agree) return Invalid{};
  else
    return detail::make_node<rotary_embedding_at_<Options>, 0, shape_of<X>>(static_cast<X&&>(x),
                                                                            static_cast<P&&>(positions));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
