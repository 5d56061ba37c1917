// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../group_types.hpp"
#include "../strides.hpp"
#include "contract.hpp"
#include "contract_row.hpp"
#include "random.hpp"
#include "team.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Kernels of groups of one node: matrix products, movement that a loop cannot absorb, reductions along middle axes,
/// random numbers.
namespace espalier::on_cpu {

using fused::random_state;

namespace detail {

using namespace fused::detail;

/// Calls body(i, offset) for every element i of `s`, row-major. The offset grows by `stride` along each axis.
template <class Body>
ESPALIER_INLINE void for_each_offset(extents const& s, std::int64_t const* stride, Body body) {
  int index[max_rank]{};
  std::int64_t offset = 0, flat = 0;
  int const last = s.rank - 1;
  while (true) {
    for (int i = 0; i < s.at[last]; ++i) body(flat++, offset + i * stride[last]);
    int axis = last - 1;
    for (; axis >= 0; --axis) {
      offset += stride[axis];
      if (++index[axis] < s.at[axis]) break;
      offset -= stride[axis] * s.at[axis];
      index[axis] = 0;
    }
    if (axis < 0) return;
  }
}

/// The extents s, except that the first one is replaced.
constexpr extents some_of(extents s, std::int64_t first_extent) {
  s.at[0] = static_cast<int>(first_extent);
  return s;
}

/// y = x read at strides. Parts are split along the first axis of y.
template <class T, class Strided>
struct strided_copy : independent_parts {
  static constexpr int rows = Strided::result.at[0], parts = parts_along(rows, Strided::result.size());

  ESPALIER_KERNEL static void run(T const* x, T const*, T* y) {
    for_each_offset(Strided::result, Strided::stride.at,
                    [&](std::int64_t i, std::int64_t offset) { y[i] = x[offset]; });
  }
  ESPALIER_KERNEL static void part(T const* x, T const*, T* y, T*, int which) {
    std::int64_t const begin = part_begin(rows, parts, which), count = part_begin(rows, parts, which + 1) - begin;
    x += begin * Strided::stride.at[0];
    y += begin * (Strided::result.size() / rows);
    for_each_offset(some_of(Strided::result, count), Strided::stride.at,
                    [&](std::int64_t i, std::int64_t offset) { y[i] = x[offset]; });
  }
};

}  // namespace detail

/// y = x with its axes permuted.
template <class T, Shape From, std::uint64_t Permutation>
struct permute_kernel : detail::strided_copy<T, detail::permuted<From, Permutation>> {};

/// y = x repeated along axes in the middle of its shape.
template <class T, Shape From, Shape To>
struct strided_broadcast_kernel : detail::strided_copy<T, detail::broadcasted<From, To>> {};

/// y = x reduced along axes in the middle of its shape.
template <class T, class Op, Shape From, Shape To>
struct strided_reduction_kernel : independent_parts {
  static constexpr detail::strides stride = detail::broadcast_strides(To::value, From::value);
  /// If the first axis is not reduced, each row of x along it has its own row of y.
  static constexpr int rows = From::value.at[0];
  static constexpr bool rows_are_independent = To::rank == From::rank && To::value.at[0] == rows;
  static constexpr int parts = rows_are_independent ? detail::parts_along(rows, From::size) : 1;

