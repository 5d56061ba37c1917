// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "module.hpp"

namespace conformance {

template <class Case>
inline constexpr nn::transformer transformer_options{.causal = attribute_or<Case, "causal", bool>(true),
                                                     .eps = attribute_or<Case, "eps", double>(1e-5)};
/// The size of a case's layers.
template <class Case>
struct transformer_size {
  static constexpr int heads = attribute_or<Case, "heads", int>(1), dim_head = attribute_or<Case, "dim_head", int>(1),
                       hidden = attribute_or<Case, "hidden", int>(1), layers = attribute_or<Case, "num_layers", int>(1);
};

}  // namespace conformance
