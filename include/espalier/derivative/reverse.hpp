// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/add.hpp"
#include "../operation/checkpoint.hpp"
#include "../operation/loop.hpp"
#include "../operation/loss_scale.hpp"

/// Reverse-mode differentiation of programs: adds the nodes of the backward pass.
namespace espalier::derivative {

using graph::node, graph::program;

/// The adjoint of each node of a program; 0 if it has none.
/// scale   a number of the program by which all adjoints are multiplied, or 0. Adjoints that are literals have it
///         implicitly, so that they fold as without a scale: the program gets the same kernels and the same rounding.
///         The first values that are computed from them are multiplied, in the kernel that computes them
struct adjoints {
  int of[graph::capacity];
  int scale;
};

/// What the backward pass does with a node.
enum class mark : std::uint8_t {
  none,
  differentiated,  ///< differentiates with respect to it
  constant,        ///< holds it constant: the backward pass stops there
  dependent        ///< passes its adjoint on: it depends on a differentiated node
};
constexpr bool has_adjoint(mark m) { return m == mark::differentiated || m == mark::dependent; }

/// The mark of each node. The caller of begin_reverse sets those of differentiated and constant nodes.
struct marks {
  mark at[graph::capacity];
};

/// A state depends on its value after the step before: marks those that do. Returns the first node that may depend on a
/// new mark, or 0.
constexpr int mark_states(node_table const& g, int loop, marks& m) {
  int first = 0;
  graph::for_each_state(g, loop, [&](int state, int next, int) {
    if (m.at[state] != mark::none || !has_adjoint(m.at[next])) return;
    m.at[state] = mark::dependent;
    if (first == 0 || state < first) first = state;
  });
  return first;
}

constexpr bool is_literal(node_table const& g, int id) { return g[id].op->family == op_family::constant; }
constexpr int scaled(node_table& g, int d, adjoints const& adjoint) {
  return operation::emit_scaled(g, d, adjoint.scale);
}
/// The adjoint d of node `to`, with the scale. A literal keeps it implicit if the pullback of `to` folds it, or
/// computes elementwise with it: what products, movements and loops read is stored.
constexpr int with_scale(node_table& g, int to, int d, adjoints const& adjoint) {
  op_family const f = g[to].op->family;
  bool const folds =
      f == op_family::elementwise || f == op_family::reduction || f == op_family::broadcast || f == op_family::reshape;
  return folds ? d : scaled(g, d, adjoint);
}

/// Prepares the backward pass: marks each node that depends on a differentiated one, and sets the adjoint of the root.
constexpr void begin_reverse(node_table& g, int root, int seed, marks& m, adjoints& adjoint) {
  ++g.backward_passes;
  for (int id = 1; id <= root; ++id) {
    node const& n = g[id];
    if (graph::is_loop(n)) {
      if (int const newly = mark_states(g, id, m)) {
        id = newly;
        continue;
      }
    }
    if (m.at[id] != mark::none) continue;
    if (n.operand[0] == 0) continue;
    int const first = n.op->family == op_family::alias ? 1 : 0;
    for (int k = first; k < 4; ++k)
      if (n.operand[k] != 0 && has_adjoint(m.at[n.operand[k]])) m.at[id] = mark::dependent;
  }
  if (has_adjoint(m.at[root])) adjoint.of[root] = adjoint.scale != 0 ? with_scale(g, root, seed, adjoint) : seed;
}

constexpr void reverse_block(node_table& g, int id, marks& m, adjoints& adjoint);
constexpr void reverse_loop(node_table& g, int loop, marks& m, adjoints& adjoint);

constexpr void add_adjoint(node_table& g, int to, int d, adjoints& adjoint) {
  int& sum = adjoint.of[to];
  if (adjoint.scale != 0) {
    if (is_literal(g, d) && (sum == 0 || is_literal(g, sum))) {
      d = with_scale(g, to, d, adjoint);
    } else {
      if (is_literal(g, d)) d = scaled(g, d, adjoint);
      if (sum != 0 && is_literal(g, sum)) sum = scaled(g, sum, adjoint);
    }
  }
  sum = sum == 0 ? d : operation::emit_sum_of_parts(g, sum, d);
}

/// Adds the pullbacks of the nodes from `newest` down to `oldest`; body: only of those in the body of a loop.
constexpr void reverse_range(node_table& g, int newest, int oldest, marks& m, adjoints& adjoint,
                             graph::loop_nodes const* body = nullptr) {
  bool const within = g.backward;
  g.backward = true;
  for (int id = newest; id >= oldest; --id) {
    if (body != nullptr && !body->has(id)) continue;
    if (graph::is_loop(g[id])) reverse_loop(g, id, m, adjoint);
    if (m.at[id] != mark::dependent || adjoint.of[id] == 0) continue;
    node const n = g[id];
    int const first = n.op->family == op_family::alias ? 1 : 0;
    for (int k = first; k < 4; ++k) {
      int const to = n.operand[k];
      if (to == 0 || !has_adjoint(m.at[to])) continue;
      if (espalier::detail::is_null(n.op->pullback)) {
        if (n.op->block == graph::of_block::result) reverse_block(g, id, m, adjoint);
        continue;
      }
      handle const d = n.op->pullback(g, adjoint.of[id], id, k);
      if (d.id == 0) continue;
      bool const begins = adjoint.scale != 0 && is_literal(g, adjoint.of[id]) && !is_literal(g, d.id);
      add_adjoint(g, to, begins ? scaled(g, d.id, adjoint) : d.id, adjoint);
    }
  }
  g.backward = within;
}

/// Recomputes the nodes of a block from the values that it reads, as separate nodes. They are copied as they are,
/// because the block was simplified when it was traced. Nodes that read nothing that varies stand for themselves:
/// random numbers too, so the masks of a recomputed dropout are those of the forward pass. Updates of buffers are
/// outputs of the forward pass and do not happen again.
class block_copy {
 public:
  /// result  the checkpoint node, which ends the block
  constexpr block_copy(node_table& g, int result, marks& m)
      : g_{g},
        m_{m},
        first_{graph::block_of(g[result])},
        end_{result},
        origin_{g.size},
        copy_{new int[static_cast<std::size_t>(end_ - first_) + 1]{}},
        begin_{new int[static_cast<std::size_t>(end_ - first_) + 1]{}},
        numbers_{new int[static_cast<std::size_t>(g.loop_count) + 1]{}},
        within_{new bool[static_cast<std::size_t>(g.loop_count) + 1]{}} {
    for (int id = first_; id < end_; ++id)
      if (graph::is_loop(g[id])) within_[graph::loop_of(g[id]).number] = true;
  }
  constexpr ~block_copy() {
    delete[] copy_;
    delete[] begin_;
    delete[] numbers_;
    delete[] within_;
  }
  block_copy(block_copy const&) = delete;
  block_copy& operator=(block_copy const&) = delete;

