// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../operation/add.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::graph {

/// The adjoint of each node of a program; 0 where there is none.
struct adjoints {
  int of[capacity];
};

/// Where reverse stops and what it looks for.
struct marks {
  std::uint8_t at[capacity];  ///< 1: differentiate with respect to it; 2: hold it constant
};

/// Marks what depends on a wanted node: 1 wanted, 2 constant, 3 depends on a wanted one; and gives the root its adjoint.
constexpr void begin_reverse(program_builder const& g, int root, int seed, marks& m, adjoints& adjoint) {
  for (int id = 1; id <= root; ++id) {
    if (m.at[id] != 0) continue;
    node const& n = g[id];
    if (n.operand[0] == 0) continue;
    int const first = n.op->kind == family::alias ? 1 : 0;
    for (int k = first; k < 4; ++k)
      if (n.operand[k] != 0 && (m.at[n.operand[k]] & 1) != 0) m.at[id] = 3;
  }
  if ((m.at[root] & 1) != 0) adjoint.of[root] = seed;
}

/// Adds the pullbacks of the nodes from `newest` down to `oldest`.
constexpr void reverse_range(program_builder& g, int newest, int oldest, marks const& m, adjoints& adjoint) {
  bool const within = g.backward;
  g.backward = true;
  for (int id = newest; id >= oldest; --id) {
    if (m.at[id] != 3 || adjoint.of[id] == 0) continue;
    node const n = g[id];
    int const first = n.op->kind == family::alias ? 1 : 0;
    for (int k = first; k < 4; ++k) {
      int const to = n.operand[k];
      if (to == 0 || (m.at[to] & 1) == 0) continue;
      if (espalier::detail::is_null(n.op->pullback)) continue;
      handle const d = n.op->pullback(g, adjoint.of[id], id, k);
      if (d.id == 0) continue;
      int& sum = adjoint.of[to];
      sum = sum == 0 ? d.id : (handle{&g, sum} + d).id;
    }
  }
  g.backward = within;
}

/// Adds the backward pass to the program, from `root` with the adjoint `seed`, in one sweep over the nodes from the newest to the oldest.
/// Pullbacks are reached through the nodes' descriptors, so it also runs on a program that is still growing: a derivative of a derivative is the
/// same call again.
constexpr void reverse(program_builder& g, int root, int seed, marks& m, adjoints& adjoint) {
  begin_reverse(g, root, seed, m, adjoint);
  reverse_range(g, root, 1, m, adjoint);
}

/// A backward pass under way. A source of programs with one says
///   static constexpr backward_pass begin()                      the program's forward pass, marked, with the root's adjoint
///   static constexpr program end(backward_pass const&)          the program with its outputs
struct backward_pass {
  program traced;
  marks m;
  adjoints adjoint;
  int root;
};

/// How many nodes are pulled back in one evaluation: clang's default budget of a million steps is enough for several thousand.
inline constexpr int backward_piece = 2048;

template <class Source>
inline constexpr backward_pass begun = Source::begin();
constexpr backward_pass reverse_piece(backward_pass const& before, int number) {
  backward_pass r = before;
  int const newest = r.root - number * backward_piece, oldest = newest - backward_piece + 1;
  reverse_range(r.traced.nodes, newest, oldest > 1 ? oldest : 1, r.m, r.adjoint);
  return r;
}
/// The pass after some pieces; each piece is a variable, and so an evaluation, of its own.
template <class Source, int Pieces>
inline constexpr backward_pass reversed = reverse_piece(reversed<Source, Pieces - 1>, Pieces - 1);
template <class Source>
inline constexpr backward_pass reversed<Source, 0> = begun<Source>;

/// The program of a source with its backward pass. A short one is reversed where it stands. Nodes: those of the forward pass.
template <class Source, int Nodes>
constexpr program with_backward() {
  if constexpr (Nodes <= backward_piece) {
    backward_pass r = Source::begin();
    reverse_range(r.traced.nodes, r.root, 1, r.m, r.adjoint);
    return Source::end(r);
  } else {
    return Source::end(reversed<Source, (Nodes + backward_piece - 1) / backward_piece>);
  }
}

}  // namespace espalier::graph
#pragma GCC diagnostic pop
