// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "diagnostics_push.hpp"

#include "supported.hpp"

/// Reports a fault once, however much code finds it. The first code that finds it defines a friend function, which
/// later code detects.
namespace espalier::detail {

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-template-friend"
#endif
#if defined(__CUDACC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1301
#endif
/// A fault as a value. As an argument that is a type it would be completed where `was_reported` is looked up, and so
/// would what it contains: an invalid shape, with an error of its own.
template <class Fault>
inline constexpr char fault_tag = 0;
template <char const* Fault>
struct fault_flag {
  friend constexpr auto was_reported(fault_flag<Fault>);
};
#if defined(__CUDACC__)
#pragma nv_diagnostic pop
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
template <char const* Fault>
struct fault_reported {
  friend constexpr auto was_reported(fault_flag<Fault>) { return true; }
};
/// True for the first Root that asks for this fault; the fault then counts as reported. Root: a type unique to the
/// calling code, because a compiler answers the same template arguments only once.
template <class Fault, class Root>
constexpr bool report_first() {
  if constexpr (requires(fault_flag<&fault_tag<Fault>> flag) { was_reported(flag); }) return false;
  else return sizeof(fault_reported<&fault_tag<Fault>>) != 0;
}
/// True if the fault was reported. Asking reports nothing. Root: as of report_first.
template <class Fault, class Root>
constexpr bool is_reported() {
  return requires(fault_flag<&fault_tag<Fault>> flag) { was_reported(flag); };
}

}  // namespace espalier::detail
#include "diagnostics_pop.hpp"
