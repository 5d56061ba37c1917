// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../plan/plan.hpp"
#include "../storage/memory.hpp"
#include "aligned_bytes.hpp"

namespace espalier::detail {

/// The base pointers of a running program, indexed by plan::base.
struct program_bases {
  void* at[plan::base::count];
};

template <class Program>
inline constexpr std::size_t workspace_elements = static_cast<std::size_t>(plan::plan_of<Program>.memory.workspace);

/// The aligned bytes of `elements` elements of T.
template <class T>
constexpr std::size_t bytes_for(std::size_t elements) {
  return aligned_bytes(elements * sizeof(T));
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
