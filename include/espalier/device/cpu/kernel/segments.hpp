// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../cascade.hpp"
#include "../../offset_in_row.hpp"
#include "loop_kernel_base.hpp"

/// Kernels of fused groups along rows that are stored in segments.
namespace espalier::on_cpu {

/// A fused group whose rows are stored as runs, one in each of Segments blocks: the channels of a batch of images. It
/// runs row by row, like a group of contiguous rows. The sweeps of a row go over its runs, which stay in the L2 cache
/// meanwhile.
template <class T, class Arch, int Rows, int Columns, int Segments, class Instructions, class Operands, class Outputs>
struct segmented_row_kernel : loop_kernel_base<extent_class::row, T, Arch, Instructions, Operands, Outputs> {
  using base = loop_kernel_base<extent_class::row, T, Arch, Instructions, Operands, Outputs>;
  using typename base::facts;
  using typename base::V;
  using base::operands, base::instructions, base::width;
  static constexpr int run_length = Columns / Segments, whole = run_length / width, tail = run_length % width;
  static constexpr int vectors_per_iteration = whole >= 4 ? 4 : whole >= 2 ? 2 : 1;
  static constexpr std::int64_t elements = std::int64_t{Rows} * Columns;
  static constexpr std::int64_t bytes = facts::full_operands() * elements * std::int64_t{sizeof(T)};
  static constexpr bool stores_past_caches = may_stream(bytes) && tail == 0;
  static constexpr bool prefetches_results = facts::full_results() * elements * std::int64_t{sizeof(T)} >= written_far;
  /// The next row's run follows this one in memory: the last sweep prefetches it.
  static constexpr bool prefetches_next_row = bytes > read_far&& facts::works_in(1);
  using instruction_packs = V[static_cast<std::size_t>(instructions)];
  using typename base::constants, typename base::value_packs;

  /// Rows are split into parts if many elements are summed.
  static constexpr int parts = elements < 65536 || Rows < 2 ? 1 : Rows < 16 ? Rows : 16;
  static constexpr std::int64_t scratch = 0;
  static_assert(facts::instructions_at(extent_class::single) == 0 && facts::instructions_at(extent_class::column) == 0,
                "espalier: internal error: groups in segments have no column or single values");

  template <int Count>
  static ESPALIER_IN_KERNEL void put(V x, T* to, bool past_caches) {
    if constexpr (stores_past_caches) {
      if (past_caches) return x.stream(to);
    }
    if constexpr (prefetches_results) prefetch_to_write(to + 1024 / static_cast<int>(sizeof(T)));
    x.template store_first<Count>(to);
  }
  template <int Count, int... Stored>
  static ESPALIER_IN_KERNEL void put_all(T* const* out, V const* v, bool past_caches, std::ptrdiff_t j,
                                         std::integer_sequence<int, Stored...>) {
    (put<Count>(v[Stored], out[base::template output<Stored>] + j, past_caches), ...);
    (void)out, (void)v, (void)past_caches, (void)j;
  }
  /// row_values: the values that are fixed along the row; v starts with them.
  template <int Count, int S>
  static ESPALIER_IN_KERNEL void sweep_vector(T const* const* in, T* const* out, V const* row_values, V* sum,
                                              bool past_caches, std::ptrdiff_t j) {
    value_packs v;
    load_row_values(v, row_values, set_members<facts::lines_read(S)>{}, operands_in_memory<facts, extent_class::row>{},
                    operands_in_memory<facts, extent_class::single>{});
    base::put_constants(v, constants{});
    base::template put_lanes<Count>(v, in, j, operands_in_memory<facts, extent_class::full>{});
    base::compute(v, instructions_in<facts, facts::computed(S)>{});
    base::template add<Count>(sum, v, instructions_in<facts, facts::reduced(S)>{});
    put_all<Count>(out, v, past_caches, j, set_members<facts::stored(S)>{});
  }
  template <int... I, int... Row, int... Single>
  static ESPALIER_IN_KERNEL void load_row_values(V* v, V const* row_values, std::integer_sequence<int, I...>,
                                                 std::integer_sequence<int, Row...>,
                                                 std::integer_sequence<int, Single...>) {
    ((v[I] = row_values[I]), ...);
    ((v[instructions + Row] = row_values[instructions + Row]), ...);
    ((v[instructions + Single] = row_values[instructions + Single]), ...);
    (void)v, (void)row_values;
  }

