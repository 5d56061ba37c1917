// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "onnx_program.hpp"

/// Exports movements: along each axis a slice and a padding, or a list of positions to gather from.
namespace espalier::io::onnx {

/// The source positions of the elements along one axis of an operand.
struct axis_walk {
  /// of the result's axes that iterate over it
  integers extents;
  /// -1 for a fill value
  integers positions;
  bool fills, moves;
};
inline axis_walk walk_along(index_map const& m, int axis, extents const& from, extents const& to) {
  axis_walk w{{}, {0}, false, true};
  w.positions[0] = m.start[axis];
  for (int i = 0; i < m.rank; ++i) {
    if (m.source[i] != axis) continue;
    w.extents.push_back(to.at[i]);
    integers next;
    for (auto const position : w.positions)
      for (int k = 0; k < to.at[i]; ++k) next.push_back(position + std::int64_t{k} * m.step[i]);
    w.positions = std::move(next);
  }
  bool same = w.extents.size() == 1 && w.extents[0] == from.at[axis];
  for (std::size_t i = 0; i < w.positions.size(); ++i) {
    auto& position = w.positions[i];
    position = position % m.divisor[axis] != 0 || position < 0 || position / m.divisor[axis] >= from.at[axis]
                   ? -1
                   : position / m.divisor[axis];
    w.fills = w.fills || position < 0;
    same = same && position == static_cast<std::int64_t>(i);
  }
  w.moves = !same;
  return w;
}

class mover {
 public:
  mover(exporter& e, int id) : e_{e}, id_{id}, from_{e.shape(e[id].operand[0])}, to_{e.shape(id)}, map_{e.map_of(id)} {
    for (int a = 0; a < from_.rank; ++a) walks_.push_back(walk_along(map_, a, from_, to_));
  }

  view write() {
    int const operand = e_[id_].operand[0];
    view const& v = e_.value(operand);
    if (v.held) return moved_numbers(builder::broadcast_constant(*v.held, from_));
    view x = filled(e_, operand);
    if (keeps_axes()) return cut_and_padded(x);
    return gathered(e_.to.transposed_now(x));
  }

 private:
  double filler() const { return map_.fills_with_lowest ? -math::infinity<double> : 0.0; }
  view moved_numbers(tensor const& t) const {
    tensor r{t.name, to_, std::vector<double>(static_cast<std::size_t>(to_.size()))};
    for (std::size_t i = 0; i < r.numbers.size(); ++i) {
      std::int64_t const position = moved_offset(map_, from_, to_, static_cast<std::int64_t>(i));
      r.numbers[i] = position >= 0 ? t.numbers[static_cast<std::size_t>(position)] : filler();
    }
    return builder::hold(std::move(r));
  }
  bool keeps_axes() const {
    bool keeps = map_.rank == from_.rank;
    for (int i = 0; i < map_.rank; ++i) keeps = keeps && map_.source[i] == i;
    return keeps;
  }
  void check_samples(view const& v) const {
    for (int a = 0; a < from_.rank; ++a)
      if (walks_[at(a)].moves && axis_behind(v.order, a) == v.samples_at) e_.to.throw_open_batch("samples are moved");
  }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  /// For movements that keep every axis: slices and paddings, or a gather if fill values are between elements.
  view cut_and_padded(view x) {
    check_samples(x);
    integers starts, ends, axes, strides, before(at(from_.rank), 0), after(before);
    bool pads = false;
    for (int a = 0; a < from_.rank; ++a) {
      axis_walk const& w = walks_[at(a)];
      int const axis = axis_behind(x.order, a);
      if (!w.moves) continue;
      std::size_t first = 0, end = w.positions.size();
      while (first < end && w.positions[first] < 0) ++first;
      while (end > first && w.positions[end - 1] < 0) --end;
      bool whole = end > first;
      for (std::size_t i = first; i < end; ++i) whole = whole && w.positions[i] >= 0;
      if (!whole) {
        x.name = gather(x.name, axis, from_.rank, w, from_.at[a]);
      } else {
        std::int64_t const step = map_.step[a] / map_.divisor[a], last = w.positions[end - 1];
        if (end - first != static_cast<std::size_t>(from_.at[a]) || step != 1) {
          starts.push_back(w.positions[first]);
          ends.push_back(step > 0 || end - first == 1 ? last + 1 : last == 0 ? -from_.at[a] - 1 : last - 1);
          strides.push_back(end - first == 1 ? 1 : step);
          axes.push_back(axis);
        }
        before[at(axis)] = static_cast<std::int64_t>(first);
        after[at(axis)] = static_cast<std::int64_t>(w.positions.size() - end);
        pads = pads || first != 0 || end != w.positions.size();
      }
      x.stored.at[axis] = to_.at[a];
    }
    if (!axes.empty())
      x.name =
          e_.to.emit("Slice", {x.name, e_.to.list(starts), e_.to.list(ends), e_.to.list(axes), e_.to.list(strides)});
    if (pads) {
      before.insert(before.end(), after.begin(), after.end());
      x.name = e_.to.emit("Pad", {x.name, e_.to.list(before), e_.to.number(filler())});
    }
    x.accepts_bias = false;
    return x;
  }

