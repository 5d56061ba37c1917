// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "nest.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::on_cpu {

/// A fused group whose rows lie in memory as runs, one in each of Segments blocks: the channels of a batch of images. It runs row by row as a group of
/// unbroken rows does; the sweeps of a row go over its runs, which the second cache level keeps meanwhile.
template <class T, class Arch, int Rows, int Columns, int Segments, class Steps, class Leaves, class Outputs>
struct segment_nest : nest<place::row, T, Arch, Steps, Leaves, Outputs> {
  using base = nest<place::row, T, Arch, Steps, Leaves, Outputs>;
  using typename base::facts;
  using typename base::V;
  using base::leaves, base::steps, base::width;
  static constexpr int run_length = Columns / Segments, whole = run_length / width, tail = run_length % width;
  static constexpr int together = whole >= 4 ? 4 : whole >= 2 ? 2 : 1;
  static constexpr std::int64_t elements = std::int64_t{Rows} * Columns;
  static constexpr std::int64_t bytes = facts::full_operands() * elements * std::int64_t{sizeof(T)};
  static constexpr bool streams = may_stream(bytes) && tail == 0;
  static constexpr bool asks_ahead = facts::full_results() * elements * std::int64_t{sizeof(T)} >= written_far;
  /// The next row's run lies behind this one's: it is asked for in the last sweep.
  static constexpr bool reads_ahead = bytes > read_far && facts::works_in(1);
  using step_packs = V[static_cast<std::size_t>(steps)];
  using typename base::operand_packs;
  template <place Where>
  using in_memory = chosen_steps<facts::memory_at(Where)>;
  template <detail::bits Set>
  using steps_of = typename base::template steps_of<Set>;

  /// Rows are cut where many elements are summed.
  static constexpr int parts = elements < 65536 || Rows < 2 ? 1 : Rows < 16 ? Rows : 16;
  static constexpr std::int64_t scratch = 0;
  static_assert(facts::steps_at(place::single) == 0 && facts::steps_at(place::column) == 0, "the planner makes no such group of segments");

  template <int Count>
  static ESPALIER_IN_KERNEL void put(V x, T* to, bool past_caches) {
    if constexpr (streams) {
      if (past_caches) return x.stream(to);
    }
    if constexpr (asks_ahead) prefetch_to_write(to + 1024 / static_cast<int>(sizeof(T)));
    x.template store_first<Count>(to);
  }
  template <int Count, int... Stored>
  static ESPALIER_IN_KERNEL void put_all(T* const* out, V const* v, bool past_caches, std::ptrdiff_t j, std::integer_sequence<int, Stored...>) {
    (put<Count>(v[Stored], out[base::template output<Stored>] + j, past_caches), ...);
    (void)out, (void)v, (void)past_caches, (void)j;
  }
  /// `known` is what is known of the row: v begins with it.
  template <int Count, int S>
  static ESPALIER_IN_KERNEL void lane(T const* const* in, T* const* out, V const* known, V* sum, bool past_caches, std::ptrdiff_t j) {
    operand_packs v;
    take_known(v, known, chosen_steps<facts::lines_read(S)>{}, in_memory<place::row>{}, in_memory<place::single>{});
    base::put_constants(v, chosen_steps<base::constant_leaves>{});
    base::template put_lanes<Count>(v, in, j, in_memory<place::full>{});
    base::compute(v, steps_of<facts::computed(S)>{});
    base::template add<Count>(sum, v, steps_of<facts::reduced(S)>{});
    put_all<Count>(out, v, past_caches, j, chosen_steps<facts::stored(S)>{});
  }
  template <int... I, int... Row, int... Single>
  static ESPALIER_IN_KERNEL void take_known(V* v, V const* known, std::integer_sequence<int, I...>, std::integer_sequence<int, Row...>, std::integer_sequence<int, Single...>) {
    ((v[I] = known[I]), ...);
    ((v[steps + Row] = known[steps + Row]), ...);
    ((v[steps + Single] = known[steps + Single]), ...);
    (void)v, (void)known;
  }

  /// Where a row's element lies, from its first.
  template <int J>
  static constexpr std::ptrdiff_t offset = std::ptrdiff_t{J / run_length} * Rows * run_length + J % run_length;
  template <int... I, class... Op, place... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void take(T const* const* in, V* v, list<detail::numbered_step<I, step<Op, W, A, B, C>>...>) {
    ((v[I] = V(rule<Op>::of_three(in[-1 - A][0], in[-1 - A][offset<Columns / 2>], in[-1 - A][offset<Columns - 1>], T(Columns)))), ...);
    (void)in, (void)v;
  }
  template <int... I, class... Op, place... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void fold(V* v, V const* sum, list<detail::numbered_step<I, step<Op, W, A, B, C>>...>) {
    ((v[I] = V(detail::fold_pack<Op>(sum[I]))), ...);
    (void)v, (void)sum;
  }
  /// What is known of a row after a sweep. The numbers of a row lie in every lane of a pack.
  template <int S>
  static ESPALIER_IN_KERNEL void all_known(T const* const* in, V* v, V const* sum) {
    take(in, v, steps_of<base::known(S, base::taken)>{});
    fold(v, sum, steps_of<base::known(S, base::folded)>{});
    base::compute(v, steps_of<base::known(S, base::figured)>{});
  }