  /// All inputs come first: the planner orders the copies behind the groups that exist there.
  constexpr void run() {
    for (int id = first_; id < end_; ++id)
      if (computed(id))
        for (int const x : g_[id].operand)
          if (x != 0 && !computed(x)) (void)stand_in(x);
    inputs_ = g_.size - origin_;
    for (int id = first_; id < end_; ++id) {
      begin_[id - first_] = g_.size + 1;
      if (computed(id)) copy(id);
    }
    begin_[end_ - first_] = g_.size + 1;
  }
  /// The node that stands for node x in the backward pass; x itself if the block does not compute it.
  constexpr int copy_of(int x) const { return computed(x) && copy_[x - first_] != 0 ? copy_[x - first_] : x; }

  constexpr int first_copy() const { return origin_ + inputs_ + 1; }

  /// While the copies are pulled back, the adjoint of an input is that of its alias: its sum keeps its order.
  constexpr void begin_adjoints(adjoints& a) const {
    for (int id = origin_ + 1; id <= origin_ + inputs_; ++id) {
      int const x = g_[id].operand[0];
      m_.at[id] = has_adjoint(m_.at[x]) ? mark::differentiated : m_.at[x];
      a.of[id] = a.of[x];
    }
  }
  constexpr void end_adjoints(adjoints& a) const {
    for (int id = origin_ + 1; id <= origin_ + inputs_; ++id) a.of[g_[id].operand[0]] = a.of[id];
  }

