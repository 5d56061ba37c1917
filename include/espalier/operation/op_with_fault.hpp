// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "indexing.hpp"
#include "matmul.hpp"
#include "movement.hpp"
#include "structure.hpp"

namespace espalier::detail {

/// The op of a descriptor, as far as errors name it. Descriptors of elementwise ops and reductions have a type; others
/// are named by their family.
template <graph::descriptor const* Op>
constexpr auto op_with_fault() {
  using graph::op_family;
  if constexpr (Op == nullptr) return std::type_identity<void>{};
  else if constexpr (Op->family == op_family::elementwise || Op->family == op_family::reduction)
    return std::type_identity<graph::op_of<Op>>{};
  else if constexpr (Op->family == op_family::contraction) return std::type_identity<matmul_>{};
  else if constexpr (Op->family == op_family::reshape) return std::type_identity<reshape_>{};
  else if constexpr (Op->family == op_family::broadcast) return std::type_identity<broadcast_>{};
  else if constexpr (Op->family == op_family::permute) return std::type_identity<permute_>{};
  else if constexpr (Op->family == op_family::move) return std::type_identity<moved_>{};
  else if constexpr (Op->family == op_family::scatter_add) return std::type_identity<scatter_add_>{};
  else if constexpr (Op->family == op_family::concatenate) return std::type_identity<concatenate_>{};
  else if constexpr (Op->family == op_family::index_gather) return std::type_identity<index_gather_>{};
  else if constexpr (Op->family == op_family::index_scatter_add) return std::type_identity<index_scatter_add_>{};
  else if constexpr (Op->family == op_family::index_copy) return std::type_identity<index_copy_>{};
  else if constexpr (Op->family == op_family::constant) return std::type_identity<constant_>{};
  else return std::type_identity<void>{};
}
}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
