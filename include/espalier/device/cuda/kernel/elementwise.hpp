// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "loop_kernel_base.hpp"

// g++ does not see that a thread computes only chunks that it has loaded: both loops of `block` have one condition.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
namespace espalier::on_cuda {

/// Runs a fused group without sums, element by element. Threads process chunks of 16 bytes, independent of the length
/// of rows. Row and column operands are indexed by the element's number.
/// table   operands, outputs
template <class T, int Rows, int Columns, int Segments, class Instructions, class Operands, class Outputs>
struct elementwise_kernel : loop_kernel_base<extent_class::row, T, full_width<T>, -1, Instructions, Operands, Outputs> {
  static constexpr int width = full_width<T>;
  using base = loop_kernel_base<extent_class::row, T, width, -1, Instructions, Operands, Outputs>;
  using typename base::facts, typename base::operand_indices, typename base::number, typename base::values;
  using base::operands, base::outputs, base::instructions;
  using table = kernel_table<operands + outputs, base::random_operands>;

  static constexpr int rows = Rows, columns = Columns;
  static constexpr std::int64_t size = std::int64_t{Rows} * Columns;
  static constexpr bool is_read(int k) { return on_device::detail::has(facts::operands_read(), k); }
  static constexpr bool loads() { return (facts::full_numbers() & facts::operands_read()) != 0; }
  static constexpr std::int64_t whole = size / width;
  static constexpr int rest = static_cast<int>(size % width), run_length = Columns / Segments;
  static constexpr int load_access = whole > 0 && loads() ? 16 : 0, store_access = whole > 0 && base::stores_chunks ? 16
                                                                                                                    : 0;
  using index = std::conditional_t<(size < std::int64_t{1} << 31), std::int32_t, std::int64_t>;
  /// A thread has several chunks in flight if there are enough chunks for all threads.
  static constexpr int threads = 256, cluster = 1,
                       chunks_per_thread = whole >= std::int64_t{1} << 18   ? 4
                                           : whole >= std::int64_t{1} << 16 ? 2
                                                                            : 1;
  static constexpr std::int64_t chunks_of_block = std::int64_t{threads} * chunks_per_thread;
  static constexpr std::int64_t needed_blocks = detail::ceil_divide(whole > 0 ? whole : 1, chunks_of_block),
                                most_blocks = std::int64_t{1} << 20;
  static constexpr std::int64_t blocks = needed_blocks < most_blocks ? needed_blocks : most_blocks;

  template <class Context>
  ESPALIER_HOST_DEVICE static void run(Context const& c, table const& t) {
    values held[base::operand_room];
    hold_all(t, held, operand_indices{});
    if constexpr (needed_blocks == blocks) {
      block(t, held, static_cast<index>(c.block()) * static_cast<index>(chunks_of_block) + c.thread());
    } else {
      for (std::int64_t b = c.block(); b < needed_blocks; b += blocks)
        block(t, held, static_cast<index>(b * chunks_of_block) + c.thread());
    }
    if constexpr (rest != 0)
      if (c.block() == 0 && c.thread() < rest) last(t, held, static_cast<index>(whole * width) + c.thread());
  }

 private:
  ESPALIER_HOST_DEVICE static index row_of(index i) {
    if constexpr (Segments == 1) return i / Columns;
    else return i / run_length % Rows;
  }
  template <int K>
  ESPALIER_HOST_DEVICE static void hold(table const& t, values* held) {
    if constexpr (base::template memory_at<K, extent_class::single>)
      held[K] = base::broadcast(base::template load_element<K>(t, 0));
    else held[K] = values{};
  }
  template <int... L>
  ESPALIER_HOST_DEVICE static void hold_all(table const& t, values* held, std::integer_sequence<int, L...>) {
    (hold<L>(t, held), ...);
    detail::unused(t, held);
  }
  /// Operand K at elements i ... i + width - 1. A full operand is loaded in one access.
  template <int K>
  ESPALIER_HOST_DEVICE static values operand_chunk(table const& t, values const* held, index i) {
    if constexpr (!is_read(K)) return values{};
    else if constexpr (base::template memory_at<K, extent_class::full> || base::template is_random<K>)
      return base::template load_some<K, width>(t, i);
    else if constexpr (base::template memory_at<K, extent_class::column> && Columns % width == 0)
      return base::template load_some<K, width>(t, i % Columns);
    else if constexpr (base::template memory_at<K, extent_class::row> && run_length % width == 0)
      return base::broadcast(base::template load_element<K>(t, row_of(i)));
    else if constexpr (base::template memory_at<K, extent_class::single>) return held[K];
    else {
      values r;
      ESPALIER_UNROLL
      for (int v = 0; v < width; ++v) r.at[v] = operand_element<K>(t, i + v);
      return r;
    }
  }
  template <int K>
  ESPALIER_HOST_DEVICE static number operand_element(table const& t, index i) {
    if constexpr (!is_read(K)) return number(0);
    else if constexpr (facts::operand_at[K].kind == operand_kind::constant) return base::template constant<K>();
    else if constexpr (facts::operand_at[K].kind == operand_kind::column_index) return static_cast<number>(i % Columns);
    else if constexpr (facts::operand_at[K].extent == extent_class::full) return base::template load_element<K>(t, i);
    else if constexpr (facts::operand_at[K].extent == extent_class::column)
      return base::template load_element<K>(t, i % Columns);
    else if constexpr (facts::operand_at[K].extent == extent_class::row)
      return base::template load_element<K>(t, row_of(i));
    else return base::template load_element<K>(t, 0);
  }

