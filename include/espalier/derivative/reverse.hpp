// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../operation/add.hpp"
#include "../operation/checkpoint.hpp"

#include "../base/diagnostics_push.hpp"
/// Reverse-mode differentiation of programs: adds the nodes of the backward pass.
namespace espalier::derivative {

using graph::node, graph::program;

/// The adjoint of each node of a program; 0 if it has none.
struct adjoints {
  int of[graph::capacity];
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

/// Prepares the backward pass: marks each node that depends on a differentiated one, and sets the adjoint of the root.
constexpr void begin_reverse(node_table const& g, int root, int seed, marks& m, adjoints& adjoint) {
  for (int id = 1; id <= root; ++id) {
    if (m.at[id] != mark::none) continue;
    node const& n = g[id];
    if (n.operand[0] == 0) continue;
    int const first = n.op->family == op_family::alias ? 1 : 0;
    for (int k = first; k < 4; ++k)
      if (n.operand[k] != 0 && has_adjoint(m.at[n.operand[k]])) m.at[id] = mark::dependent;
  }
  if (has_adjoint(m.at[root])) adjoint.of[root] = seed;
}

constexpr void reverse_block(node_table& g, int id, marks& m, adjoints& adjoint);

/// Adds the pullbacks of the nodes from `newest` down to `oldest`.
constexpr void reverse_range(node_table& g, int newest, int oldest, marks& m, adjoints& adjoint) {
  bool const within = g.backward;
  g.backward = true;
  for (int id = newest; id >= oldest; --id) {
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
      int& sum = adjoint.of[to];
      sum = sum == 0 ? d.id : (handle{&g, sum} + d).id;
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
        begin_{new int[static_cast<std::size_t>(end_ - first_) + 1]{}} {}
  constexpr ~block_copy() {
    delete[] copy_;
    delete[] begin_;
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
           m_.at[id] != mark::differentiated;
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
    bool varies = false;
    for (int& x : n.operand) {
      int const y = stand_in(x);
      varies = varies || y != x;
      x = y;
    }
    if (!varies) return;
    if (n.op->block == graph::of_block::result)
      n.attribute = graph::block_attribute(begin_[graph::block_of(n) - first_]);
    int const added = copy_[id - first_] = g_.add(n);
    m_.at[added] = m_.at[id];
  }

  node_table& g_;
  marks& m_;
  int first_, end_;
  int origin_;  ///< the newest node before the recomputation
  int inputs_ = 0;
  int* copy_;   ///< by node of the block; 0: none
  int* begin_;  ///< by node of the block: the first node that is not older than its copy
};

/// Pulls back a block that is recomputed: through the recomputed nodes, so that no value inside the block is kept.
constexpr void reverse_block(node_table& g, int id, marks& m, adjoints& adjoint) {
  int const dy = adjoint.of[id], value = g[id].operand[0];
  block_copy block{g, id, m};
  block.run();
  int const oldest = block.first_copy(), newest = g.size, y = block.copy_of(value);
  int& sum = adjoint.of[y];
  sum = sum == 0 ? dy : (handle{&g, sum} + handle{&g, dy}).id;
  block.begin_adjoints(adjoint);
  reverse_range(g, newest, oldest, m, adjoint);
  block.end_adjoints(adjoint);
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
/// enough for several thousand.
inline constexpr int backward_piece = 2048;

template <class Program>
inline constexpr backward_pass begun = Program::begin();
constexpr backward_pass reverse_piece(backward_pass const& before, int number) {
  backward_pass r = before;
  int const newest = r.root - number * backward_piece, oldest = newest - backward_piece + 1;
  reverse_range(r.program.nodes, newest, oldest > 1 ? oldest : 1, r.m, r.adjoint);
  return r;
}
/// The pass after `Pieces` pieces. Each piece is a variable, and so an evaluation, of its own.
template <class Program, int Pieces>
inline constexpr backward_pass reversed = reverse_piece(reversed<Program, Pieces - 1>, Pieces - 1);
template <class Program>
inline constexpr backward_pass reversed<Program, 0> = begun<Program>;

/// The complete program of a definition, with its backward pass. A short program is reversed in one evaluation. Nodes:
/// those of the forward pass.
template <class Program, int Nodes>
constexpr program with_backward() {
  if constexpr (Nodes <= backward_piece) {
    backward_pass r = Program::begin();
    reverse_range(r.program.nodes, r.root, 1, r.m, r.adjoint);
    return Program::end(r);
  } else {
    return Program::end(reversed<Program, (Nodes + backward_piece - 1) / backward_piece>);
  }
}

}  // namespace espalier::derivative
#include "../base/diagnostics_pop.hpp"
