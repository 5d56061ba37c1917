// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../nest_facts.hpp"
#include "draw.hpp"
#include "element.hpp"
#include "kernel.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// The lanes of a fused group on a graphics processor: what kernels along rows and kernels down columns share. A thread works on chunks, V neighbours of
/// one row; a line is a row or a column, whichever a sweep runs along.
namespace espalier::on_cuda {

using fused::leaf_kind;
using fused::place;

namespace detail {

using namespace fused::detail;

/// For parameters that an empty expansion leaves unread.
template <class... X>
ESPALIER_EVERYWHERE constexpr void unused(X const&...) {}

/// One element to compute with, and back.
template <class T>
ESPALIER_EVERYWHERE ESPALIER_INLINE compute_type<T> load_one(T const* from) {
  return static_cast<compute_type<T>>(*from);
}
template <class T>
ESPALIER_EVERYWHERE ESPALIER_INLINE void store_one(T* to, compute_type<T> x) {
  *to = static_cast<T>(x);
}

/// The widest chunk of 16 bytes at most that a run of elements is a multiple of.
template <class T>
constexpr int chunk_width(std::int64_t run) {
  int v = 16 / static_cast<int>(sizeof(T));
  while (run % v != 0) v /= 2;
  return v;
}
constexpr int power_of_two_from(std::int64_t n) {
  int p = 1;
  while (p < n) p *= 2;
  return p;
}
constexpr std::int64_t ceil_divide(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace detail

/// Inner: the place of what is fixed along a line. Spare: rows of costly values that a thread may keep (-1: none).
template <place Inner, class T, int V, int Spare, class Steps, class Leaves, class Outputs>
struct nest {
  using number = compute_type<T>;
  using values = pack<number, V>;
  /// What is known of a line: one number along a row, one for each of V columns.
  using line_type = std::conditional_t<Inner == place::row, number, values>;
  using facts = fused::nest_facts<Inner, Spare, Steps, Leaves, Outputs>;
  static constexpr int steps = facts::steps, leaves = facts::leaves, outputs = facts::outputs;
  static constexpr std::size_t step_room = static_cast<std::size_t>(steps), leaf_room = static_cast<std::size_t>(leaves) + 1;
  using leaf_numbers = std::make_integer_sequence<int, leaves>;

  /// Reductions of full values in sweep s whose result lies at a place.
  static constexpr fused::detail::bits reduced(int s, place where) { return facts::reduced(s) & facts::steps_at(where); }
  /// Reductions of numbers of lines to single numbers.
  static constexpr fused::detail::bits reduced_lines = [] {
    fused::detail::bits r = 0;
    for (int i = 0; i < steps; ++i)
      if (facts::step_at[i].where == place::single && facts::reduces_lines(i)) r |= fused::detail::bit(i);
    return r;
  }();
  /// How many members of a set come before member I.
  template <fused::detail::bits Set, int I>
  static constexpr int position = fused::detail::count(Set & (fused::detail::bit(I) - 1));

  /// What leaf K has in memory.
  template <int K>
  using stored_type = std::conditional_t<facts::leaf_at[K].what == leaf_kind::integer, std::int32_t, std::conditional_t<facts::leaf_at[K].what == leaf_kind::flag, bool, T>>;
  template <int K>
  static constexpr bool is_drawn = facts::leaf_at[K].what == leaf_kind::draw;
  /// Leaves that are random numbers: which of the program's draws they are is a number of the table.
  static constexpr int draws = [] {
    int n = 0;
    for (int k = 0; k < leaves; ++k) n += facts::leaf_at[k].what == leaf_kind::draw;
    return n;
  }();
  static constexpr int draw_number(int leaf) {
    int n = 0;
    for (int k = 0; k < leaf; ++k) n += facts::leaf_at[k].what == leaf_kind::draw;
    return n;
  }
  /// What a kernel promises of its widest accesses: bytes of a chunk, where it reads or writes some element for element.
  static constexpr int chunk_bytes = V * static_cast<int>(sizeof(T));
  static constexpr bool loads_chunks = [] {
    for (int k = 0; k < leaves; ++k)
      if (facts::leaf_at[k].what == leaf_kind::memory && facts::leaf_at[k].where == place::full) return true;
    return false;
  }();
  static constexpr bool stores_chunks = [] {
    for (int k = 0; k < outputs; ++k)
      if (facts::step_at[facts::output_at[k].step].where == place::full) return true;
    return false;
  }();
  /// Elements i ... of leaf K, in numbers to compute with.
  template <int K, int W, class Table, class I>
  ESPALIER_EVERYWHERE static pack<number, W> load_some(Table const& t, I i) {
    if constexpr (is_drawn<K>) {
      return drawn_some<W>(static_cast<fused::random_state const*>(t.pointer[K]), t.number[draw_number(K)], static_cast<index32>(i));
    } else if constexpr (std::is_same_v<stored_type<K>, T>) {
      return load<T, W>(static_cast<T const*>(t.pointer[K]) + i);
    } else {
      pack<stored_type<K>, W> const x = fetch<stored_type<K>, W>(static_cast<stored_type<K> const*>(t.pointer[K]) + i);
      pack<number, W> r;
      ESPALIER_UNROLL
      for (int v = 0; v < W; ++v) r.at[v] = static_cast<number>(x.at[v]);
      return r;
    }
  }
  template <int K, class Table, class I>
  ESPALIER_EVERYWHERE static number load_element(Table const& t, I i) {
    if constexpr (is_drawn<K>) return load_some<K, 1>(t, i).at[0];
    else return static_cast<number>(static_cast<stored_type<K> const*>(t.pointer[K])[i]);
  }
  /// Numbers i ... of a draw. Four belong to one block of Philox.
  template <int W>
  ESPALIER_EVERYWHERE static pack<number, W> drawn_some(fused::random_state const* state, std::uint64_t attribute, index32 i) {
    pack<number, W> r;
    if constexpr (W % 4 == 0) {
      ESPALIER_UNROLL
      for (int k = 0; k < W / 4; ++k) {
        pack<number, 4> const x = drawn<T>(state, attribute, i + static_cast<index32>(4 * k));
        ESPALIER_UNROLL
        for (int v = 0; v < 4; ++v) r.at[4 * k + v] = x.at[v];
      }
    } else {
      pack<number, 4> const x = drawn<T>(state, attribute, i & ~index32{3});
      index32 const first = i & 3;
      ESPALIER_UNROLL
      for (int v = 0; v < W; ++v) {
        index32 const n = first + static_cast<index32>(v);
        r.at[v] = n == 0 ? x.at[0] : n == 1 ? x.at[1] : n == 2 ? x.at[2] : x.at[3];
      }
    }
    return r;
  }

  template <int K, place Where>
  static constexpr bool memory_at = facts::is_memory(K, Where);
  /// Is leaf K read chunk by chunk: element for element, or what differs from line to line of the other direction?
  template <int K>
  static constexpr bool is_wide = is_drawn<K> || (facts::is_memory(K, facts::leaf_at[K].where) && !facts::held(K));
  /// Does a step of sweep S read leaf k chunk by chunk?
  static constexpr bool reads(int s, int k) {
    for (int i = 0; i < steps; ++i) {
      bool const runs = (facts::plan.needed[s] >> i & 1u && !facts::comes_back(s, i)) || facts::reduces(s, i);
      for (int o : facts::step_at[i].operand)
        if (runs && o == -1 - k) return true;
    }
    return false;
  }
  template <int I>
  ESPALIER_EVERYWHERE static constexpr number identity() {
    constexpr double e = facts::identity_at[I];
    return static_cast<number>(e);
  }

  ESPALIER_EVERYWHERE static values spread(number x) {
    values r;
    ESPALIER_UNROLL
    for (int v = 0; v < V; ++v) r.at[v] = x;
    return r;
  }
  template <class X>
    requires std::is_same_v<X, values>
  ESPALIER_EVERYWHERE static values spread(X const& x) {
    return x;
  }
  template <int K>
  ESPALIER_EVERYWHERE static constexpr number constant() {
    constexpr double c = std::bit_cast<double>(facts::bits_at[K]);
    return static_cast<number>(c);
  }

  template <class Op, int Arity>
  ESPALIER_EVERYWHERE static number apply(number a, [[maybe_unused]] number b, [[maybe_unused]] number c) {
    if constexpr (std::is_same_v<Op, fused::copy_op>) return a;
    else if constexpr (Arity == 1) return static_cast<number>(rule<Op>::apply(a));
    else if constexpr (Arity == 2) return static_cast<number>(rule<Op>::apply(a, b));
    else return static_cast<number>(rule<Op>::apply(a, b, c));
  }
  template <class Op, int Arity>
  ESPALIER_EVERYWHERE static values apply(values const& a, values const& b, values const& c) {
    values r;
    ESPALIER_UNROLL
    for (int v = 0; v < V; ++v) r.at[v] = apply<Op, Arity>(a.at[v], b.at[v], c.at[v]);
    return r;
  }
  template <class Op>
  ESPALIER_EVERYWHERE static number combine(number a, number b) {
    return static_cast<number>(rule<Op>::combine(a, b));
  }
  template <class Op>
  ESPALIER_EVERYWHERE static values combine(values const& a, values const& b) {
    values r;
    ESPALIER_UNROLL
    for (int v = 0; v < V; ++v) r.at[v] = combine<Op>(a.at[v], b.at[v]);
    return r;
  }
  template <class Op>
  ESPALIER_EVERYWHERE static number combine_within(values const& a) {
    number r = a.at[0];
    ESPALIER_UNROLL
    for (int v = 1; v < V; ++v) r = combine<Op>(r, a.at[v]);
    return r;
  }

  /// Operand X of a full step. t: the chunk's values; in: its leaves; column: of its first element.
  template <int X>
  ESPALIER_EVERYWHERE static values read(values const* t, values const* in, line_type const* lines, line_type const* held, int column) {
    if constexpr (X >= 0) {
      if constexpr (facts::step_at[X].where == place::full) return t[X];
      else return spread(lines[X]);
    } else {
      constexpr int k = -1 - X;
      if constexpr (facts::leaf_at[k].what == leaf_kind::constant) return spread(constant<k>());
      else if constexpr (facts::held(k)) return spread(held[k]);
      else if constexpr (facts::leaf_at[k].what == leaf_kind::column_index) {
        values r;
        ESPALIER_UNROLL
        for (int v = 0; v < V; ++v) r.at[v] = static_cast<number>(column + v);
        return r;
      } else return in[k];
    }
  }
  template <class Op, place W, int A, int B, int C>
  ESPALIER_EVERYWHERE static values value(fused::step<Op, W, A, B, C>, values const* t, values const* in, line_type const* lines, line_type const* held, int column) {
    constexpr int arity = fused::detail::arity_of<Op>();
    values const a = read<A>(t, in, lines, held, column);
    if constexpr (arity == 1) return apply<Op, 1>(a, a, a);
    else if constexpr (arity == 2) return apply<Op, 2>(a, read<B>(t, in, lines, held, column), a);
    else return apply<Op, 3>(a, read<B>(t, in, lines, held, column), read<C>(t, in, lines, held, column));
  }

  /// Operand X of a value that is fixed along a line, or of a single number.
  template <class N, int X>
  ESPALIER_EVERYWHERE static N fixed(N const* lines, N const* held) {
    if constexpr (X >= 0) return lines[X];
    else if constexpr (facts::leaf_at[-1 - X].what == leaf_kind::constant) {
      if constexpr (std::is_same_v<N, number>) return constant<-1 - X>();
      else return spread(constant<-1 - X>());
    } else return held[-1 - X];
  }
  template <class N, class Op, place W, int A, int B, int C>
  ESPALIER_EVERYWHERE static N fixed_value(fused::step<Op, W, A, B, C>, N const* lines, N const* held) {
    constexpr int arity = fused::detail::arity_of<Op>();
    N const a = fixed<N, A>(lines, held);
    if constexpr (arity == 1) return apply<Op, 1>(a, a, a);
    else if constexpr (arity == 2) return apply<Op, 2>(a, fixed<N, B>(lines, held), a);
    else return apply<Op, 3>(a, fixed<N, B>(lines, held), fixed<N, C>(lines, held));
  }
};

/// The op of a step type.
template <class Step>
struct op_of_step;
template <class Op, place W, int A, int B, int C>
struct op_of_step<fused::step<Op, W, A, B, C>> {
  using type = Op;
  static constexpr int first = A;
};

}  // namespace espalier::on_cuda
#pragma GCC diagnostic pop
