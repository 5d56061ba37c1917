// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "diagnostics_push.hpp"

#include <type_traits>

#include "supported.hpp"

namespace espalier::detail {

/// False for every type: what only errors instantiate asserts it.
template <class X>
inline constexpr bool is_options = false;

/// Whether a layer has the options that are written. If not, that was reported, and apply_module gives its results
/// without a further error: it has the default options instead, and their shapes would not fit what follows. A layer
/// with options declares it as its member `options_fit`.
template <bool AreOptions, auto Behind>
inline constexpr bool options_fit = AreOptions&& std::is_null_pointer_v<std::remove_const_t<decltype(Behind)>>;

/// True, so that the layer is a type in what follows. An argument behind options is reported; behind a number in the
/// place of the options it is a part of the same mistake.
template <bool AreOptions, auto Behind>
constexpr bool nothing_behind_options() {
  constexpr bool nothing = !AreOptions || options_fit<true, Behind>;
  static_assert(
      nothing,
      "nothing follows the options of a layer: write all of them inside, as in nn::conv{.stride = 2, .padding = 1}");
  return true;
}

}  // namespace espalier::detail

/// The members of Struct_argument, whose base is Struct. It is the type of the template parameter of layers with the
/// options Struct. Numbers in their place, as in PyTorch's MaxPool2d(3, 2), convert to it, so that the body of this
/// conversion, which follows the macro, says what to write. Without the conversion, g++ continues behind its own error
/// without the layer, and reports each use of the net.
#define ESPALIER_OPTIONS_ARGUMENT(Struct)                                 \
  bool are_options = true;                                                \
  constexpr Struct##_argument(Struct const& options) : Struct(options) {} \
  template <class X>                                                      \
  constexpr Struct##_argument(X const&) : are_options(false)
#include "diagnostics_pop.hpp"