  template <class Op, extent_class W, int A, int B, int C, class N>
  ESPALIER_HOST_DEVICE static N instruction_value(on_device::instruction<Op, W, A, B, C>, N const* v, N const* in) {
    constexpr int arity = on_device::detail::arity_of<Op>();
    N const a = operand<A>(v, in);
    if constexpr (arity == 1) return base::template apply<Op, 1>(a, a, a);
    else if constexpr (arity == 2) return base::template apply<Op, 2>(a, operand<B>(v, in), a);
    else return base::template apply<Op, 3>(a, operand<B>(v, in), operand<C>(v, in));
  }
  template <int X, class N>
  ESPALIER_HOST_DEVICE static N operand(N const* v, N const* in) {
    if constexpr (X >= 0) return v[X];
    else return in[-1 - X];
  }
  template <int I>
  ESPALIER_HOST_DEVICE static void put_chunk(table const& t, values const* v, index i) {
    constexpr int o = facts::output_of(I);
    if constexpr (o >= 0) store<T, width>(static_cast<T*>(t.pointer[operands + o]) + i, v[I]);
    else detail::unused(t, v, i);
  }
  template <int I>
  ESPALIER_HOST_DEVICE static void put_element(table const& t, number const* v, index i) {
    constexpr int o = facts::output_of(I);
    if constexpr (o >= 0) detail::store_one<T>(static_cast<T*>(t.pointer[operands + o]) + i, v[I]);
    else detail::unused(t, v, i);
  }
  struct loaded {
    values at[base::operand_room];  // (operands, width)
  };
  template <int... L>
  ESPALIER_HOST_DEVICE static void load_all(table const& t, values const* held, loaded& in, index i,
                                            std::integer_sequence<int, L...>) {
    ((in.at[L] = operand_chunk<L>(t, held, i)), ...);
    detail::unused(t, held, in, i);
  }
  template <int... I>
  ESPALIER_HOST_DEVICE static void compute(table const& t, loaded const& in, index i,
                                           std::integer_sequence<int, I...>) {
    values v[base::instruction_room];
    ((v[I] = instruction_value(typename facts::template instruction_type<I>{}, v, in.at)), ...);
    (put_chunk<I>(t, v, i), ...);
  }
  /// Issues all loads of a thread first, so that their latencies overlap.
  ESPALIER_HOST_DEVICE static void block(table const& t, values const* held, index first) {
    loaded in[static_cast<std::size_t>(chunks_per_thread)];
    ESPALIER_UNROLL
    for (int k = 0; k < chunks_per_thread; ++k)
      if (first + k * threads < whole) load_all(t, held, in[k], (first + k * threads) * width, operand_indices{});
    ESPALIER_UNROLL
    for (int k = 0; k < chunks_per_thread; ++k)
      if (first + k * threads < whole)
        compute(t, in[k], (first + k * threads) * width, std::make_integer_sequence<int, instructions>{});
  }
  template <int... L, int... I>
  ESPALIER_HOST_DEVICE static void element(table const& t, index i, std::integer_sequence<int, L...>,
                                           std::integer_sequence<int, I...>) {
    number v[base::instruction_room];
    number const in[] = {operand_element<L>(t, i)..., number(0)};
    ((v[I] = instruction_value(typename facts::template instruction_type<I>{}, v, in)), ...);
    (put_element<I>(t, v, i), ...);
  }
  ESPALIER_HOST_DEVICE static void last(table const& t, values const*, index i) {
    element(t, i, operand_indices{}, std::make_integer_sequence<int, instructions>{});
  }
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
