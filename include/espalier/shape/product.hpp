// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "broadcast.hpp"

/// Shapes and relations of matrix products.
namespace espalier {

/// The reason why two shapes cannot be multiplied as matrices.
enum class product_fault { none, rank, inner, batch };

constexpr product_fault product_conflict(extents const& a, extents const& b) {
  if (a.rank < 2 || b.rank < 2) return product_fault::rank;
  if (a.at[a.rank - 1] != b.at[b.rank - 2]) return product_fault::inner;
  return disagreeing_axis(a, b, 2) != 0 ? product_fault::batch : product_fault::none;
}

/// (..., M, K) times (..., K, N) is (..., M, N); batch axes are broadcast against each other.
constexpr extents product_extents(extents const& a, extents const& b) {
  extents r{};
  int const rank = a.rank > b.rank ? a.rank : b.rank;
  for (int i = rank; i > 2; --i) {
    int const x = i <= a.rank ? a.at[a.rank - i] : 1, y = i <= b.rank ? b.at[b.rank - i] : 1;
    r.push(x > y ? x : y);
  }
  r.push(a.at[a.rank - 2]);
  r.push(b.at[b.rank - 1]);
  return r;
}

/// Named relation of matmul(a, b): columns of a equal rows of b.
template <class A, class B>
struct inner_dimensions {
  static constexpr product_fault fault = product_conflict(A::value, B::value);
  static constexpr bool agree = fault == product_fault::none;
  static constexpr extents value = agree ? product_extents(A::value, B::value) : extents{};
};
/// Named relation of matmul(a, b): both have at least two axes.
template <class A, class B>
struct matrix_axes {
  static constexpr bool agree = A::rank >= 2 && B::rank >= 2;
};
/// Named relation of matmul(a, b): all axes except the last two are equal or 1.
template <class A, class B>
struct batch_dimensions {
  static constexpr int axis = disagreeing_axis(A::value, B::value, 2);
  static constexpr bool agree = axis == 0;
};

namespace detail {
template <product_fault Fault, class A, class B>
struct product_violation {
  using type = invalid<inner_dimensions<A, B>>;
};
template <class A, class B>
struct product_violation<product_fault::rank, A, B> {
  using type = invalid<matrix_axes<A, B>>;
};
template <class A, class B>
struct product_violation<product_fault::batch, A, B>
    : violation_at<batch_dimensions<A, B>::axis, batch_dimensions<A, B>> {};
template <class A, class B>
struct violation_of<inner_dimensions<A, B>> : product_violation<inner_dimensions<A, B>::fault, A, B> {};
}  // namespace detail

template <class A, class B>
concept Multipliable = inner_dimensions<A, B>::agree;

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
