// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "net_report.hpp"
#include "trace_net.hpp"

#include "../base/diagnostics_push.hpp"
namespace espalier {

namespace detail {
/// The type of output_shape if layers do not fit: reading it produces one error. Subject: the short_subject of the net.
template <class Subject, class Found>
struct invalid_shape {
  using shape_type = Found;
  constexpr invalid_shape() = default;
  constexpr invalid_shape(invalid_shape const&) {
    using Layers = root_message_fault<Found, by_short_subject<Subject>, invalid_shape>;
    static_assert(layers_fit<Layers>::agree, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
    static_assert(sizeof(own_message_fault<Found, by_short_subject<Subject>>::report()) != 0);
  }
};
/// Not a friend: in the error of a friend, nvcc does not print the type Found.
template <class Subject, class Found, class X>
constexpr bool operator==(invalid_shape<Subject, Found> const&, X const&) {
  using Layers = root_message_fault<Found, by_short_subject<Subject>, invalid_shape<Subject, Found>>;
  static_assert(layers_fit<Layers>::agree, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
  static_assert(sizeof(own_message_fault<Found, by_short_subject<Subject>>::report()) != 0);
  return true;
}
}  // namespace detail

/// The shape of a module's result for an input of shape S.
/// errors  layers that do not fit each other or S do not compile
template <class Net, class S,
          class Found = detail::applied_net<Net, std::enable_if_t<(sizeof(detail::probe_forward<Net, S>) > 0), S>>,
          bool Fits = layers_fit<Found>::agree>
inline constexpr shape_of<Found> output_shape{};
template <class Net, class S, class Found>
inline constexpr auto const& output_shape<Net, S, Found, false> =
    detail::invalid_object<detail::invalid_shape<detail::short_subject<Net>, Found>>;

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
