// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../device/parts.hpp"
#include "../optim/lazy.hpp"
#include "row_tables.hpp"
#include "training_program_for.hpp"
#include "update_rule.hpp"

namespace espalier::detail {

/// Whether a training step of these batches may compute rows: on the host, in the element type of the computations, and
/// with the same tables in every batch.
template <class Engine, class Net, class T, class Loss, bool Always, class Batch, class... More>
constexpr bool trains_rows() {
  if constexpr (Engine::has_device_memory || espalier::on_device::averages_with_others<Engine, T> || is_narrow<T> ||
                std::is_void_v<nn::input_element_of<Net>>) {
    return false;
  } else {
    auto const same = [](row_tables const& a, row_tables const& b) {
      bool r = a.count == b.count;
      for (int k = 0; k < a.count; ++k) r = r && a.at[k].offset == b.at[k].offset;
      return r;
    };
    constexpr row_tables const& first = row_tables_of<Net, Loss, Batch, Always>;
    return first.count > 0 && (same(first, row_tables_of<Net, Loss, More, Always>) && ...);
  }
}

/// Whether an optimizer's update computes each parameter from its own gradient and states, so that a part of the
/// parameters can be updated without the others.
template <class O>
constexpr bool updates_each_alone() {
  graph::program const& p = plan::graph_of<update_program<O, 4>>;
  for (int id = 1; id <= p.nodes.size; ++id) {
    op_family const f = p.nodes[id].op->family;
    if (f != op_family::argument && f != op_family::parameter && f != op_family::buffer &&
        f != op_family::hyperparameter && f != op_family::constant && f != op_family::broadcast &&
        f != op_family::elementwise)
      return false;
  }
  for (int i = 0; i < p.output_count; ++i)
    if (p.outputs[i].where == graph::destination::result) return false;
  return true;
}

/// The gradients of a trainer's row tables. The trainer's vector of gradients is complete all the same: the rows of one
/// step are cleared at the next one, so all others are 0, and no step touches them.
template <bool Used, class Optimizer, class T, class Engine, class Net, class Loss, class Batch, class... More>
class row_gradients {
 public:
  static constexpr bool updates = false;
  template <class B>
  using program = training_program_for<Optimizer, Net, Loss, B, espalier::on_device::combines_processes<Engine>>;
  static constexpr std::size_t bytes = 0;
};
template <class Optimizer, class T, class Engine, class Net, class Loss, class Batch, class... More>
class row_gradients<true, Optimizer, T, Engine, Net, Loss, Batch, More...> {
  static constexpr bool always = optim::is_lazy<Optimizer>;
  template <class B>
  static constexpr row_tables const& tables = row_tables_of<Net, Loss, B, always>;
  static constexpr int count = tables<Batch>.count;
  static constexpr int trainable = static_cast<int>(slots_of<Net>.parameters.trainable_storage);
  using Rule = update_rule<Optimizer, trainable, T, Engine>;
  using places = typename Rule::places;

  static constexpr std::size_t integers(std::int64_t n) { return bytes_for<std::int32_t>(static_cast<std::size_t>(n)); }
  template <class B>
  static constexpr std::size_t rows_at(int table) {
    std::int64_t n = 0;
    for (int k = 0; k < table; ++k) n += plan::rounded(tables<B>.at[k].indices * tables<B>.at[k].row);
    return bytes_for<T>(static_cast<std::size_t>(n));
  }
  static constexpr std::size_t rows_end = [] {
    std::size_t n = rows_at<Batch>(count);
    ((n = n > rows_at<More>(count) ? n : rows_at<More>(count)), ...);
    return n;
  }();
  /// The most rows of a table that one step can read.
  static constexpr std::int64_t most_indices(int table) {
    std::int64_t n = tables<Batch>.at[table].indices;
    ((n = n > tables<More>.at[table].indices ? n : tables<More>.at[table].indices), ...);
    return n;
  }
  /// Memory of a table, after the rows: the numbers of the rows that the last step read, and for each row of the table
  /// the step that read it last.
  static constexpr std::size_t read_at(int table) {
    std::size_t at = rows_end;
    for (int k = 0; k < table; ++k) at += integers(most_indices(k)) + integers(tables<Batch>.at[k].extent);
    return at;
  }
  static constexpr std::size_t steps_at(int table) { return read_at(table) + integers(most_indices(table)); }

 public:
  /// Whether the optimizer may leave the rows that a step does not read as they are.
  static constexpr bool updates = [] {
    if constexpr (optim::keeps_unread_rows<Optimizer>) return updates_each_alone<Optimizer>();
    else return false;
  }();
  template <class B>
  using program = row_training_program<Net, Loss, B, always>;
  static constexpr std::size_t bytes = read_at(count);

