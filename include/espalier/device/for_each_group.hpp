// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <utility>

#include "../base/supported.hpp"

namespace espalier::on_device {

/// Calls f<X>() for Count numbers of groups from First on, in order: for callers that act between two groups. The calls
/// are in pieces of 64: clang rejects folds over more than 256 operands.
template <int First, int Count, class F>
void for_each_group(F const& f) {
  constexpr int piece = Count < 64 ? Count : 64;
  [&]<int... X>(std::integer_sequence<int, X...>) { (f.template operator()<First + X>(), ...); }
  (std::make_integer_sequence<int, piece>{});
  if constexpr (Count > piece) for_each_group<First + piece, Count - piece>(f);
}

}  // namespace espalier::on_device
#include "../base/diagnostics_pop.hpp"