 private:
  constexpr bool computed(int id) const {
    return id >= first_ && id < end_ && g_[id].operand[0] != 0 && g_[id].op->family != op_family::convert &&
           m_.at[id] != mark::differentiated && !is_of_loop_around(id);
  }
  /// A slice or state of a loop whose step has the block.
  constexpr bool is_of_loop_around(int id) const {
    return graph::is_of_loop(g_[id].op->family) && !within_[graph::loop_of(g_[id]).number];
  }
  constexpr int stand_in(int x) {
    if (x == 0 || computed(x)) return copy_of(x);
    switch (g_[x].op->family) {
      case op_family::label:
      case op_family::hyperparameter:
      case op_family::constant:
      case op_family::random:
      case op_family::column_index:
      case op_family::values:
      case op_family::convert:
        return x;
      default:
        return operation::emit_recompute_from(g_, x, origin_);
    }
  }
  constexpr void copy(int id) {
    node n = g_[id];
    bool const of_loop = graph::is_of_loop(n.op->family);
    bool varies = of_loop;
    for (int& x : n.operand) {
      int const y = stand_in(x);
      varies = varies || y != x;
      x = y;
    }
    if (!varies) return;
    if (n.op->block == graph::of_block::result)
      n.attribute = graph::block_attribute(begin_[graph::block_of(n) - first_]);
    if (of_loop) {
      graph::loop_node l = graph::loop_of(n);
      int& number = numbers_[l.number];
      if (number == 0) number = ++g_.loop_count;
      l.number = number;
      n.attribute = graph::loop_attribute(l);
    }
    int const added = copy_[id - first_] = g_.add(n);
    m_.at[added] = m_.at[id];
  }

  node_table& g_;
  marks& m_;
  int first_, end_;
  int origin_;  ///< the newest node before the recomputation
  int inputs_ = 0;
  int* copy_;     ///< by node of the block; 0: none
  int* begin_;    ///< by node of the block: the first node that is not older than its copy
  int* numbers_;  ///< by loop of the block: the number of its copy
  bool* within_;  ///< by loop: whether the block has it
};

/// Pulls back a block that is recomputed: through the recomputed nodes, so that no value inside the block is kept.
constexpr void reverse_block(node_table& g, int id, marks& m, adjoints& adjoint) {
  int const dy = adjoint.of[id], value = g[id].operand[0];
  block_copy block{g, id, m};
  block.run();
  int const oldest = block.first_copy(), newest = g.size, y = block.copy_of(value);
  add_adjoint(g, y, dy, adjoint);
  block.begin_adjoints(adjoint);
  reverse_range(g, newest, oldest, m, adjoint);
  block.end_adjoints(adjoint);
}

/// The values of a loop in the body of the loop of its backward pass: slices of their stacks, which the loop keeps. A
/// value that costs no more than loading it is computed again.
class saved_values {
 public:
  /// last  the newest node of the forward pass
  constexpr saved_values(node_table& g, int loop, int last, graph::loop_nodes const& body,
                         operation::open_loop const& back)
      : g_{g},
        loop_{loop},
        last_{last},
        body_{body},
        back_{back},
        saved_{new int[static_cast<std::size_t>(last) + 1]{}} {}
  constexpr ~saved_values() { delete[] saved_; }
  saved_values(saved_values const&) = delete;
  saved_values& operator=(saved_values const&) = delete;

  /// What the backward pass reads for node x of the forward pass; x itself if the loop does not compute it.
  constexpr int operator()(int x) const {
    if (x > loop_)
      return is_inner_result(x) ? operation::emit_slice(g_, back_, operation::emit_stack(g_, loop_, x)) : x;
    if (!body_.has(x) || x == 0) return x;
    int& s = saved_[x];
    if (s == 0) s = find(x);
    return s;
  }

  /// Equal nodes are one: a backward pass may find one that an earlier backward pass of the loop emitted.
  constexpr bool is_copied(int x) const { return x > loop_ && x <= last_ && body_.has(x) && !is_inner_result(x); }
  constexpr int oldest(int first) const { return loop_ < first ? loop_ + 1 : first; }

 private:
  /// A result of a loop inside the body that is younger than the loop: a backward pass asked for it.
  constexpr bool is_inner_result(int x) const {
    node const& n = g_[x];
    bool const result = n.op->family == op_family::loop_stack || n.op->family == op_family::loop_final;
    return result && n.operand[0] < loop_ && body_.has(n.operand[0]);
  }
  constexpr int find(int x) const {
    node n = g_[x];
    op_family const f = n.op->family;
    int inside = 0;
    for (int k = 0; k < 4; ++k) inside += n.operand[k] != 0 && body_.has(n.operand[k]) ? 1 : 0;
    if (f == op_family::reshape || f == op_family::broadcast || f == op_family::permute ||
        (f == op_family::elementwise && n.op->cheap && inside == 1)) {
      for (int& y : n.operand) y = y != 0 ? (*this)(y) : 0;
      return g_.add(n);
    }
    return operation::emit_slice(g_, back_, operation::emit_stack(g_, loop_, x));
  }
  node_table& g_;
  int loop_, last_;
  graph::loop_nodes const& body_;
  operation::open_loop back_;
  int* saved_;
};

/// Pulls back a loop: by a loop in the other direction, whose states are the adjoints of the states.
class loop_reversal {
 public:
  constexpr loop_reversal(node_table& g, int loop, marks& m, adjoints& adjoint)
      : g_{g}, loop_{loop}, m_{m}, outside_{adjoint}, facts_{graph::loop_of(g[loop])}, newest_{g.size} {}

