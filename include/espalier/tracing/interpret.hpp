// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/math.hpp"
#include "../graph/loop.hpp"
#include "../shape/permutation.hpp"

/// Reference interpreter: runs a program node by node, without fusion and vectors. It is used in constant expressions,
/// and tests compare the kernels with it.
namespace espalier::tracing {

using graph::descriptor, graph::label_argument, graph::node, graph::op_family, graph::node_table;

/// The data of a program's leaves, indexed by their attribute.
template <class T>
struct leaf_values {
  T const* const* arguments;
  std::int32_t const* const* labels;
  bool const* const* flags;
  T const* const* parameters;
  T const* const* buffers;
  T const* const* random_numbers;
  T const* hyperparameters;
};

namespace detail {

/// The offset of the element that flat index i of `s` reads in a tensor of extents `from`, aligned at the last axis of
/// `s`.
constexpr std::int64_t source_offset(extents const& from, extents const& s, std::int64_t i) {
  std::int64_t offset = 0, stride = 1;
  for (int axis = s.rank - 1, f = from.rank - 1; f >= 0; --axis, --f) {
    std::int64_t const k = i % s.at[axis];
    i /= s.at[axis];
    if (from.at[f] != 1) offset += k * stride;
    stride *= from.at[f];
  }
  return offset;
}

constexpr std::int64_t permuted_offset(extents const& from, extents const& s, std::uint64_t packed, std::int64_t i) {
  std::int64_t strides[max_rank]{};
  std::int64_t stride = 1;
  for (int axis = from.rank - 1; axis >= 0; --axis) {
    strides[axis] = stride;
    stride *= from.at[axis];
  }
  std::int64_t offset = 0;
  for (int axis = s.rank - 1; axis >= 0; --axis) {
    offset += (i % s.at[axis]) * strides[axis_behind(packed, axis)];
    i /= s.at[axis];
  }
  return offset;
}

template <class T>
constexpr T evaluate_node(descriptor const& op, T a, T b, T c) {
  if constexpr (std::is_same_v<T, float>) return op.evaluate_single(a, b, c);
  else return op.evaluate(a, b, c);
}

template <class T>
constexpr void multiply_matrices(T* y, T const* a, T const* b, int rows, int columns, int inner, bool transpose_a,
                                 bool transpose_b) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      T sum = 0;
      for (int k = 0; k < inner; ++k)
        sum +=
            (transpose_a ? a[k * rows + i] : a[i * inner + k]) * (transpose_b ? b[j * inner + k] : b[k * columns + j]);
      y[i * columns + j] = sum;
    }
}

}  // namespace detail

/// Runs a program and keeps the value of each node that the roots depend on.
template <class T>
class interpreter {
 public:
  constexpr interpreter(node_table const& g, int const* roots, int count)
      : g_{g}, values_{new T* [static_cast<std::size_t>(g.size) + 1] {}} {
    needed_ = new bool[static_cast<std::size_t>(g.size) + 1]{};
    loop_of_ = new int[static_cast<std::size_t>(g.size) + 1]{};
    position_ = new int[static_cast<std::size_t>(g.loop_count) + 1]{};
    for (int i = 0; i < count; ++i) needed_[roots[i]] = true;
    for (int id = g.size; id > 0; --id) {
      if (!needed_[id]) continue;
      int const last = g[id].op->family == op_family::alias ? 1 : 4;
      for (int k = 0; k < last; ++k)
        if (int const x = g[id].operand[k]) needed_[x] = true;
    }
    // Inner loops are older than the loops around them.
    for (int id = 1; id <= g.size; ++id) {
      if (!needed_[id] || !graph::is_loop(g[id])) continue;
      graph::loop_nodes const body{g, id, g.size};
      for (int x = 1; x <= g.size; ++x)
        if (body.has(x) && loop_of_[x] == 0) loop_of_[x] = id;
    }
  }
  constexpr ~interpreter() {
    for (int id = 1; id <= g_.size; ++id) delete[] values_[id];
    delete[] values_;
    delete[] needed_;
    delete[] loop_of_;
    delete[] position_;
  }
  interpreter(interpreter const&) = delete;
  interpreter& operator=(interpreter const&) = delete;

