// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cstdint>

#include "../base/build_mode.hpp"
#include "add.hpp"
#include "multiply.hpp"
#include "subtract.hpp"

/// Loops of the ops that most programs consist of, for drafts: a call for each number takes five times as long.
namespace espalier::detail {

/// y[i] = f(a[i], b[i]); a step of 0 repeats a number, and other steps are 1. Compilers vectorise it.
template <class T, class F>
ESPALIER_INLINE void apply_each(T* __restrict y, std::int64_t n, T const* a, T const* b, int by_a, int by_b,
                                F const& f) {
  if (by_a != 0 && by_b != 0)
    for (std::int64_t i = 0; i < n; ++i) y[i] = f(a[i], b[i]);
  else if (by_a != 0)
    for (std::int64_t i = 0; i < n; ++i) y[i] = f(a[i], b[0]);
  else
    for (std::int64_t i = 0; i < n; ++i) y[i] = f(a[0], b[i * by_b]);
}

/// The same for the function of a sum, a difference or a product. Returns false for others.
template <class T>
ESPALIER_DRAFT_LOOP bool run_arithmetic(T (*function)(T, T, T), T* y, std::int64_t n, T const* a, T const* b, int by_a,
                                        int by_b) {
  if (function == &evaluate<multiply_, T>) apply_each(y, n, a, b, by_a, by_b, [](T p, T q) { return p * q; });
  else if (function == &evaluate<add_, T>) apply_each(y, n, a, b, by_a, by_b, [](T p, T q) { return p + q; });
  else if (function == &evaluate<subtract_, T>) apply_each(y, n, a, b, by_a, by_b, [](T p, T q) { return p - q; });
  else return false;
  return true;
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
