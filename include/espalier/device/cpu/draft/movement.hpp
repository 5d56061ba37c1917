// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstring>

#include "../../../shape/permutation.hpp"
#include "../../../tracing/interpret.hpp"
#include "steps.hpp"

/// Copies of a draft: what moves elements, and what adds them where they were moved from.
namespace espalier::on_cpu::draft {

template <class T>
void copy(T const* from, T* to, std::int64_t n) {
  if (from != to && n > 0) std::memmove(to, from, static_cast<std::size_t>(n) * sizeof(T));
}
/// y[element of the result] = x[element of the operand], whose number a function has; below 0: `outside`.
template <class From, class T, class Source>
void copy_each(From const* x, T* y, std::int64_t n, T outside, Source const& source) {
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t const at = source(i);
    y[i] = at >= 0 ? static_cast<T>(x[at]) : outside;
  }
}

template <class T>
void run_permute(step<T> const& s, T const* x, T* y) {
  copy_each(x, y, s.y.size(), T(0),
            [&](std::int64_t i) { return tracing::detail::permuted_offset(s.a, s.y, s.permutation, i); });
}
template <class T>
void run_broadcast(step<T> const& s, T const* x, T* y) {
  copy_each(x, y, s.y.size(), T(0), [&](std::int64_t i) { return tracing::detail::source_offset(s.a, s.y, i); });
}
template <class T>
void run_move(step<T> const& s, T const* x, T* y) {
  copy_each(x, y, s.y.size(), s.map.fills_with_lowest ? -math::infinity<T> : T(0),
            [&](std::int64_t i) { return moved_offset(s.map, s.a, s.y, i); });
}
/// y = 0, then y[at(i)] += x[i], in double. room: a double for each element of y; at(i) below 0: left out.
template <class T, class At>
void add_scattered(T const* x, std::int64_t n, T* y, std::int64_t size, T* room, At const& at) {
  auto* const sums = reinterpret_cast<double*>(room);
  for (std::int64_t i = 0; i < size; ++i) sums[i] = 0;
  for (std::int64_t i = 0; i < n; ++i)
    if (std::int64_t const to = at(i); to >= 0) sums[to] += static_cast<double>(x[i]);
  for (std::int64_t i = 0; i < size; ++i) y[i] = static_cast<T>(sums[i]);
}
template <class T>
void run_scatter_add(step<T> const& s, T const* x, T* y, T* room) {
  add_scattered(x, s.a.size(), y, s.y.size(), room, [&](std::int64_t i) { return moved_offset(s.map, s.y, s.a, i); });
}
template <class T>
void run_concatenate(step<T> const& s, T const* a, T const* b, T* y) {
  if (s.axis < 0) return;  // both are in their places
  std::int64_t const first = s.a.product(s.axis, s.a.rank), second = s.b.product(s.axis, s.b.rank);
  for (std::int64_t i = 0; i < s.y.size() / (first + second); ++i) {
    copy(a + i * first, y + i * (first + second), first);
    copy(b + i * second, y + i * (first + second) + first, second);
  }
}

template <class T, class From>
void run_convert(step<T> const& s, From const* x, T* y) {
  for (std::int64_t i = 0; i < s.size; ++i) y[i] = static_cast<T>(x[i]);
}

/// Where the slices of a gather, a scatter-add or a copy by index are: element i of slices of shape `slices` is
/// element at(i) of a tensor with `extent` positions on the axis.
struct indexed_elements {
  std::int32_t const* index;
  extents const &slices, &indices;
  std::int64_t inner, picks, extent;

  indexed_elements(std::int32_t const* of, extents const& s, extents const& i, int axis, int positions)
      : index{of}, slices{s}, indices{i}, inner{s.product(axis + 1, s.rank)}, picks{s.at[axis]}, extent{positions} {}
  std::int64_t at(std::int64_t i) const {
    return (i / inner / picks * extent + index[tracing::detail::source_offset(indices, slices, i)]) * inner + i % inner;
  }
};
template <class T, class From>
void run_index_gather(step<T> const& s, From const* x, std::int32_t const* index, T* y) {
  indexed_elements const from{index, s.y, s.b, s.axis, s.a.at[s.axis]};
  copy_each(x, y, s.y.size(), T(0), [&](std::int64_t i) { return from.at(i); });
}
template <class T>
void run_index_scatter_add(step<T> const& s, T const* x, std::int32_t const* index, T* y, T* room) {
  indexed_elements const to{index, s.a, s.b, s.axis, s.y.at[s.axis]};
  add_scattered(x, s.a.size(), y, s.y.size(), room, [&](std::int64_t i) { return to.at(i); });
}
template <class T>
void run_index_copy(step<T> const& s, T const* x, std::int32_t const* index, T const* source, T* y, T* room) {
  copy(x, y, s.y.size());
  auto* const sums = reinterpret_cast<double*>(room);  // read only where an index points to
  indexed_elements const to{index, s.c, s.b, s.axis, s.y.at[s.axis]};
  for (std::int64_t i = 0; i < s.c.size(); ++i) sums[to.at(i)] = 0;
  for (std::int64_t i = 0; i < s.c.size(); ++i) sums[to.at(i)] += static_cast<double>(source[i]);
  for (std::int64_t i = 0; i < s.c.size(); ++i) y[to.at(i)] = static_cast<T>(sums[to.at(i)]);
}

}  // namespace espalier::on_cpu::draft
#include "../../../base/diagnostics_pop.hpp"
