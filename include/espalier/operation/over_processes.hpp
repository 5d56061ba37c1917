// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "add.hpp"
#include "movement.hpp"
#include "multiply.hpp"
#include "subtract.hpp"

/// Values that the processes of a training have in common. The op is a kernel of its own, behind which the engine
/// exchanges the value. In programs of one process it does not exist: its result is its operand.
namespace espalier {

struct exchange_ {};

/// The loss of all processes is sum_q w_q loss_q, with w_q the share of process q in all samples, and the gradients of
/// parameters are combined with the same weights behind the backward pass. The adjoint of process p is therefore that
/// of its own loss, divided by w_p. For y = sum_q w_q x_q that is sum_q w_q dy_q, the same op again. For moments,
///   m = sum_q w_q m_q,  v = sum_q w_q (v_q + (m_q - m)^2)
/// it is sum_q w_q (dm_q + 2 (m_p - m) dv_q) for m_p, and sum_q w_q dv_q for v_p: one exchange, too.
template <>
struct rule<exchange_> {
  static constexpr char const* name = "over_processes";
  static constexpr int emit(node_table& g, graph::node const& n) { return g.among_processes ? g.add(n) : n.operand[0]; }
  // A template: programs without the op do not instantiate it.
  template <class Op>
  static constexpr handle pullback(node_table& g, int dy, int id, int) {
    graph::node const n = g[id];
    int const c = exchange_of(n).moments, rest = n.shape.at[0] - 2 * c;
    auto const mean = [&](int of) { return operation::emit<Op>(g, g[of].shape, graph::exchange_attribute({0}), of); };
    if (c == 0) return mean(dy);
    auto const part = [&](int of, int first, int count) {
      return handle{&g, operation::emit_part(g, of, 0, first, count)};
    };
    auto const concatenated = [&](int first, int second, int count) {
      return g.emit({&described<concatenate_>, {first, second, 0, 0}, graph::axis_attribute(0), extents{1, {count}}});
    };
    int const d = mean(part(dy, 0, 2 * c).id).id;
    handle const dv = part(d, c, c), off = part(n.operand[0], 0, c) - part(id, 0, c), half = off * dv;
    int const both = concatenated((part(d, 0, c) + (half + half)).id, dv.id, 2 * c);
    return handle{
        &g, rest == 0 ? both : concatenated(both, operation::emit_constant(g, 0, extents{1, {rest}}).id, 2 * c + rest)};
  }
  template <class Op>
  static constexpr graph::descriptor describe() {
    graph::descriptor d = operation::plain_descriptor(name, op_family::exchange, 1);
    d.emit = &emit;
    d.pullback = &pullback<Op>;
    return d;
  }
};

/// The mean of a value over the samples of all processes.
/// shape   S -> S
/// saves   nothing
/// gradient  the mean of dy over the samples of all processes
template <Expression X>
constexpr auto mean_over_processes(X&& x) {
  return detail::make_node<exchange_, graph::exchange_attribute({0}), shape_of<X>>(static_cast<X&&>(x));
}

/// The moments of a value over all processes, from those of each: Channels means, Channels variances (biased), and
/// numbers that are summed. Differences of means are squared, not means, so that no digits are lost.
/// Count   the elements behind each mean, the same for all channels
/// shape   (2 Channels + K) -> the same
/// saves   the means of this process and of all
/// gradient  of means and variances; none of the K numbers
/// source  Chan, Golub and LeVeque 1979
template <int Channels, std::int64_t Count, Expression X>
constexpr auto moments_over_processes(X&& x) {
  static_assert(Channels <= graph::max_moments && shape_of<X>::rank == 1 && shape_of<X>::size >= 2 * Channels);
  return detail::make_node<exchange_, graph::exchange_attribute({Channels, Count}), shape_of<X>>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
