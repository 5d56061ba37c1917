// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "nest.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::on_cuda {

/// A fused group without sums: each element by itself. Threads take chunks of 16 bytes from the whole as if it were one row, whatever the length of its
/// rows; what belongs to rows and columns is looked up by the element's number.
/// table   leaves, outputs
template <class T, int Rows, int Columns, int Segments, class Steps, class Leaves, class Outputs>
struct map_kernel : nest<place::row, T, 16 / static_cast<int>(sizeof(T)), -1, Steps, Leaves, Outputs> {
  static constexpr int width = 16 / static_cast<int>(sizeof(T));
  using base = nest<place::row, T, width, -1, Steps, Leaves, Outputs>;
  using typename base::facts, typename base::leaf_numbers, typename base::number, typename base::values;
  using base::leaves, base::outputs, base::steps;
  using table = kernel_table<leaves + outputs, base::draws>;

  static constexpr int rows = Rows, columns = Columns;
  static constexpr std::int64_t size = std::int64_t{Rows} * Columns;
  /// The operands of a product are leaves of the group that follows it, and nothing that it reads.
  static constexpr bool is_read(int k) {
    for (int i = 0; i < steps; ++i)
      for (int o : facts::step_at[i].operand)
        if (o == -1 - k) return true;
    return false;
  }
  static constexpr bool loads() {
    for (int k = 0; k < leaves; ++k)
      if (facts::leaf_at[k].what == leaf_kind::memory && facts::leaf_at[k].where == place::full && is_read(k)) return true;
    return false;
  }
  static constexpr std::int64_t whole = size / width;
  static constexpr int rest = static_cast<int>(size % width), run_length = Columns / Segments;
  static constexpr int load_access = whole > 0 && loads() ? 16 : 0, store_access = whole > 0 && base::stores_chunks ? 16 : 0;
  using index = std::conditional_t<(size < std::int64_t{1} << 31), std::int32_t, std::int64_t>;
  /// Several chunks of a thread are under way at once where there are enough for all.
  static constexpr int threads = 256, cluster = 1, together = whole >= std::int64_t{1} << 18 ? 4 : whole >= std::int64_t{1} << 16 ? 2 : 1;
  static constexpr std::int64_t chunks_of_block = std::int64_t{threads} * together;
  static constexpr std::int64_t wanted = detail::ceil_divide(whole > 0 ? whole : 1, chunks_of_block), most_blocks = std::int64_t{1} << 20;
  static constexpr std::int64_t blocks = wanted < most_blocks ? wanted : most_blocks;

  template <class Context>
  ESPALIER_EVERYWHERE static void run(Context const& c, table const& t) {
    values held[base::leaf_room];
    hold_all(t, held, leaf_numbers{});
    if constexpr (wanted == blocks) {
      block(t, held, static_cast<index>(c.block()) * static_cast<index>(chunks_of_block) + c.thread());
    } else {
      for (std::int64_t b = c.block(); b < wanted; b += blocks) block(t, held, static_cast<index>(b * chunks_of_block) + c.thread());
    }
    if constexpr (rest != 0)
      if (c.block() == 0 && c.thread() < rest) last(t, held, static_cast<index>(whole * width) + c.thread());
  }

 private:
  ESPALIER_EVERYWHERE static index row_of(index i) {
    if constexpr (Segments == 1) return i / Columns;
    else return i / run_length % Rows;
  }
  template <int K>
  ESPALIER_EVERYWHERE static void hold(table const& t, values* held) {
    if constexpr (base::template memory_at<K, place::single>) held[K] = base::spread(base::template load_element<K>(t, 0));
    else held[K] = values{};
  }
  template <int... L>
  ESPALIER_EVERYWHERE static void hold_all(table const& t, values* held, std::integer_sequence<int, L...>) {
    (hold<L>(t, held), ...);
    detail::unused(t, held);
  }
  /// The leaf at element i + v. Full ones are read together.
  template <int K>
  ESPALIER_EVERYWHERE static values leaf_chunk(table const& t, values const* held, index i) {
    if constexpr (!is_read(K)) return values{};
    else if constexpr (base::template memory_at<K, place::full> || base::template is_drawn<K>) return base::template load_some<K, width>(t, i);
    else if constexpr (base::template memory_at<K, place::column> && Columns % width == 0) return base::template load_some<K, width>(t, i % Columns);
    else if constexpr (base::template memory_at<K, place::row> && run_length % width == 0) return base::spread(base::template load_element<K>(t, row_of(i)));
    else if constexpr (base::template memory_at<K, place::single>) return held[K];
    else {
      values r;
      ESPALIER_UNROLL
      for (int v = 0; v < width; ++v) r.at[v] = leaf_element<K>(t, i + v);
      return r;
    }
  }
  template <int K>
  ESPALIER_EVERYWHERE static number leaf_element(table const& t, index i) {
    if constexpr (!is_read(K)) return number(0);
    else if constexpr (facts::leaf_at[K].what == leaf_kind::constant) return base::template constant<K>();
    else if constexpr (facts::leaf_at[K].what == leaf_kind::column_index) return static_cast<number>(i % Columns);
    else if constexpr (facts::leaf_at[K].where == place::full) return base::template load_element<K>(t, i);
    else if constexpr (facts::leaf_at[K].where == place::column) return base::template load_element<K>(t, i % Columns);
    else if constexpr (facts::leaf_at[K].where == place::row) return base::template load_element<K>(t, row_of(i));
    else return base::template load_element<K>(t, 0);
  }

