// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../shape/product.hpp"
#include "apply.hpp"
#include "reaching_taps.hpp"
#include "sum.hpp"

namespace espalier {

struct matmul_ {};

template <>
struct rule<matmul_> {
  static constexpr char const* name = "matmul";
  static constexpr int emit(node_table& g, graph::node const& n);
  static constexpr handle pullback(node_table& g, int dy, int id, int which);
  template <class Op>
  static constexpr graph::descriptor describe() {
    graph::descriptor d = operation::plain_descriptor(name, op_family::contraction, 2);
    d.emit = &emit;
    d.pullback = &pullback;
    return d;
  }
};

namespace detail {

constexpr extents swapped_extents(extents s, bool swap) {
  if (swap) {
    int const last = s.at[s.rank - 1];
    s.at[s.rank - 1] = s.at[s.rank - 2];
    s.at[s.rank - 2] = last;
  }
  return s;
}
/// True if every batch axis of a product has extent 1, so that it is a product of plain matrices.
constexpr bool single(extents const& s) { return s.product(0, s.rank - 2) == 1; }

/// Emits op(a) op(b), where op optionally transposes the last two axes. A transposed operand becomes one of these bits,
/// a batch times one matrix becomes one tall product, and taps of windows that read only padding are left out. zeros: 0
/// or graph::leaves_out_zeros.
constexpr int emit_matmul(node_table& g, int a, int b, bool transpose_a, bool transpose_b, std::uint64_t zeros = 0) {
  auto const absorb = [&](int& id, bool& transposed) {
    graph::node const& n = g[id];
    int const rank = n.shape.rank;
    if (!g.plain && n.op->family == op_family::permute &&
        permutation_of(n) == swap_permutation(rank, rank - 1, rank - 2)) {
      id = n.operand[0];
      transposed = !transposed;
    }
  };
  absorb(a, transpose_a);
  absorb(b, transpose_b);
  if (!transpose_a) {
    leave_out_taps(g, a, b, transpose_b);
    absorb(b, transpose_b);
  }
  extents const sa = g[a].shape, sb = g[b].shape;
  extents const s = product_extents(swapped_extents(sa, transpose_a), swapped_extents(sb, transpose_b));
  auto const matrix = [](extents const& e) { return extents{2, {e.at[e.rank - 2], e.at[e.rank - 1]}}; };
  if (s.rank > 2 && single(s)) {
    int const y = emit_matmul(g, operation::emit_reshape(g, a, matrix(sa)), operation::emit_reshape(g, b, matrix(sb)),
                              transpose_a, transpose_b, zeros);
    return operation::emit_reshape(g, y, s);
  }
  if (s.rank > 2 && single(sb) && !transpose_a) {
    extents const tall{2, {static_cast<int>(sa.product(0, sa.rank - 1)), sa.at[sa.rank - 1]}};
    if (sa.product(0, sa.rank - 2) == s.product(0, s.rank - 2)) {
      int const y = emit_matmul(g, operation::emit_reshape(g, a, tall), operation::emit_reshape(g, b, matrix(sb)),
                                false, transpose_b, zeros);
      return operation::emit_reshape(g, y, s);
    }
  }
  return g.add(graph::node{
      &described<matmul_>, {a, b, 0, 0}, graph::transposes_attribute({transpose_a, transpose_b}) | zeros, s});
}

}  // namespace detail

constexpr int rule<matmul_>::emit(node_table& g, graph::node const& n) {
  graph::transposes const transposed = transposes_of(n);
  return detail::emit_matmul(g, n.operand[0], n.operand[1], transposed.a, transposed.b,
                             n.attribute & graph::leaves_out_zeros);
}

/// For y = op(a) op(b): d op(a) = dy op(b)^T and d op(b) = op(a)^T dy, each transposed back where op transposes.
/// Adjoints are summed over broadcast batches.
constexpr handle rule<matmul_>::pullback(node_table& g, int dy, int id, int which) {
  graph::node const n = g[id];
  int const a = n.operand[0], b = n.operand[1];
  auto const [ta, tb] = transposes_of(n);
  int const d = which == 0 ? (ta ? detail::emit_matmul(g, b, dy, tb, true) : detail::emit_matmul(g, dy, b, false, !tb))
                           : (tb ? detail::emit_matmul(g, dy, a, true, ta) : detail::emit_matmul(g, a, dy, !ta, false));
  return handle{&g, detail::sum_to<sum_>(g, d, g[n.operand[which]].shape)};
}

namespace detail {
template <class A, class B, bool Expressions = Expression<A>&& Expression<B>,
          bool AnyInvalid = is_invalid<std::remove_cvref_t<A>> || is_invalid<std::remove_cvref_t<B>>>
struct product_type {
  using relation = inner_dimensions<shape_of<A>, shape_of<B>>;
  using elements = same_element<element_of<A>, element_of<B>>;
  using devices = typename devices_relation<is_eager<A, B>, A, B>::type;
  using placed = std::conditional_t<!devices::agree, violation_of<devices>, std::type_identity<agreed>>;
  using fault = std::conditional_t<!relation::agree, violation_of<relation>,
                                   std::conditional_t<!elements::agree, violation_of<elements>, placed>>;
  using type = typename fault::type;
  using reported_fault = std::conditional_t<is_eager<A, B>, type, agreed>;
};
template <class A, class B, bool AnyInvalid>
struct product_type<A, B, false, AnyInvalid> {  // on handles
  using reported_fault = agreed;
};
template <class A, class B>
struct product_type<A, B, true, true> : first_invalid<std::remove_cvref_t<A>, std::remove_cvref_t<B>> {
  using reported_fault = agreed;
};
}  // namespace detail

/// matmul(a, b): the matrix product of the last two axes; leading axes are batches and broadcast against each other.
/// shape   (..., M, K), (..., K, N) -> (..., M, N)
/// errors  does not compile if the columns of a differ from the rows of b, batch axes do not broadcast, an operand has
///         a rank below 2, float and double are mixed, or the devices differ
/// saves   a, b
/// gradient  da = dy b^T, db = a^T dy
template <Operand A, Operand B, class Fit = typename detail::product_type<A, B>::reported_fault>
constexpr auto matmul(A&& a, B&& b) {
  static_assert(holds<matrix_axes, Fit>, ESPALIER_SENTENCE("matmul(a, b): both need at least two axes", Fit));
  static_assert(holds<inner_dimensions, Fit>,
                ESPALIER_SENTENCE("matmul(a, b): columns of a must equal rows of b", Fit));
  static_assert(holds<batch_dimensions, Fit>,
                ESPALIER_SENTENCE("matmul(a, b): the batch axes (all but the last two) must be equal or 1", Fit));
  static_assert(holds<same_element, Fit>, ESPALIER_SENTENCE("matmul(a, b): " ESPALIER_ELEMENTS_FIT, Fit));
  static_assert(holds<same_device, Fit>, ESPALIER_SENTENCE("matmul(a, b): " ESPALIER_DEVICES_FIT, Fit));
  if constexpr (Handle<A>) {
    return handle{a.nodes, detail::emit_matmul(*a.nodes, a.id, b.id, false, false)};
  } else {
    using Product = detail::product_type<A, B>;
    if constexpr (is_invalid<typename Product::type>) return typename Product::type{};
    else
      return detail::make_node<matmul_, 0, shape_from<typename Product::relation>>(static_cast<A&&>(a),
                                                                                   static_cast<B&&>(b));
  }
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
