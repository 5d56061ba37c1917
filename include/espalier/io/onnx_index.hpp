// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "onnx_program.hpp"

namespace espalier::io::onnx {

/// The input of the file at a position.
inline view input_of(exporter& e, int position, extents const& s) {
  view x;
  x.name = e.to.file.inputs[static_cast<std::size_t>(position)].name;
  x.stored = s;
  if (e.to.open_samples()) x.samples_at = 0, x.samples_times = 1;
  return x;
}
/// Writes integers as real numbers.
inline view write_conversion(exporter& e, int id) {
  view x = e.value(e[id].operand[0]);
  x.name = e.to.emit("Cast", {x.name}, {with("to", static_cast<int>(e.to.real()))});
  return x;
}
/// Writes a gather. Indices that select whole slices (rows of a table) are a Gather with the slices' indices; others
/// are a GatherElements with an index for each element. ONNX's negative indices count from the end; the library's do
/// not.
inline view write_gather(exporter& e, int id) {
  builder& to = e.to;
  int const axis = axis_of(e[id]), x = e[id].operand[0], index = e[id].operand[1];
  extents const &y = e.shape(id), &indices = e.shape(index);
  view const table = to.whole(e.value(x), e.shape(x));
  if (table.samples_at >= 0) to.throw_open_batch("an index selects from the values of a sample");
  view r = table;
  r.accepts_bias = false;
  r.stored = y;
  if (indices.size() == y.at[axis]) {
    view const places = to.whole(to.reshaped(e.value(index), indices, {1, {y.at[axis]}}), {1, {y.at[axis]}});
    if (places.samples_at >= 0) r.samples_at = axis, r.samples_times = places.samples_times;
    r.name = to.emit("Gather", {table.name, places.name}, {with("axis", axis)});
  } else {
    view const places = to.whole(e.value(index), indices);
    if (places.samples_at >= 0) to.throw_open_batch("an index selects elements, not slices");
    std::string const all = indices == y ? places.name : to.emit("Expand", {places.name, to.list(integers_of(y))});
    r.name = to.emit("GatherElements", {table.name, all}, {with("axis", axis)});
  }
  return r;
}
/// Writes an index_copy: the slices become zeros, to which a second ScatterElements adds those of the source, because
/// indices may be equal. A single slice is stored at once.
inline view write_index_copy(exporter& e, int id) {
  builder& to = e.to;
  int const axis = axis_of(e[id]), x = e[id].operand[0], index = e[id].operand[1], from = e[id].operand[2];
  extents const &s = e.shape(from), &indices = e.shape(index);
  view r = to.whole(e.value(x), e.shape(x));
  view const source = to.whole(e.value(from), s), places = to.whole(e.value(index), indices);
  if (r.samples_at >= 0 || source.samples_at >= 0 || places.samples_at >= 0)
    to.throw_open_batch("an index writes slices of a value");
  r.accepts_bias = false;
  std::string const all = to.emit("Expand", {places.name, to.list(integers_of(s))});
  if (s.at[axis] != 1)
    r.name = to.emit("ScatterElements", {r.name, all, to.emit("Expand", {to.number(0), to.list(integers_of(s))})},
                     {with("axis", axis)});
  std::vector<attribute> how{with("axis", axis)};
  if (s.at[axis] != 1) how.push_back(with_word("reduction", "add"));
  r.name = to.emit("ScatterElements", {r.name, all, source.name}, how);
  return r;
}

}  // namespace espalier::io::onnx
#include "../base/diagnostics_pop.hpp"