  /// For movements that split an axis into several (windows) or drop it: a gather for each axis, from the last to the
  /// first.
  view gathered(view x) {
    check_samples(x);
    std::vector<int> from_axis;  // of each axis after gathering: the result's axis
    int rank = from_.rank;
    for (int a = from_.rank - 1; a >= 0; --a) {
      if (walks_[at(a)].moves) x.name = gather(x.name, a, rank, walks_[at(a)], from_.at[a]);
      rank += static_cast<int>(walks_[at(a)].extents.size()) - 1;
    }
    view r = builder::plain(x.name, extents{}, x);
    for (int a = 0; a < from_.rank; ++a)
      for (int i = 0; i < map_.rank; ++i) {
        if (map_.source[i] != a) continue;
        if (a == x.samples_at) r.samples_at = r.stored.rank;
        r.stored.push(to_.at[i]);
        from_axis.push_back(i);
      }
    r.order = 0;
    for (std::size_t i = 0; i < from_axis.size(); ++i) r.order |= std::uint64_t{i} << (4 * from_axis[i]);
    return r;
  }
  /// Gathers elements of an axis by their positions; a padding element behind the others provides the fill value.
  std::string gather(std::string name, int axis, int rank, axis_walk const& w, int extent) {
    integers positions = w.positions;
    if (w.fills) {
      integers pads(at(2 * rank), 0);
      pads[at(rank + axis)] = 1;
      name = e_.to.emit("Pad", {name, e_.to.list(pads), e_.to.number(filler())});
      for (auto& position : positions)
        if (position < 0) position = extent;
    }
    return e_.to.emit("Gather", {name, e_.to.list(positions, w.extents)}, {with("axis", axis)});
  }

  exporter& e_;
  int id_;
  extents from_, to_;
  index_map const& map_;
  std::vector<axis_walk> walks_;
};

/// Collects the operands of nested concatenations along one axis, in order.
inline void find_concatenated(exporter& e, int id, int axis, std::vector<int>& parts) {
  for (int k = 0; k < 2; ++k) {
    int const x = e[id].operand[k];
    if (e[x].op->family == op_family::concatenate && axis_of(e[x]) == axis && e.read_once(x))
      find_concatenated(e, x, axis, parts);
    else parts.push_back(x);
  }
}
inline view write_concatenate(exporter& e, int id) {
  std::vector<int> parts;
  find_concatenated(e, id, axis_of(e[id]), parts);
  std::vector<view> views;
  int samples_at = -1, samples_times = 0;
  bool alike = true;
  for (int const x : parts) {
    views.push_back(filled(e, x));
    alike = alike && views.back().order == views[0].order;
  }
  std::vector<std::string> names;
  for (view& v : views) {
    if (!alike) v = e.to.transposed_now(v);
    names.push_back(v.name);
    if (v.samples_at >= 0) samples_at = v.samples_at, samples_times = v.samples_times;
  }
  int const axis = axis_behind(views[0].order, axis_of(e[id]));
  if (samples_at == axis) e.to.throw_open_batch("samples are concatenated");
  for (view const& v : views)
    if (v.samples_at != samples_at) e.to.throw_open_batch("samples are concatenated with what does not grow with them");
  view r = views[0];
  r.accepts_bias = false;
  r.samples_at = samples_at;
  r.samples_times = samples_times;
  r.stored.at[axis] = e.shape(id).at[axis_of(e[id])];
  r.name = e.to.emit("Concat", names, {with("axis", axis)});
  return r;
}

}  // namespace espalier::io::onnx
#include "../base/diagnostics_pop.hpp"