  ESPALIER_KERNEL static void run(T const* x, T const*, T* y) {
    for (std::int64_t i = 0; i < To::size; ++i) y[i] = static_cast<T>(described<Op>.identity);
    detail::for_each_offset(From::value, stride.at, [&](std::int64_t i, std::int64_t offset) {
      y[offset] = rule<Op>::combine(y[offset], x[i]);
    });
  }
  ESPALIER_KERNEL static void part(T const* x, T const*, T* y, T*, int which) {
    std::int64_t const begin = detail::part_begin(rows, parts, which),
                       count = detail::part_begin(rows, parts, which + 1) - begin;
    x += begin * (From::size / rows);
    y += begin * (To::size / rows);
    for (std::int64_t i = 0; i < count * (To::size / rows); ++i) y[i] = static_cast<T>(described<Op>.identity);
    detail::for_each_offset(detail::some_of(From::value, count), stride.at, [&](std::int64_t i, std::int64_t offset) {
      y[offset] = rule<Op>::combine(y[offset], x[i]);
    });
  }
};

/// A matrix product for each batch. An operand without a batch axis, or with extent 1 there, is reused.
template <class T, Shape A, Shape B, Shape Y, std::uint64_t Transposes, class Arch>
struct product_kernel : independent_parts {
  static constexpr bool transpose_a = Transposes & 1u, transpose_b = Transposes & 2u;
  static constexpr int rows = Y::template extent<-2>(), columns = Y::template extent<-1>();
  static constexpr int inner = transpose_a ? A::template extent<-2>() : A::template extent<-1>();
  using matrices = contract<T, rows, columns, inner, transpose_a, transpose_b, Arch>;

  /// Whether this is one row times a matrix as it is stored. The call is inlined, because nets of one sample consist of
  /// such products.
  static constexpr bool of_row = Y::size == columns && !(transpose_b && columns > 1 && inner > 1);

  static constexpr bool one_matrix = Y::size == std::int64_t{rows} * columns;
  static constexpr std::int64_t count = Y::size / (std::int64_t{rows} * columns);

  /// after: the epilogue of each finished rectangle of y; rows are counted through all matrices.
  template <class After = detail::no_epilogue>
  static ESPALIER_INLINE void run(T const* a, T const* b, T* y, After const& after = {}) {
    if constexpr (of_row) contract_row<T, inner, columns, Arch>::run(a, b, y, after);
    else if constexpr (one_matrix) matrices::run(a, b, y, after);
    else some(a, b, y, after, 0, count);
  }

  /// If there is one matrix, it is split into parts; otherwise each part has some of the matrices.
  static constexpr int parts = [] {
    if constexpr (of_row) return 1;
    else if constexpr (!one_matrix) return detail::parts_along(count, Y::size * inner / 32);
    else if constexpr (requires { matrices::parts; }) return static_cast<int>(matrices::parts);
    else return 1;
  }();
  static void part(T const* a, T const* b, T* y, T* shared, int which) {
    part(a, b, y, detail::no_epilogue{}, shared, which);
  }
  template <class After>
  static void part(T const* a, T const* b, T* y, After const& after, T*, int which) {
    if constexpr (!one_matrix)
      some(a, b, y, after, detail::part_begin(count, parts, which), detail::part_begin(count, parts, which + 1));
    else if constexpr (parts > 1) matrices::part(a, b, y, after, which);
  }

 private:
  template <class After>
  static void some(T const* a, T const* b, T* y, After const& after, std::int64_t first, std::int64_t last) {
    static constexpr extents batch = outer(Y::value), batch_a = outer(A::value), batch_b = outer(B::value);
    for (std::int64_t i = first; i < last; ++i) {
      matrices::run(a + offset(batch_a, batch, i) * rows * inner, b + offset(batch_b, batch, i) * inner * columns,
                    y + i * rows * columns);
      after(i * rows, rows, 0, columns);
    }
  }
  static constexpr extents outer(extents s) {
    s.rank -= 2;
    return s;
  }
  static constexpr std::int64_t offset(extents const& from, extents const& s, std::int64_t i) {
    std::int64_t at = 0, stride = 1;
    for (int axis = s.rank - 1, f = from.rank - 1; f >= 0; --axis, --f) {
      if (from.at[f] != 1) at += (i % s.at[axis]) * stride;
      i /= s.at[axis];
      stride *= from.at[f];
    }
    return at;
  }
};

/// Converts labels and booleans to numbers.
template <class T, class From>
struct convert_kernel {
  static ESPALIER_INLINE void run(From const* x, T* y, std::int64_t size) {
    for (std::int64_t i = 0; i < size; ++i) y[i] = static_cast<T>(x[i]);
  }
};

}  // namespace espalier::on_cpu
#pragma GCC diagnostic pop
