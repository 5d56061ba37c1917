// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/reshape.hpp"
#include "../operation/slice.hpp"
#include "module.hpp"

/// Recurrent layers as modules of one result, for Sequential. They start from zeros, and their parameters have the
/// names that the layer gives them.
namespace espalier::nn {

/// Named relation: a recurrent layer returns std::tuple{outputs, last state}, and has the constant step_axis, the axis
/// of the steps of its outputs.
template <class Layer, class Result>
struct returns_outputs {
  ESPALIER_READS("{} returns {}")
  static constexpr bool agree = false;
};
template <class Layer, class Outputs, class... State>
  requires requires { Layer::step_axis; }
struct returns_outputs<Layer, std::tuple<Outputs, State...>> {
  ESPALIER_READS("{} returns {}")
  static constexpr bool agree = true;
};

namespace detail {
/// The outputs of a layer without its state.
template <class Layer>
constexpr auto outputs_of(Layer const& layer, auto const& x) {
  auto const all = layer(x);
  using All = std::remove_cvref_t<decltype(all)>;
  if constexpr (espalier::detail::HoldsInvalid<All>) return espalier::detail::first_invalid_of<All>{};
  else if constexpr (!returns_outputs<Layer, All>::agree) return invalid<returns_outputs<Layer, All>>{};
  else return std::get<0>(all);
}
/// The last position along an axis of three, without that axis.
template <int Axis>
constexpr auto last_position(auto const& y) {
  using S = shape_of<decltype(y)>;
  return reshape<S::value.at[1 - Axis], S::value.at[2]>(slice<Axis, -1>(y));
}
}  // namespace detail

#define ESPALIER_SEQUENCE_MODULE                                                      \
  Layer layer{};                                                                      \
  using is_module = void;                                                             \
  using takes_single_values = void;                                                   \
  template <class Self>                                                               \
  static auto member_types_of(Self&)->detail::types<Layer>;                           \
  template <class Self, class Visit>                                                  \
  static constexpr void visit_members(Self& self, Visit&& visit) {                    \
    Layer::visit_members(self.layer, visit);                                          \
  }                                                                                   \
  template <class X>                                                                  \
  constexpr auto operator()(X&& x) const {                                            \
    if constexpr (espalier::detail::marked_tensor<X>)                                 \
      return espalier::detail::apply_module_to_temporary(*this, static_cast<X&&>(x)); \
    else return espalier::detail::apply_module(*this, x);                             \
  }                                                                                   \
  static constexpr axis_order in_pytorch(char const* member, extents const& shape) {  \
    return nn::in_pytorch<Layer>(member, shape);                                      \
  }                                                                                   \
  static constexpr keras_layer in_keras() requires InKeras<Layer> { return Layer::in_keras(); }

/// The outputs of a recurrent layer that starts from zeros, without its last state: Outputs<LSTM<3, 8>>.
/// shape   that of the outputs: (T, N, In) -> (T, N, Hidden) for a layer in one direction, steps first
/// errors  a module that does not return std::tuple{outputs, last state} does not compile
/// saves   what the layer saves
/// gradient  that of the layer
template <class Layer>
struct Outputs {
  ESPALIER_SEQUENCE_MODULE
  constexpr auto forward(auto x) const { return detail::outputs_of(layer, x); }
};

/// The output of a recurrent layer at the last position of the sequence: LastOutput<LSTM<3, 8>>. The layer starts from
/// zeros. The part of the other direction has read one position there, as in PyTorch's output[-1].
/// shape   (T, N, In) -> (N, Hidden) for a layer in one direction, steps first
/// errors  as of Outputs
/// saves   what the layer saves
/// gradient  that of the layer
template <class Layer>
struct LastOutput {
  ESPALIER_SEQUENCE_MODULE
  constexpr auto forward(auto x) const {
    auto const y = detail::outputs_of(layer, x);
    if constexpr (is_invalid<std::remove_cvref_t<decltype(y)>>) return y;
    else return detail::last_position<Layer::step_axis>(y);
  }
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