  constexpr void run() {
    if (!has_adjoints()) return;
    // Only another backward pass leaves nodes that read the body behind the loop.
    int const last = g_.backward_passes > 1 ? newest_ : loop_;
    graph::loop_nodes const body{g_, loop_, last};
    auto* const within = new adjoints{};
    back_ = operation::begin_loop(g_, facts_.steps, !facts_.backwards, graph::count_of_loop(g_, loop_));
    state* const states = begin(*within);
    reverse_range(g_, last, body.first(), m_, *within, &body);
    end(body, *within, states);
    delete[] states;
    delete within;
  }

 private:
  /// A state whose adjoint is computed; before and after a step of the backward pass.
  struct state {
    int of, before, after;
  };
  /// Calls f(result) for the results with an adjoint that are of one kind.
  template <class F>
  constexpr void for_each_result(op_family kind, F&& f) const {
    graph::for_each_result(g_, facts_.number, [&](int id) {
      if (id <= newest_ && g_[id].op->family == kind && outside_.of[id] != 0) f(id);
    });
  }
  constexpr bool has_adjoints() const {
    bool found = false;
    for_each_result(op_family::loop_stack, [&](int) { found = true; });
    for_each_result(op_family::loop_final, [&](int) { found = true; });
    return found;
  }
  constexpr int adjoint_of_final(int state) const {
    int adjoint = 0;
    for_each_result(op_family::loop_final, [&](int id) {
      if (adjoint == 0 && g_[id].operand[1] == state) adjoint = outside_.of[id];
    });
    return adjoint != 0 ? adjoint : operation::emit_constant(g_, 0, g_[state].shape).id;
  }

  /// Adds the states of the backward pass, and the adjoints that come from outside: those of states after the step and
  /// of stacked values.
  constexpr state* begin(adjoints& within) {
    graph::for_each_state(g_, loop_, [&](int s, int, int) { count_ += has_adjoint(m_.at[s]) ? 1 : 0; });
    auto* const states = new state[static_cast<std::size_t>(count_) + 1]{};
    int k = 0;
    graph::for_each_state(g_, loop_, [&](int s, int next, int) {
      if (!has_adjoint(m_.at[s])) return;
      int const initial = adjoint_of_final(s);
      states[k] = {s, operation::emit_state(g_, back_, initial, k), 0};
      if (has_adjoint(m_.at[next])) add_adjoint(g_, next, states[k].before, within);
      ++k;
    });
    for_each_result(op_family::loop_stack, [&](int id) {
      if (has_adjoint(m_.at[g_[id].operand[1]]))
        add_adjoint(g_, g_[id].operand[1], operation::emit_slice(g_, back_, outside_.of[id]), within);
    });
    return states;
  }