  template <int... L>
  static ESPALIER_IN_KERNEL void ahead(T const* const* in, std::ptrdiff_t j, std::integer_sequence<int, L...>) {
    (prefetch(in[L] + j), ...);
    (void)in, (void)j;
  }
  template <int S, int... R>
  static ESPALIER_IN_KERNEL void sweep(T const* const* in, T* const* out, V* known, bool past_caches, std::integer_sequence<int, R...>) {
    constexpr detail::bits reduced = facts::reduced(S);
    step_packs sum[static_cast<std::size_t>(together)];
    (base::clear(sum[R], chosen_steps<reduced>{}), ...);
    for (int segment = 0; segment < Segments; ++segment) {
      std::ptrdiff_t j = static_cast<std::ptrdiff_t>(segment) * Rows * run_length;
      for (int i = 0; i + together <= whole; i += together, j += together * width) {
        if constexpr (reads_ahead && !facts::works_in(S + 1)) (ahead(in, j + run_length + R * width, in_memory<place::full>{}), ...);
        (lane<width, S>(in, out, known, sum[R], past_caches, j + R * width), ...);
      }
      if constexpr (whole % together != 0)
        for (int i = 0; i < whole % together; ++i, j += width)
          lane<width, S>(in, out, known, sum[0], past_caches, j);
      if constexpr (tail != 0) lane<tail, S>(in, out, known, sum[0], past_caches, j);
    }
    if constexpr (together == 4) {
      base::combine_all(sum[0], sum[1], steps_of<reduced>{});
      base::combine_all(sum[2], sum[3], steps_of<reduced>{});
      base::combine_all(sum[0], sum[2], steps_of<reduced>{});
    } else if constexpr (together == 2) {
      base::combine_all(sum[0], sum[1], steps_of<reduced>{});
    }
    all_known<S>(in, known, sum[0]);
  }
  template <int S>
  static ESPALIER_IN_KERNEL void sweeps(T const* const* in, T* const* out, V* known, bool past_caches) {
    sweep<S>(in, out, known, past_caches, std::make_integer_sequence<int, together>{});
    if constexpr (facts::works_in(S + 1)) sweeps<S + 1>(in, out, known, past_caches);
  }

  template <int... I>
  static ESPALIER_IN_KERNEL void store_lines(T* const* out, V const* v, int row, std::integer_sequence<int, I...>) {
    ((out[base::template output<I>][row] = v[I][0]), ...);
    (void)out, (void)v, (void)row;
  }
  /// From one row of a leaf to the next.
  struct row_steps {
    std::ptrdiff_t of[static_cast<std::size_t>(leaves) + 1];
  };
  static constexpr row_steps row_step = [] {
    row_steps r{};
    for (int k = 0; k < leaves; ++k) r.of[k] = facts::is_memory(k, place::full) ? run_length : 0;
    return r;
  }();

  template <int... L>
  static ESPALIER_IN_KERNEL void rows(auto p, int begin, int end, std::integer_sequence<int, L...>) {
    T const* const start_of[] = {p[L]..., nullptr};
    T* first[static_cast<std::size_t>(facts::outputs) + 1];
    T* out[static_cast<std::size_t>(facts::outputs) + 1];
    for (int k = 0; k < facts::outputs; ++k) first[k] = p[leaves + k];
    bool past_caches = false;
    if constexpr (streams) past_caches = streams_now<V::registers::bytes>(bytes, first, facts::outputs);
    for (int row = begin; row < end; ++row) {
      T const* const in[] = {start_of[L] + row * row_step.of[L]..., nullptr};
      for (int k = 0; k < facts::outputs; ++k) out[k] = first[k] + static_cast<std::ptrdiff_t>(row) * run_length;
      operand_packs known;
      base::put_constants(known, chosen_steps<base::constant_leaves>{});
      base::put_elements(known, start_of, row, in_memory<place::row>{});
      base::put_elements(known, start_of, 0, in_memory<place::single>{});
      all_known<-1>(in, known, known);
      sweeps<0>(in, out, known, past_caches);
      store_lines(first, known, row, chosen_steps<facts::results_at(place::row)>{});
    }
    if constexpr (streams) stream_fence();
  }

  /// p[i]: the leaves' addresses, then the outputs'.
  ESPALIER_KERNEL static void part(auto p, T*, int which) {
    rows(p, static_cast<int>(std::int64_t{Rows} * which / parts), static_cast<int>(std::int64_t{Rows} * (which + 1) / parts), typename base::leaf_numbers{});
  }
  static void finish(auto, T*) {}
  ESPALIER_KERNEL static void run(auto p) { rows(p, 0, Rows, typename base::leaf_numbers{}); }
};

}  // namespace espalier::on_cpu
#pragma GCC diagnostic pop
