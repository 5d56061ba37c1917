// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "onnx_program.hpp"

/// Exports reductions, and the named formulas around them: softmax and normalization.
namespace espalier::io::onnx {

/// Reduces the axes of a mask; they stay as axes of extent 1.
inline view reduced(exporter& e, view const& v, char const* type, unsigned mask) {
  integers const axes = stored_axes(v, mask);
  view r = v;
  r.accepts_bias = false;
  for (auto const axis : axes) {
    if (axis == v.samples_at) e.to.throw_open_batch("a reduction or softmax runs along the samples");
    r.stored.at[axis] = 1;
  }
  // Since operator set 18, the axes of all reductions are an input.
  if (std::string_view{type} == "ReduceSum" || e.to.operator_set() >= 18)
    r.name = e.to.emit(type, {v.name, e.to.list(axes)}, {with("keepdims", 1)});
  else r.name = e.to.emit(type, {v.name}, {with("axes", axes), with("keepdims", 1)});
  return r;
}

inline view write_reduction(exporter& e, int id) {
  int const base = e.reduced_operand(id);
  unsigned mask = 0;
  for (int i = 0; i < e.shape(base).rank; ++i)
    if (e.shape(base).at[i] != e.shape(id).at[i]) mask |= 1u << i;
  return reduced(e, filled(e, base), e.is_mean(id) ? "ReduceMean" : row_of(e[id].op)->type, mask);
}

/// softmax and log_softmax along an axis.
inline view write_softmax(exporter& e, int id, char const* type) {
  view v = filled(e, e[id].operand[1]);
  integers const axes = stored_axes(v, axes_of(e[id]));
  if (axes[0] == v.samples_at) e.to.throw_open_batch("a reduction or softmax runs along the samples");
  v.name = e.to.emit(type, {v.name}, {with("axis", axes[0])});
  v.accepts_bias = false;
  return v;
}

/// x / sqrt(mean(x^2) + eps); if centered, the mean is first subtracted from x.
inline view write_normalized(exporter& e, int id, bool centered) {
  view v = filled(e, e[id].operand[1]);
  unsigned const mask = axes_of(e[id]);
  std::string const eps = e.to.named(e.value(e[id].operand[2]), extents{});
  v.accepts_bias = false;
  if (centered) v.name = e.to.emit("Sub", {v.name, reduced(e, v, "ReduceMean", mask).name});
  view squares = v;
  squares.name = e.to.emit("Mul", {v.name, v.name});
  std::string const variance = reduced(e, squares, "ReduceMean", mask).name;
  v.name = e.to.emit("Div", {v.name, e.to.emit("Sqrt", {e.to.emit("Add", {variance, eps})})});
  return v;
}

/// sqrt(sum(x^2)).
inline view norm_of(exporter& e, view x, unsigned mask) {
  x.name = e.to.emit("Mul", {x.name, x.name});
  view n = reduced(e, x, "ReduceSum", mask);
  n.name = e.to.emit("Sqrt", {n.name});
  return n;
}
/// x / max(sqrt(sum(x^2)), eps). For eps = 0 the file has the smallest normal float, so that 0 / 0 does not occur.
inline view write_unit(exporter& e, int id) {
  view v = filled(e, e[id].operand[1]);
  std::string const n = norm_of(e, v, axes_of(e[id])).name;
  double const eps = e.value(e[id].operand[2]).held->numbers[0];
  v.name = e.to.emit("Div", {v.name, e.to.emit("Max", {n, e.to.number(math::maximum(eps, 0x1p-126))})});
  v.accepts_bias = false;
  return v;
}

inline view write_whole(exporter& e, int id) {
  graph::descriptor const* const op = e[id].op;
  if (op == &described<softmax_> || op == &described<log_softmax_>) return write_softmax(e, id, row_of(op)->type);
  if (op == &described<norm_>) return norm_of(e, filled(e, e[id].operand[1]), axes_of(e[id]));
  if (op == &described<unit_>) return write_unit(e, id);
  return write_normalized(e, id, op != &described<rms_normalize_>);
}

}  // namespace espalier::io::onnx
#include "../base/diagnostics_pop.hpp"