  template <int... I, class... Op, extent_class... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void estimate(T const* const* in, V* v,
                                          list<detail::numbered_instruction<I, instruction<Op, W, A, B, C>>...>) {
    using probed = probed_elements<Columns>;
    [[maybe_unused]] constexpr std::int64_t middle = offset_in_row(std::int64_t{probed::middle}, Rows, run_length),
                                            last = offset_in_row(std::int64_t{probed::last}, Rows, run_length);
    ((v[I] = V(estimate_line<Op, Columns>(in[-1 - A][probed::first], in[-1 - A][middle], in[-1 - A][last]))), ...);
    (void)in, (void)v;
  }
  template <int... I, class... Op, extent_class... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void reduce_sums(V* v, V const* sum,
                                             list<detail::numbered_instruction<I, instruction<Op, W, A, B, C>>...>) {
    ((v[I] = V(detail::reduce_pack<Op>(sum[I]))), ...);
    (void)v, (void)sum;
  }
  /// Computes the statistics of a row after a sweep. The numbers of a row are in every lane of a pack.
  template <int S>
  static ESPALIER_IN_KERNEL void finalize_statistics(T const* const* in, V* v, V const* sum) {
    estimate(in, v, instructions_in<facts, base::statistics(S, base::estimated)>{});
    reduce_sums(v, sum, instructions_in<facts, base::statistics(S, base::reduced)>{});
    base::compute(v, instructions_in<facts, base::statistics(S, base::computed)>{});
  }

  template <int... L>
  static ESPALIER_IN_KERNEL void prefetch_inputs(T const* const* in, std::ptrdiff_t j,
                                                 std::integer_sequence<int, L...>) {
    (prefetch(in[L] + j), ...);
    (void)in, (void)j;
  }
  /// The additions to a sum for each segment, and the levels of sums (see cascade.hpp).
  static constexpr int turns_of_segment = whole / vectors_per_iteration + whole % vectors_per_iteration + (tail != 0);
  static constexpr int levels = [] {
    std::int64_t const turns = std::int64_t{turns_of_segment} * Segments;
    return turns >= 2 * detail::turns_of_block ? detail::count_levels(turns / detail::turns_of_block) : 0;
  }();
  template <int S>
  static ESPALIER_IN_KERNEL void move_sum(V* to, V* from) {
    base::combine_all(to, from, instructions_in<facts, facts::reduced(S)>{});
    base::clear(from, set_members<facts::reduced(S)>{});
  }
  /// Adds the sums of the vectors of an iteration to the first of them, in pairs.
  template <int S>
  static ESPALIER_IN_KERNEL void add_vectors(instruction_packs* sum) {
    if constexpr (vectors_per_iteration == 4) {
      move_sum<S>(sum[0], sum[1]);
      move_sum<S>(sum[2], sum[3]);
      move_sum<S>(sum[0], sum[2]);
    } else if constexpr (vectors_per_iteration == 2) {
      move_sum<S>(sum[0], sum[1]);
    }
  }
  /// sum: for each vector of an iteration.
  template <int S, int... R>
  static ESPALIER_IN_KERNEL void add_segments(T const* const* in, T* const* out, V const* row_values,
                                              instruction_packs* sum, bool past_caches, int segments,
                                              std::integer_sequence<int, R...>) {
    (base::clear(sum[R], set_members<facts::reduced(S)>{}), ...);
    constexpr bool in_blocks = levels > 0 && facts::reduced(S) != 0;
    [[maybe_unused]] instruction_packs of_blocks[in_blocks ? static_cast<std::size_t>(levels + 1) : 1];
    if constexpr (in_blocks)
      for (auto& level : of_blocks) base::clear(level, set_members<facts::reduced(S)>{});
    [[maybe_unused]] auto const move = [&](auto to, auto from) { move_sum<S>(of_blocks[to], of_blocks[from]); };
    [[maybe_unused]] int turns = 0;
    [[maybe_unused]] std::int64_t block = 0;
    for (int segment = 0; segment < segments; ++segment) {
      std::ptrdiff_t j = static_cast<std::ptrdiff_t>(segment) * Rows * run_length;
      for (int i = 0; i + vectors_per_iteration <= whole;
           i += vectors_per_iteration, j += vectors_per_iteration * width) {
        if constexpr (prefetches_next_row && !facts::works_in(S + 1))
          (prefetch_inputs(in, j + run_length + R * width, operands_in_memory<facts, extent_class::full>{}), ...);
        (sweep_vector<width, S>(in, out, row_values, sum[R], past_caches, j + R * width), ...);
        if constexpr (in_blocks && turns_of_segment >= detail::turns_of_block)
          if (++turns == detail::turns_of_block) [[unlikely]] {
            turns = 0;
            add_vectors<S>(sum);
            move_sum<S>(of_blocks[0], sum[0]);
            detail::carry_block<levels>(block++, move);
          }
      }
      if constexpr (whole % vectors_per_iteration != 0)
        for (int i = 0; i < whole % vectors_per_iteration; ++i, j += width)
          sweep_vector<width, S>(in, out, row_values, sum[0], past_caches, j);
      if constexpr (tail != 0) sweep_vector<tail, S>(in, out, row_values, sum[0], past_caches, j);
      if constexpr (in_blocks && turns_of_segment < detail::turns_of_block)
        if ((turns += turns_of_segment) >= detail::turns_of_block) [[unlikely]] {
          turns = 0;
          add_vectors<S>(sum);
          move_sum<S>(of_blocks[0], sum[0]);
          detail::carry_block<levels>(block++, move);
        }
    }
    if constexpr (in_blocks) {
      add_vectors<S>(sum);
      move_sum<S>(of_blocks[0], sum[0]);
      detail::gather_levels<levels>(move);
      base::combine_all(sum[0], of_blocks[0], instructions_in<facts, facts::reduced(S)>{});
    }
  }
  template <int S, int... R>
  static ESPALIER_IN_KERNEL void sweep(T const* const* in, T* const* out, V* row_values, bool past_caches,
                                       std::integer_sequence<int, R...>) {
    instruction_packs sum[static_cast<std::size_t>(vectors_per_iteration)];  // (vectors, instructions)
    add_segments<S>(in, out, row_values, sum, past_caches, Segments, std::integer_sequence<int, R...>{});
    add_vectors<S>(sum);
    finalize_statistics<S>(in, row_values, sum[0]);
  }
  template <int S>
  static ESPALIER_IN_KERNEL void sweeps(T const* const* in, T* const* out, V* row_values, bool past_caches) {
    sweep<S>(in, out, row_values, past_caches, std::make_integer_sequence<int, vectors_per_iteration>{});
    if constexpr (facts::works_in(S + 1)) sweeps<S + 1>(in, out, row_values, past_caches);
  }