  /// Ends the backward loop. Adjoints of sequences are stacked; those of values that all steps share are summed: after
  /// the loop or, if a checkpoint keeps them in the steps, by a state of the loop.
  constexpr void end(graph::loop_nodes const& body, adjoints const& within, state* states) {
    auto const ids = [](int count) { return new int[static_cast<std::size_t>(count) + 1]{}; };
    int *const to = ids(newest_), *const root = ids(newest_);
    int *const before = ids(count_ + newest_), *const after = ids(count_ + newest_);
    for (int k = 0; k < count_; ++k) {
      int const d = within.of[states[k].of];
      before[k] = states[k].before;
      after[k] = d != 0 ? d : operation::emit_constant(g_, 0, g_[states[k].of].shape).id;
    }
    int roots = 0;
    auto const add = [&](int target, int id) {
      to[roots] = target;
      root[roots++] = within.of[id];
    };
    int* const shared = ids(newest_);  // values that all steps share
    int shared_count = 0;
    for (int id = 1; id <= newest_; ++id) {
      if (within.of[id] == 0) continue;
      if (!body.has(id)) shared[shared_count++] = id;
      else if (g_[id].op->family == op_family::loop_slice && graph::loop_of(g_[id]).number == facts_.number &&
               has_adjoint(m_.at[g_[id].operand[0]]))
        add(g_[id].operand[0], id);
    }
    int const sequences = roots;
    operation::kept_in_steps const kept{g_, back_.first, g_.size};
    int* const total = ids(newest_);
    int totals = 0;
    for (int i = 0; i < shared_count; ++i) {
      int const id = shared[i];
      if (kept.has(within.of[id])) total[totals++] = id;
      else add(id, id);
    }
    for (int k = count_; k < count_ + totals; ++k) {
      int const d = within.of[total[k - count_]];
      before[k] = operation::emit_state(g_, back_, operation::emit_constant(g_, 0, g_[d].shape).id, k);
      after[k] = (handle{&g_, before[k]} + handle{&g_, d}).id;
    }
    saved_values const saved{g_, loop_, newest_, body, back_};
    operation::loop_builder builder{g_, back_};
    builder.close(before, after, count_ + totals, root, roots, saved);
    builder.stack(root, sequences, saved);
    builder.sum(root + sequences, roots - sequences, saved);
    for (int i = 0; i < roots; ++i) add_adjoint(g_, to[i], root[i], outside_);
    for (int k = 0; k < count_; ++k) {
      int const initial = g_[states[k].of].operand[0];
      if (has_adjoint(m_.at[initial]))
        add_adjoint(g_, initial, operation::emit_final(g_, builder.loop(), before[k]), outside_);
    }
    for (int k = count_; k < count_ + totals; ++k)
      add_adjoint(g_, total[k - count_], operation::emit_final(g_, builder.loop(), before[k]), outside_);
    delete[] total;
    delete[] shared;
    delete[] after;
    delete[] before;
    delete[] root;
    delete[] to;
  }

  node_table& g_;
  int loop_;
  marks& m_;
  adjoints& outside_;
  graph::loop_node facts_;
  int newest_;  ///< the newest node before the backward pass of the loop
  operation::open_loop back_{};
  int count_ = 0;
};
constexpr void reverse_loop(node_table& g, int loop, marks& m, adjoints& adjoint) {
  loop_reversal{g, loop, m, adjoint}.run();
}

/// Adds the backward pass to the program, from `root` with the adjoint `seed`, in one sweep from the newest node to the
/// oldest. Pullbacks are called through the nodes' descriptors, so this also works on a program under construction: a
/// second derivative is the same call again.
constexpr void reverse(node_table& g, int root, int seed, marks& m, adjoints& adjoint) {
  begin_reverse(g, root, seed, m, adjoint);
  reverse_range(g, root, 1, m, adjoint);
}

/// A backward pass in progress. A program definition with a backward pass declares
///   static constexpr backward_pass begin()                the program's forward pass, marked, with the root's adjoint
///   static constexpr program end(backward_pass const&)    the program with its outputs
struct backward_pass {
  graph::program program;
  marks m;
  adjoints adjoint;
  int root;
};

/// The number of nodes that are pulled back in one constant evaluation: clang's default limit of a million steps is
/// enough for several thousand, and for a few hundred of a program with loops.
constexpr int backward_piece(bool has_loops) { return has_loops ? 256 : 2048; }

template <class Program>
inline constexpr backward_pass begun = Program::begin();
constexpr backward_pass reverse_piece(backward_pass const& before, int number, int piece) {
  backward_pass r = before;
  int const newest = r.root - number * piece, oldest = newest - piece + 1;
  reverse_range(r.program.nodes, newest, oldest > 1 ? oldest : 1, r.m, r.adjoint);
  return r;
}
/// The pass after `Pieces` pieces. Each piece is a variable, and so an evaluation, of its own.
template <class Program, int Piece, int Pieces>
inline constexpr backward_pass reversed = reverse_piece(reversed<Program, Piece, Pieces - 1>, Pieces - 1, Piece);
template <class Program, int Piece>
inline constexpr backward_pass reversed<Program, Piece, 0> = begun<Program>;

/// The complete program of a definition, with its backward pass. A short program is reversed in one evaluation. Nodes:
/// those of the forward pass.
template <class Program, int Nodes, bool HasLoops>
constexpr program with_backward() {
  constexpr int piece = backward_piece(HasLoops);
  if constexpr (Nodes <= piece) {
    backward_pass r = Program::begin();
    reverse_range(r.program.nodes, r.root, 1, r.m, r.adjoint);
    return Program::end(r);
  } else {
    return Program::end(reversed<Program, piece, (Nodes + piece - 1) / piece>);
  }
}

}  // namespace espalier::derivative
#include "../base/diagnostics_pop.hpp"
