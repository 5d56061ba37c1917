// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../kernel_schedule.hpp"
#include "../../line_estimate.hpp"
#include "../../offset_in_row.hpp"
#include "random.hpp"
#include "load_store.hpp"
#include "kernel.hpp"

/// What kernels along rows and kernels down columns share: operands, instructions and sums of a fused group. A thread
/// processes chunks, V neighbours of one row. A line is a row or a column, in the direction of the group's sweeps.
namespace espalier::on_cuda {

using on_device::operand_kind;
using on_device::extent_class;

namespace detail {

using namespace on_device::detail;

/// Avoids warnings about parameters that are unused if a pack expansion is empty.
template <class... X>
ESPALIER_HOST_DEVICE constexpr void unused(X const&...) {}

/// Loads one element as a number to compute with, and stores it back.
template <class T>
ESPALIER_HOST_DEVICE ESPALIER_INLINE compute_type<T> load_one(T const* from) {
  return static_cast<compute_type<T>>(*from);
}
template <class T>
ESPALIER_HOST_DEVICE ESPALIER_INLINE void store_one(T* to, compute_type<T> x) {
  *to = static_cast<T>(x);
}

constexpr int power_of_two_from(std::int64_t n) {
  int p = 1;
  while (p < n) p *= 2;
  return p;
}
constexpr std::int64_t ceil_divide(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The multiprocessors of a large device.
inline constexpr int multiprocessors = 132;
/// The most blocks that store partial sums, which loop over rows to accumulate them.
inline constexpr int max_persistent_blocks = 4 * multiprocessors;
/// The most blocks, or clusters, that store sums over all elements.
inline constexpr int max_single_blocks = 4096;

}  // namespace detail

/// The op of an instruction type, and its first operand.
template <class Instruction>
struct op_of_instruction;
template <class Op, extent_class W, int A, int B, int C>
struct op_of_instruction<on_device::instruction<Op, W, A, B, C>> {
  using type = Op;
  static constexpr int first = A;
};

/// Base of the kernels of a fused group. Line: as in on_device::kernel_schedule. Spare: rows of
/// expensive values that a thread may keep (-1: none).
template <extent_class Line, class T, int V, int Spare, class Instructions, class Operands, class Outputs>
struct loop_kernel_base {
  using number = compute_type<T>;
  using values = pack<number, V>;
  /// The type of line statistics: one number for a row, V numbers for V columns.
  using line_type = std::conditional_t<Line == extent_class::row, number, values>;
  using facts = on_device::kernel_schedule<Line, Spare, Instructions, Operands, Outputs>;
  static constexpr int instructions = facts::instructions, operands = facts::operands, outputs = facts::outputs;
  static constexpr std::size_t instruction_room = static_cast<std::size_t>(instructions),
                               operand_room = static_cast<std::size_t>(operands) + 1;
  using operand_indices = std::make_integer_sequence<int, operands>;

  /// Reductions of line statistics to single numbers.
  static constexpr on_device::detail::bits reduced_lines = facts::reduced_lines();
  /// The number of members of a set before member I.
  template <on_device::detail::bits Set, int I>
  static constexpr int position = on_device::detail::count(Set&(on_device::detail::bit(I) - 1));