  template <int... I>
  static ESPALIER_IN_KERNEL void store_row_results(T* const* out, V const* v, int row,
                                                   std::integer_sequence<int, I...>) {
    ((out[base::template output<I>][row] = v[I][0]), ...);
    (void)out, (void)v, (void)row;
  }
  /// The distance from one row of an operand to the next.
  struct row_strides {
    std::ptrdiff_t of[static_cast<std::size_t>(operands) + 1];
  };
  static constexpr row_strides row_stride = [] {
    row_strides r{};
    for (int k = 0; k < operands; ++k) r.of[k] = facts::is_memory(k, extent_class::full) ? run_length : 0;
    return r;
  }();

  template <int... L>
  static ESPALIER_IN_KERNEL void rows(auto p, int begin, int end, std::integer_sequence<int, L...>) {
    T const* const start_of[] = {p[L]..., nullptr};
    T* first[static_cast<std::size_t>(facts::outputs) + 1];
    T* out[static_cast<std::size_t>(facts::outputs) + 1];
    for (int k = 0; k < facts::outputs; ++k) first[k] = p[operands + k];
    bool past_caches = false;
    if constexpr (stores_past_caches) past_caches = streams_now<V::registers::bytes>(bytes, first, facts::outputs);
    for (int row = begin; row < end; ++row) {
      T const* const in[] = {start_of[L] + row * row_stride.of[L]..., nullptr};
      for (int k = 0; k < facts::outputs; ++k) out[k] = first[k] + static_cast<std::ptrdiff_t>(row) * run_length;
      value_packs row_values;
      base::put_constants(row_values, constants{});
      base::put_elements(row_values, start_of, row, operands_in_memory<facts, extent_class::row>{});
      base::put_elements(row_values, start_of, 0, operands_in_memory<facts, extent_class::single>{});
      finalize_statistics<-1>(in, row_values, row_values);
      sweeps<0>(in, out, row_values, past_caches);
      store_row_results(first, row_values, row, set_members<facts::results_at(extent_class::row)>{});
    }
    if constexpr (stores_past_caches) stream_fence();
  }

  /// p[i]: the addresses of operands, then of outputs.
  ESPALIER_KERNEL static void part(auto p, T*, int which) {
    rows(p, static_cast<int>(std::int64_t{Rows} * which / parts),
         static_cast<int>(std::int64_t{Rows} * (which + 1) / parts), typename base::operand_indices{});
  }
  static void finish(auto, T*) {}
  ESPALIER_KERNEL static void run(auto p) { rows(p, 0, Rows, typename base::operand_indices{}); }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
