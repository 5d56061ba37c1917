// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "net_report.hpp"
#include "trace_net.hpp"

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
/// The shape of the only result, or the list of several.
template <class Found>
struct described_results {
  using type = shape_of<Found>;
};
template <class... R>
struct described_results<std::tuple<R...>> : result_shapes<std::tuple<R...>> {};
template <class Net, class Batch, class Found = results_of_net<Net, Batch>, bool Fits = layers_fit<Found>::agree>
inline constexpr typename described_results<Found>::type shape_of_output{};
template <class Net, class Batch, class Found>
inline constexpr auto const& shape_of_output<Net, Batch, Found, false> =
    invalid_object<invalid_shape<short_subject<Net>, Found>>;
}  // namespace detail

/// The shape of a module's result for an input of shape S, or for several inputs. A module that returns a std::tuple
/// has a list: output_shape<Cell, shape<8, 4>, shape<8, 6>> == shapes<shape<8, 3>, shape<8, 6>>{}.
/// errors  layers that do not fit each other or S do not compile
template <class Net, class... S>
inline constexpr decltype(auto) output_shape =
    detail::shape_of_output<Net,
                            std::enable_if_t<(sizeof(detail::probe_forward<Net, detail::batch_of_shapes<S...>>) > 0),
                                             detail::batch_of_shapes<S...>>>;

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