  template <class Op, place W, int A, int B, int C, class N>
  ESPALIER_EVERYWHERE static N step_value(fused::step<Op, W, A, B, C>, N const* t, N const* in) {
    constexpr int arity = fused::detail::arity_of<Op>();
    N const a = operand<A>(t, in);
    if constexpr (arity == 1) return base::template apply<Op, 1>(a, a, a);
    else if constexpr (arity == 2) return base::template apply<Op, 2>(a, operand<B>(t, in), a);
    else return base::template apply<Op, 3>(a, operand<B>(t, in), operand<C>(t, in));
  }
  template <int X, class N>
  ESPALIER_EVERYWHERE static N operand(N const* t, N const* in) {
    if constexpr (X >= 0) return t[X];
    else return in[-1 - X];
  }
  template <int I>
  ESPALIER_EVERYWHERE static void put_chunk(table const& t, values const* v, index i) {
    constexpr int o = facts::output_of(I);
    if constexpr (o >= 0) store<T, width>(static_cast<T*>(t.pointer[leaves + o]) + i, v[I]);
    else detail::unused(t, v, i);
  }
  template <int I>
  ESPALIER_EVERYWHERE static void put_element(table const& t, number const* v, index i) {
    constexpr int o = facts::output_of(I);
    if constexpr (o >= 0) detail::store_one<T>(static_cast<T*>(t.pointer[leaves + o]) + i, v[I]);
    else detail::unused(t, v, i);
  }
  struct loaded {
    values at[base::leaf_room];
  };
  template <int... L>
  ESPALIER_EVERYWHERE static void load_all(table const& t, values const* held, loaded& in, index i, std::integer_sequence<int, L...>) {
    ((in.at[L] = leaf_chunk<L>(t, held, i)), ...);
    detail::unused(t, held, in, i);
  }
  template <int... I>
  ESPALIER_EVERYWHERE static void compute(table const& t, loaded const& in, index i, std::integer_sequence<int, I...>) {
    values v[base::step_room];
    ((v[I] = step_value(typename facts::template step_type<I>{}, v, in.at)), ...);
    (put_chunk<I>(t, v, i), ...);
  }
  /// All of a thread's loads first: while one waits for memory, the others do.
  ESPALIER_EVERYWHERE static void block(table const& t, values const* held, index first) {
    loaded in[static_cast<std::size_t>(together)];
    ESPALIER_UNROLL
    for (int k = 0; k < together; ++k)
      if (first + k * threads < whole) load_all(t, held, in[k], (first + k * threads) * width, leaf_numbers{});
    ESPALIER_UNROLL
    for (int k = 0; k < together; ++k)
      if (first + k * threads < whole) compute(t, in[k], (first + k * threads) * width, std::make_integer_sequence<int, steps>{});
  }
  template <int... L, int... I>
  ESPALIER_EVERYWHERE static void element(table const& t, index i, std::integer_sequence<int, L...>, std::integer_sequence<int, I...>) {
    number v[base::step_room];
    number const in[] = {leaf_element<L>(t, i)..., number(0)};
    ((v[I] = step_value(typename facts::template step_type<I>{}, v, in)), ...);
    (put_element<I>(t, v, i), ...);
  }
  ESPALIER_EVERYWHERE static void last(table const& t, values const*, index i) { element(t, i, leaf_numbers{}, std::make_integer_sequence<int, steps>{}); }
};

}  // namespace espalier::on_cuda
#pragma GCC diagnostic pop
