// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../tracing/interpret.hpp"
#include "steps.hpp"

/// Reductions of a draft that are groups of their own: over axes in the middle, over windows, and the sums of windows
/// times a factor.
namespace espalier::on_cpu::draft {

/// What a reduction gathers: sums in double.
template <class T>
struct gathered {
  step<T> const& s;
  double* of;

  gathered(step<T> const& step, double* room, std::int64_t n) : s{step}, of{room} {
    for (std::int64_t i = 0; i < n; ++i) of[i] = static_cast<double>(s.identity);
  }
  void add(std::int64_t to, T x) const {
    if (s.adds) of[to] += static_cast<double>(x);
    else of[to] = static_cast<double>(s.function(static_cast<T>(of[to]), x, x));
  }
  void store(T* y, std::int64_t n) const {
    for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<T>(of[i]);
  }
};
template <class T>
T window_element(step<T> const& s, T const* image, std::int64_t i) {
  std::int64_t const at = moved_offset(s.map, s.image, s.c, i);
  return at >= 0 ? image[at] : s.map.fills_with_lowest ? -math::infinity<T> : T(0);
}

/// x: the operand, or the image of its windows.
template <class T>
void run_reduction(step<T> const& s, T const* x, T* y, T* room) {
  gathered<T> const to{s, reinterpret_cast<double*>(room), s.y.size()};
  for (std::int64_t i = 0; i < s.a.size(); ++i)
    to.add(tracing::detail::source_offset(s.y, s.a, i), s.windowed ? window_element(s, x, i) : x[i]);
  to.store(y, s.y.size());
}
/// The sum of windows times a factor: over the taps, or over the positions.
template <class T>
void run_window_sum(step<T> const& s, T const* image, T const* factor, T* y, T* room) {
  gathered<T> const to{s, reinterpret_cast<double*>(room), s.y.size()};
  for (std::int64_t i = 0; i < s.c.size(); ++i)
    to.add(tracing::detail::source_offset(s.y, s.c, i),
           window_element(s, image, i) * factor[tracing::detail::source_offset(s.b, s.c, i)]);
  to.store(y, s.y.size());
}

}  // namespace espalier::on_cpu::draft
#include "../../../base/diagnostics_pop.hpp"