  constexpr T const* value(int id) const { return values_[id]; }

  constexpr void run(leaf_values<T> const& in) {
    for (int id = 1; id <= g_.size; ++id)
      if (needed_[id] && loop_of_[id] == 0) evaluate(id, in);
  }

 private:
  constexpr void copy(T* y, T const* x, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) y[i] = x[i];
  }
  constexpr void evaluate(int id, leaf_values<T> const& in) {
    node const& n = g_[id];
    if (graph::is_of_loop(n.op->family)) return evaluate_of_loop(id, in);
    std::int64_t const size = n.shape.size();
    delete[] values_[id];
    T* const y = values_[id] = new T[static_cast<std::size_t>(size)]{};
    T const* const a = n.operand[0] ? values_[n.operand[0]] : nullptr;
    switch (n.op->family) {
      case op_family::argument:
        copy(y, in.arguments[position_of(n)], size);
        break;
      case op_family::label:
        break;  // read by the conversion that follows
      case op_family::parameter:
        copy(y, in.parameters[slot_of(n)], size);
        break;
      case op_family::buffer:
        copy(y, in.buffers[slot_of(n)], size);
        break;
      case op_family::random:
        copy(y, in.random_numbers[stream_of(n)], size);
        break;
      case op_family::hyperparameter:
        y[0] = in.hyperparameters[position_of(n)];
        break;
      case op_family::constant:
        for (std::int64_t i = 0; i < size; ++i) y[i] = static_cast<T>(constant_of(n));
        break;
      case op_family::values:
        for (std::int64_t i = 0; i < size; ++i) y[i] = static_cast<T>(g_.values[offset_of(n) + i]);
        break;
      case op_family::column_index:
        for (std::int64_t i = 0; i < size; ++i) y[i] = static_cast<T>(i % n.shape.at[n.shape.rank - 1]);
        break;
      case op_family::convert:
        convert(g_[n.operand[0]], y, size, in);
        break;
      case op_family::reshape:
      case op_family::alias:
      case op_family::exchange:  // of one process
        copy(y, a, size);
        break;
      case op_family::elementwise: {
        T const* const b = n.operand[1] ? values_[n.operand[1]] : a;
        T const* const c = n.operand[2] ? values_[n.operand[2]] : a;
        for (std::int64_t i = 0; i < size; ++i) y[i] = detail::evaluate_node<T>(*n.op, a[i], b[i], c[i]);
        break;
      }
      case op_family::broadcast:
        for (std::int64_t i = 0; i < size; ++i) y[i] = a[detail::source_offset(g_[n.operand[0]].shape, n.shape, i)];
        break;
      case op_family::permute:
        for (std::int64_t i = 0; i < size; ++i)
          y[i] = a[detail::permuted_offset(g_[n.operand[0]].shape, n.shape, permutation_of(n), i)];
        break;
      case op_family::move: {
        index_map const& m = g_.maps[map_of(n)];
        for (std::int64_t i = 0; i < size; ++i) {
          std::int64_t const from = moved_offset(m, g_[n.operand[0]].shape, n.shape, i);
          y[i] = from >= 0 ? a[from] : m.fills_with_lowest ? -math::infinity<T> : T(0);
        }
        break;
      }
      case op_family::scatter_add:
        scatter_add(n, y);
        break;
      case op_family::concatenate:
        concatenate(n, y);
        break;
      case op_family::pack:
        if (n.operand[1] != 0) copy(y, values_[n.operand[1]], size);
        copy(y + pack_of(n).offset, a, g_[n.operand[0]].shape.size());
        break;
      case op_family::part:
        copy(y, a + part_of(n), size);
        break;
      case op_family::index_gather:
      case op_family::index_scatter_add:
        index(n, y, in);
        break;
      case op_family::index_copy:
        copy(y, a, size);
        write_slices(n, y, in);
        break;
      case op_family::reduction: {
        extents const& s = g_[n.operand[0]].shape;
        for (std::int64_t i = 0; i < size; ++i) y[i] = static_cast<T>(n.op->identity);
        for (std::int64_t i = 0; i < s.size(); ++i) {
          T& sum = y[detail::source_offset(n.shape, s, i)];
          sum = detail::evaluate_node<T>(*n.op, sum, a[i], a[i]);
        }
        break;
      }
      case op_family::contraction:
        contract(n, y);
        break;
      default:
        break;
    }
  }
  constexpr void scatter_add(node const& n, T* y) const {
    extents const& s = g_[n.operand[0]].shape;
    for (std::int64_t i = 0; i < s.size(); ++i) {
      std::int64_t const to = moved_offset(g_.maps[map_of(n)], n.shape, s, i);
      if (to >= 0) y[to] += values_[n.operand[0]][i];
    }
  }
  constexpr T* renew(int id) {
    delete[] values_[id];
    return values_[id] = new T[static_cast<std::size_t>(g_[id].shape.size())]{};
  }
  /// A loop sets its states, final states and stacks itself.
  constexpr void evaluate_of_loop(int id, leaf_values<T> const& in) {
    node const& n = g_[id];
    if (n.op->family == op_family::loop_slice) {
      std::int64_t const size = n.shape.size();
      copy(renew(id), values_[n.operand[0]] + position_[graph::loop_of(n).number] * size, size);
    } else if (graph::is_loop(n)) {
      run_loop(id, in);
    }
  }
  constexpr void run_loop(int loop, leaf_values<T> const& in) {
    graph::loop_node const l = graph::loop_of(g_[loop]);
    auto const is_result = [&](int id, op_family f) {
      return needed_[id] && g_[id].op->family == f && graph::loop_of(g_[id]).number == l.number;
    };
    for (int id = loop + 1; id <= g_.size; ++id)
      if (is_result(id, op_family::loop_stack)) renew(id);
    graph::for_each_state(g_, loop, [&](int state, int, int) {
      copy(renew(state), values_[g_[state].operand[0]], g_[state].shape.size());
    });
    int const count = graph::count_of_loop(g_, loop);
    int const steps = count != 0 ? in.labels[label_of(g_[count]).position][0] : l.steps;
    for (int i = 0; i < steps; ++i) {
      int const at = position_[l.number] = l.backwards ? steps - 1 - i : i;
      for (int id = 1; id <= g_.size; ++id)
        if (needed_[id] && loop_of_[id] == loop && g_[id].op->family != op_family::loop_state) evaluate(id, in);
      for (int id = loop + 1; id <= g_.size; ++id) {
        if (!is_result(id, op_family::loop_stack)) continue;
        std::int64_t const size = g_[g_[id].operand[1]].shape.size();
        copy(values_[id] + at * size, values_[g_[id].operand[1]], size);
      }
      // All next values are read before a state changes.
      graph::for_each_state(
          g_, loop, [&](int state, int next, int carry) { copy(renew(carry), values_[next], g_[state].shape.size()); });
      graph::for_each_state(
          g_, loop, [&](int state, int, int carry) { copy(values_[state], values_[carry], g_[state].shape.size()); });
    }
    for (int id = loop + 1; id <= g_.size; ++id)
      if (is_result(id, op_family::loop_final)) copy(renew(id), values_[g_[id].operand[1]], g_[id].shape.size());
  }
  constexpr void concatenate(node const& n, T* y) {
    int const axis = axis_of(n);
    std::int64_t const first = g_[n.operand[0]].shape.product(axis, n.shape.rank),
                       second = g_[n.operand[1]].shape.product(axis, n.shape.rank);
    T const *const a = values_[n.operand[0]], *const b = values_[n.operand[1]];
    for (std::int64_t i = 0; i < n.shape.size() / (first + second); ++i) {
      copy(y + i * (first + second), a + i * first, first);
      copy(y + i * (first + second) + first, b + i * second, second);
    }
  }
  constexpr void convert(node const& leaf, T* y, std::int64_t size, leaf_values<T> const& in) {
    label_argument const x = label_of(leaf);
    for (std::int64_t i = 0; i < size; ++i)
      y[i] = x.is_flag ? static_cast<T>(in.flags[x.position][i]) : static_cast<T>(in.labels[x.position][i]);
  }
  /// A gather visits the elements of its result, a scatter-add those of its operand; both find the other element at the
  /// index along the axis.
  constexpr void index(node const& n, T* y, leaf_values<T> const& in) {
    bool const gathers = n.op->family == op_family::index_gather;
    extents const &s = gathers ? n.shape : g_[n.operand[0]].shape,
                  &indexed = gathers ? g_[n.operand[0]].shape : n.shape;
    extents const& indices = g_[n.operand[1]].shape;
    std::int32_t const* const index = in.labels[label_of(g_[data_of(g_, n.operand[1])]).position];
    std::int64_t const inner = s.product(axis_of(n) + 1, s.rank), picks = s.at[axis_of(n)],
                       extent = indexed.at[axis_of(n)];
    T const* const x = values_[n.operand[0]];
    for (std::int64_t i = 0; i < s.size(); ++i) {
      std::int64_t const at =
          (i / inner / picks * extent + index[detail::source_offset(indices, s, i)]) * inner + i % inner;
      if (gathers) y[i] = x[at];
      else y[at] += x[i];
    }
  }
  /// Replaces the slices at the indices by the sums of those of operand 2.
  constexpr void write_slices(node const& n, T* y, leaf_values<T> const& in) {
    extents const &s = g_[n.operand[2]].shape, &indices = g_[n.operand[1]].shape;
    std::int32_t const* const index = in.labels[label_of(g_[data_of(g_, n.operand[1])]).position];
    std::int64_t const inner = s.product(axis_of(n) + 1, s.rank), picks = s.at[axis_of(n)],
                       extent = n.shape.at[axis_of(n)];
    T const* const source = values_[n.operand[2]];
    for (bool const adds : {false, true})
      for (std::int64_t i = 0; i < s.size(); ++i) {
        T& to = y[(i / inner / picks * extent + index[detail::source_offset(indices, s, i)]) * inner + i % inner];
        to = adds ? to + source[i] : T(0);
      }
  }
  constexpr void contract(node const& n, T* y) {
    extents const &sa = g_[n.operand[0]].shape, &sb = g_[n.operand[1]].shape;
    auto const [ta, tb] = transposes_of(n);
    int const rows = n.shape.at[n.shape.rank - 2], columns = n.shape.at[n.shape.rank - 1];
    int const inner = ta ? sa.at[sa.rank - 2] : sa.at[sa.rank - 1];
    extents batch = n.shape, batch_a = sa, batch_b = sb;
    batch.rank -= 2;
    batch_a.rank -= 2;
    batch_b.rank -= 2;
    for (std::int64_t i = 0; i < batch.size(); ++i)
      detail::multiply_matrices(y + i * rows * columns,
                                values_[n.operand[0]] + detail::source_offset(batch_a, batch, i) * rows * inner,
                                values_[n.operand[1]] + detail::source_offset(batch_b, batch, i) * inner * columns,
                                rows, columns, inner, ta, tb);
  }

  node_table const& g_;
  T** values_;
  bool* needed_;
  int* loop_of_;   ///< by node: the innermost loop that computes it, or 0
  int* position_;  ///< by number of a loop: the position of its step
};

}  // namespace espalier::tracing
#include "../base/diagnostics_pop.hpp"
