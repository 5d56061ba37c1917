// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#if defined(ESPALIER_CHECK_PLANS)
#include "../plan/check_bounded_plan.hpp"
#else
#include "../plan/plan.hpp"
#endif
#include "../storage/memory.hpp"
#include "aligned_bytes.hpp"

namespace espalier::detail {

/// The base pointers of a running program, indexed by plan::base.
struct program_bases {
  void* at[plan::base::count];
};

/// The extent of a program's workspace. All devices and models ask here, so with ESPALIER_CHECK_PLANS this is where the
/// plan is proved.
template <class Program>
constexpr std::size_t find_workspace() {
#if defined(ESPALIER_CHECK_PLANS)
  plan::prove_plan<Program>();
  if constexpr (requires { Program::bounded; }) plan::prove_bounded_plan<Program>();
#endif
  return static_cast<std::size_t>(plan::plan_of<Program>.memory.workspace);
}
template <class Program>
inline constexpr std::size_t workspace_elements = find_workspace<Program>();

/// The aligned bytes of `elements` elements of T.
template <class T>
constexpr std::size_t bytes_for(std::size_t elements) {
  return aligned_bytes(elements * sizeof(T));
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