  /// The element type of operand K in memory.
  template <int K>
  using stored_type = std::conditional_t<
      facts::operand_at[K].kind == operand_kind::integer, std::int32_t,
      std::conditional_t<facts::operand_at[K].kind == operand_kind::flag, bool,
                         std::conditional_t<facts::operand_at[K].kind == operand_kind::wide_number, number, T>>>;
  template <int K>
  static constexpr bool is_random = facts::operand_at[K].kind == operand_kind::random;
  /// The number of random operands. The table has a stream number for each.
  static constexpr int random_operands = on_device::detail::count(facts::random_operands());
  static constexpr int random_index(int operand) {
    return on_device::detail::count(facts::random_operands() & (on_device::detail::bit(operand) - 1));
  }
  /// Bytes of the widest access that a kernel guarantees: a chunk, if it loads or stores a full value.
  static constexpr int chunk_bytes = V * static_cast<int>(sizeof(T));
  static constexpr bool loads_chunks = facts::full_numbers() != 0, stores_chunks = facts::full_results() > 0;
  /// Loads elements i ... i + W - 1 of operand K as numbers to compute with.
  template <int K, int W, class Table, class I>
  ESPALIER_HOST_DEVICE static pack<number, W> load_some(Table const& t, I i) {
    if constexpr (is_random<K>) {
      return random_pack<W>(static_cast<on_device::random_state const*>(t.pointer[K]), t.number[random_index(K)],
                            static_cast<index32>(i));
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
  ESPALIER_HOST_DEVICE static number load_element(Table const& t, I i) {
    if constexpr (is_random<K>) return load_some<K, 1>(t, i).at[0];
    else return static_cast<number>(static_cast<stored_type<K> const*>(t.pointer[K])[i]);
  }
  /// Random numbers i ... i + W - 1 of a stream. A block of Philox has four.
  template <int W>
  ESPALIER_HOST_DEVICE static pack<number, W> random_pack(on_device::random_state const* state, std::uint64_t stream,
                                                          index32 i) {
    pack<number, W> r;
    if constexpr (W % 4 == 0) {
      ESPALIER_UNROLL
      for (int k = 0; k < W / 4; ++k) {
        pack<number, 4> const x = random_numbers<T>(state, stream, i + static_cast<index32>(4 * k));
        ESPALIER_UNROLL
        for (int v = 0; v < 4; ++v) r.at[4 * k + v] = x.at[v];
      }
    } else {
      pack<number, 4> const x = random_numbers<T>(state, stream, i & ~index32{3});
      index32 const first = i & 3;
      ESPALIER_UNROLL
      for (int v = 0; v < W; ++v) {
        index32 const n = first + static_cast<index32>(v);
        r.at[v] = n == 0 ? x.at[0] : n == 1 ? x.at[1] : n == 2 ? x.at[2] : x.at[3];
      }
    }
    return r;
  }

  template <int K, extent_class Extent>
  static constexpr bool memory_at = facts::is_memory(K, Extent);
  /// Whether operand K is loaded for each chunk: full operands, and those that vary along the line.
  template <int K>
  static constexpr bool is_wide = is_random<K> || (facts::is_memory(K, facts::operand_at[K].extent) && !facts::held(K));
  /// Whether an instruction of sweep s reads operand k.
  static constexpr bool reads(int s, int k) { return on_device::detail::has(facts::operands_read(s), k); }
  template <int I>
  ESPALIER_HOST_DEVICE static constexpr number identity() {
    constexpr double e = facts::identity_at[I];
    return static_cast<number>(e);
  }

  ESPALIER_HOST_DEVICE static values broadcast(number x) {
    values r;
    ESPALIER_UNROLL
    for (int v = 0; v < V; ++v) r.at[v] = x;
    return r;
  }
  template <class X>
    requires(std::is_same_v<X, values>)
  ESPALIER_HOST_DEVICE static values broadcast(X const& x) { return x; }
  template <int K>
  ESPALIER_HOST_DEVICE static constexpr number constant() {
    constexpr double c = graph::constant_in(facts::bits_at[K]);
    return static_cast<number>(c);
  }

  template <class Op, int Arity>
  ESPALIER_HOST_DEVICE static number apply(number a, [[maybe_unused]] number b, [[maybe_unused]] number c) {
    if constexpr (std::is_same_v<Op, on_device::copy_op>) return a;
    else if constexpr (Arity == 1) return static_cast<number>(rule<Op>::apply(a));
    else if constexpr (Arity == 2) return static_cast<number>(rule<Op>::apply(a, b));
    else return static_cast<number>(rule<Op>::apply(a, b, c));
  }
  template <class Op, int Arity>
  ESPALIER_HOST_DEVICE static values apply(values const& a, values const& b, values const& c) {
    values r;
    ESPALIER_UNROLL
    for (int v = 0; v < V; ++v) r.at[v] = apply<Op, Arity>(a.at[v], b.at[v], c.at[v]);
    return r;
  }
  template <class Op>
  ESPALIER_HOST_DEVICE static number combine(number a, number b) {
    return static_cast<number>(rule<Op>::combine(a, b));
  }
  template <class Op>
  ESPALIER_HOST_DEVICE static values combine(values const& a, values const& b) {
    values r;
    ESPALIER_UNROLL
    for (int v = 0; v < V; ++v) r.at[v] = combine<Op>(a.at[v], b.at[v]);
    return r;
  }
  template <class Op>
  ESPALIER_HOST_DEVICE static number combine_within(values const& a) {
    number r = a.at[0];
    ESPALIER_UNROLL
    for (int v = 1; v < V; ++v) r = combine<Op>(r, a.at[v]);
    return r;
  }

  /// Combines one number of each of `Lanes` neighbouring lanes: every lane has the result.
  template <class Op, int Lanes = 32, class Context>
  ESPALIER_HOST_DEVICE static number combine_lanes(Context const& c, number x) {
    ESPALIER_UNROLL
    for (int mask = Lanes / 2; mask > 0; mask /= 2) x = combine<Op>(x, c.shuffle_xor(x, mask));
    return x;
  }

  /// Operand X of a full instruction. v: the chunk's values; in: its operands; column: of its first element.
  template <int X>
  ESPALIER_HOST_DEVICE static values read(values const* v, values const* in, line_type const* lines,
                                          line_type const* held, int column) {
    if constexpr (X >= 0) {
      if constexpr (facts::instruction_at[X].extent == extent_class::full) return v[X];
      else return broadcast(lines[X]);
    } else {
      constexpr int k = -1 - X;
      if constexpr (facts::operand_at[k].kind == operand_kind::constant) return broadcast(constant<k>());
      else if constexpr (facts::held(k)) return broadcast(held[k]);
      else if constexpr (facts::operand_at[k].kind == operand_kind::column_index) {
        values r;
        ESPALIER_UNROLL
        for (int n = 0; n < V; ++n) r.at[n] = static_cast<number>(column + n);
        return r;
      } else return in[k];
    }
  }
  template <class Op, extent_class W, int A, int B, int C>
  ESPALIER_HOST_DEVICE static values value(on_device::instruction<Op, W, A, B, C>, values const* v, values const* in,
                                           line_type const* lines, line_type const* held, int column) {
    constexpr int arity = on_device::detail::arity_of<Op>();
    values const a = read<A>(v, in, lines, held, column);
    if constexpr (arity == 1) return apply<Op, 1>(a, a, a);
    else if constexpr (arity == 2) return apply<Op, 2>(a, read<B>(v, in, lines, held, column), a);
    else return apply<Op, 3>(a, read<B>(v, in, lines, held, column), read<C>(v, in, lines, held, column));
  }

  /// The operand of reduction I.
  template <int I>
  ESPALIER_HOST_DEVICE static values operand_of(values const* v, values const* in, line_type const* lines,
                                                line_type const* held, int column) {
    return read<op_of_instruction<typename facts::template instruction_type<I>>::first>(v, in, lines, held, column);
  }

  // Sums over rows and over all elements, which a thread accumulates over its lines.

  static constexpr on_device::detail::bits column_sum_instructions =
                                               Line == extent_class::row ? facts::column_sums() : 0,
                                           single_sum_instructions = facts::single_sums();
  static constexpr int column_sums = on_device::detail::count(column_sum_instructions),
                       single_sums = on_device::detail::count(single_sum_instructions);
  template <int Chunks>
  struct partial_sums_of {
    values columns[static_cast<std::size_t>(column_sums) + 1]
                  [static_cast<std::size_t>(Chunks)];           // (sums over rows, chunks, V)
    number singles[static_cast<std::size_t>(single_sums) + 1];  // (sums over all elements)
  };
  template <int Chunks, int... C, int... N>
  ESPALIER_HOST_DEVICE static void clear(partial_sums_of<Chunks>& sums, std::integer_sequence<int, C...>,
                                         std::integer_sequence<int, N...>) {
    ESPALIER_UNROLL
    for (int k = 0; k < Chunks; ++k)
      ((sums.columns[position<column_sum_instructions, C>][k] = broadcast(identity<C>())), ...);
    ((sums.singles[position<single_sum_instructions, N>] = identity<N>()), ...);
    detail::unused(sums);
  }
  template <int I, int Chunks>
  ESPALIER_HOST_DEVICE static void add_column(values const& x, partial_sums_of<Chunks>& sums, int k) {
    using Op = typename op_of_instruction<typename facts::template instruction_type<I>>::type;
    constexpr int n = position<column_sum_instructions, I>;
    sums.columns[n][k] = combine<Op>(sums.columns[n][k], x);
  }
  template <int I, int Chunks>
  ESPALIER_HOST_DEVICE static void add_single(values const& x, partial_sums_of<Chunks>& sums) {
    using Op = typename op_of_instruction<typename facts::template instruction_type<I>>::type;
    constexpr int n = position<single_sum_instructions, I>;
    sums.singles[n] = combine<Op>(sums.singles[n], combine_within<Op>(x));
  }

  /// Estimates a reduction along a row from three elements. x: the row's first element.
  template <class Op, int Rows, int Columns, int RunLength>
  ESPALIER_HOST_DEVICE static number estimate_row(T const* x) {
    using probed = on_device::probed_elements<Columns>;
    constexpr std::int64_t middle = on_device::offset_in_row(std::int64_t{probed::middle}, Rows, RunLength),
                           last = on_device::offset_in_row(std::int64_t{probed::last}, Rows, RunLength);
    return on_device::estimate_line<Op, Columns>(detail::load_one<T>(x), detail::load_one<T>(x + middle),
                                                 detail::load_one<T>(x + last));
  }

  /// Operand X of a value that is fixed along a line, or of a single number.
  template <class N, int X>
  ESPALIER_HOST_DEVICE static N fixed(N const* lines, N const* held) {
    if constexpr (X >= 0) return lines[X];
    else if constexpr (facts::operand_at[-1 - X].kind == operand_kind::constant) {
      if constexpr (std::is_same_v<N, number>) return constant<-1 - X>();
      else return broadcast(constant<-1 - X>());
    } else return held[-1 - X];
  }
  template <class N, class Op, extent_class W, int A, int B, int C>
  ESPALIER_HOST_DEVICE static N fixed_value(on_device::instruction<Op, W, A, B, C>, N const* lines, N const* held) {
    constexpr int arity = on_device::detail::arity_of<Op>();
    N const a = fixed<N, A>(lines, held);
    if constexpr (arity == 1) return apply<Op, 1>(a, a, a);
    else if constexpr (arity == 2) return apply<Op, 2>(a, fixed<N, B>(lines, held), a);
    else return apply<Op, 3>(a, fixed<N, B>(lines, held), fixed<N, C>(lines, held));
  }
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