  /// Sets the addresses of the rows that a step's program writes.
  template <class B>
  static void place_results(void** results, unsigned char* memory) {
    for (int k = 0; k < count; ++k) results[1 + k] = memory + rows_at<B>(k);
  }
  /// Adds the rows of a step to the vector of gradients, in the order of the indices, as a scatter-add to zeros does.
  template <class B>
  void collect(T* gradient, unsigned char* memory, void* const* results, void* const* arguments) {
    begin_step(memory);
    [&]<int... K>(std::integer_sequence<int, K...>) {
      (clear<K>(gradient, memory), ...);
      (add<B, K>(gradient, memory, static_cast<T const*>(results[1 + K]),
                 static_cast<std::int32_t const*>(arguments[tables<B>.at[K].argument])),
       ...);
    }
    (std::make_integer_sequence<int, count>{});
  }
  /// Updates all parameters outside the tables, and the rows that the step has read.
  void update(Engine const& engine, places const& p, unsigned char* memory) const {
    [&]<int... K>(std::integer_sequence<int, K...>) {
      (update_between<K>(engine, p), ...);
      (update_rows<K>(engine, p, memory), ...);
    }
    (std::make_integer_sequence<int, count>{});
    update_between<count>(engine, p);
  }

 private:
  template <int Table>
  static constexpr row_table of = tables<Batch>.at[Table];

  static std::int32_t* read(unsigned char* memory, int table) {
    return reinterpret_cast<std::int32_t*>(memory + read_at(table));
  }
  static std::int32_t* steps(unsigned char* memory, int table) {
    return reinterpret_cast<std::int32_t*>(memory + steps_at(table));
  }
  void begin_step(unsigned char* memory) {
    if (step_ == 0x7fffffff) {
      for (int k = 0; k < count; ++k)
        for (int i = 0; i < tables<Batch>.at[k].extent; ++i) steps(memory, k)[i] = 0;
      step_ = 0;
    }
    ++step_;
  }
  template <int Table>
  static T* row_of(T* vector, std::int32_t index) {
    return vector + of<Table>.offset + index * of<Table>.row;
  }
  template <int Table>
  void clear(T* gradient, unsigned char* memory) {
    std::int32_t const* const rows = read(memory, Table);
    for (int i = 0; i < read_[Table]; ++i) {
      if (i + 2 < read_[Table]) on_cpu::detail::prefetch_run(row_of<Table>(gradient, rows[i + 2]), of<Table>.row);
      __builtin_memset(row_of<Table>(gradient, rows[i]), 0, static_cast<std::size_t>(of<Table>.row) * sizeof(T));
    }
    read_[Table] = 0;
  }
  template <class B, int Table>
  void add(T* gradient, unsigned char* memory, T const* from, std::int32_t const* index) {
    constexpr std::int64_t indices = tables<B>.at[Table].indices, row = of<Table>.row;
    std::int32_t *const rows = read(memory, Table), *const last = steps(memory, Table);
    for (std::int64_t k = 0; k < indices; ++k, from += row) {
      if (k + 2 < indices) on_cpu::detail::prefetch_run(row_of<Table>(gradient, index[k + 2]), row);
      if (last[index[k]] != step_) {
        last[index[k]] = step_;
        rows[read_[Table]++] = index[k];
      }
      on_cpu::detail::add_run<T, on_cpu::default_arch>(row_of<Table>(gradient, index[k]), from, row);
    }
  }
  /// The parameters between table Table - 1 and table Table.
  template <int Table>
  static void update_between(Engine const& engine, places const& p) {
    constexpr std::int64_t first = [] {
      if constexpr (Table == 0) return std::int64_t{0};
      else return of<Table - 1>.offset + plan::rounded(of<Table - 1>.extent * of<Table - 1>.row);
    }();
    constexpr std::int64_t last = [] {
      if constexpr (Table == count) return std::int64_t{trainable};
      else return of<Table>.offset;
    }();
    if constexpr (last > first) Rule::template launch_part<static_cast<int>(last - first)>(engine, p, first);
  }
  template <int Table>
  void update_rows(Engine const& engine, places const& p, unsigned char* memory) const {
    std::int32_t const* const rows = read(memory, Table);
    for (int i = 0; i < read_[Table]; ++i) {
      if (i + 2 < read_[Table]) on_cpu::detail::prefetch_run(row_of<Table>(p.parameters, rows[i + 2]), of<Table>.row);
      Rule::template launch_part<static_cast<int>(of<Table>.row)>(engine, p,
                                                                  of<Table>.offset + rows[i] * of<Table>.row);
    }
  }

  int read_[static_cast<std::size_t>(count)]{};  ///< by table: the number of rows that the last step has read
  std::int32_t step_ = 0;
};

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
