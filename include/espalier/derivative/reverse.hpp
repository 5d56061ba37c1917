// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../operation/add.hpp"

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

/// Adds the pullbacks of the nodes from `newest` down to `oldest`.
constexpr void reverse_range(node_table& g, int newest, int oldest, marks const& m, adjoints& adjoint) {
  bool const within = g.backward;
  g.backward = true;
  for (int id = newest; id >= oldest; --id) {
    if (m.at[id] != mark::dependent || adjoint.of[id] == 0) continue;
    node const n = g[id];
    int const first = n.op->family == op_family::alias ? 1 : 0;
    for (int k = first; k < 4; ++k) {
      int const to = n.operand[k];
      if (to == 0 || !has_adjoint(m.at[to])) continue;
      if (espalier::detail::is_null(n.op->pullback)) continue;
      handle const d = n.op->pullback(g, adjoint.of[id], id, k);
      if (d.id == 0) continue;
      int& sum = adjoint.of[to];
      sum = sum == 0 ? d.id : (handle{&g, sum} + d).id;
    }
  }
  g.backward = within;
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
