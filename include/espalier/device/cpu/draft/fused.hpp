// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../operation/arithmetic_loops.hpp"
#include "movement.hpp"
#include "steps.hpp"

/// Fused groups of a draft, and what follows a product.
namespace espalier::on_cpu::draft {

/// Elements that are computed at once, instruction by instruction.
inline constexpr std::int64_t strip = 128;
inline constexpr int most_instructions = on_device::detail::max_kernel_instructions;

/// The number of values with an extent class in a group of rows x columns.
template <class Group>
constexpr std::int64_t count_of(Group const& g, plan::extent_class extent) {
  return extent == plan::extent_class::full     ? std::int64_t{g.rows} * g.columns
         : extent == plan::extent_class::row    ? g.rows
         : extent == plan::extent_class::column ? g.columns
                                                : 1;
}

/// y[i] = function(a[i], b[i], c[i]); a step of 0 repeats a number. y is none of the others.
template <class T>
ESPALIER_DRAFT_LOOP void apply(T (*function)(T, T, T), int arity, T* __restrict y, std::int64_t n, T const* const* x,
                               int const* by) {
  T const *const a = x[0], *const b = x[1], *const c = x[2];
  std::int64_t const ia = by[0], ib = by[1], ic = by[2];
  if (function == nullptr)
    for (std::int64_t i = 0; i < n; ++i) y[i] = a[i * ia];
  else if (arity == 2 && espalier::detail::run_arithmetic(function, y, n, a, b, by[0], by[1])) return;
  else if (arity == 1)
    for (std::int64_t i = 0; i < n; ++i) y[i] = function(a[i * ia], T(0), T(0));
  else if (arity == 2)
    for (std::int64_t i = 0; i < n; ++i) y[i] = function(a[i * ia], b[i * ib], T(0));
  else
    for (std::int64_t i = 0; i < n; ++i) y[i] = function(a[i * ia], b[i * ib], c[i * ic]);
}
/// to[i * by_to] = function(to[i * by_to], x[i * by_x]), where sums are in double.
template <class T>
ESPALIER_DRAFT_LOOP void accumulate(instruction<T> const& s, double* to, int by_to, T const* x, int by_x,
                                    std::int64_t n) {
  if (s.adds)
    for (std::int64_t i = 0; i < n; ++i) to[i * by_to] += static_cast<double>(x[i * by_x]);
  else
    for (std::int64_t i = 0; i < n; ++i)
      to[i * by_to] = static_cast<double>(s.function(static_cast<T>(to[i * by_to]), x[i * by_x], x[i * by_x]));
}

/// Runs one group. Values of one number for each element are computed strip by strip; what reduces them needs a sweep
/// over all elements first, and what reduces the result of that, another one. Results are stored in the last sweep.
template <class T>
class fused_run {
  using extent_class = plan::extent_class;

 public:
  /// sums: what a product gave, the value of instruction 0; or null.
  fused_run(program_view<T> const& p, step<T> const& s, void* const* base, T const* sums, T* room)
      : s_{s},
        body_{p.instructions + s.first_instruction},
        operands_{p.operands + s.first_operand},
        outputs_{p.outputs + s.first_output},
        arguments_{p.arguments + s.arguments},
        base_{base},
        sums_{sums},
        begin_{sums != nullptr ? 1 : 0} {
    divide(room);
  }
  /// The elements of a room that divide() needs.
  static constexpr std::int64_t room_size(instruction<T> const* body, step<T> const& s) {
    std::int64_t n = strip;
    for (int i = 0; i < s.instructions; ++i)
      n += body[i].extent == extent_class::full ? strip : sums_size(s, body[i]) + numbers_size(s, body[i]);
    return n;
  }

  void run() {
    int const levels = find_levels();
    for (int level = 0; level <= levels; ++level) {
      if (level > 0) reduce(level);
      for (int i = begin_; i < s_.instructions; ++i)
        if (level_[i] == level && body_[i].extent != extent_class::full && !sweeps(i)) compute_small(i);
    }
    store_full();
    for (int o = 0; o < s_.outputs; ++o)
      if (body_[outputs_[o]].extent != extent_class::full)
        copy(value_[outputs_[o]], output(o), count_of(s_, body_[outputs_[o]].extent));
  }

 private:
  /// Sums are in double: all parts of a room are whole numbers of those.
  static constexpr std::int64_t wide = sizeof(double) / sizeof(T);
  static constexpr std::int64_t sums_size(step<T> const& s, instruction<T> const& i) {
    return i.reduces ? wide * count_of(s, i.extent) : 0;
  }
  static constexpr std::int64_t numbers_size(step<T> const& s, instruction<T> const& i) {
    return (count_of(s, i.extent) + wide - 1) / wide * wide;
  }
  void divide(T* room) {
    index_strip_ = room;
    room += strip;
    numbers_columns_ = false;
    for (int i = 0; i < s_.operands; ++i)
      numbers_columns_ = numbers_columns_ || operands_[i].kind == plan::operand_kind::column_index;
    for (int i = 0; i < s_.instructions; ++i) {
      bool const full = body_[i].extent == extent_class::full;
      wide_[i] = reinterpret_cast<double*>(room);
      if (!full) room += sums_size(s_, body_[i]);
      value_[i] = room;
      room += full ? strip : numbers_size(s_, body_[i]);
    }
  }
  T const* operand_memory(int o) const { return on_device::at<T>(base_, arguments_[o]); }
  T* output(int o) const { return on_device::at<T>(base_, arguments_[s_.operands + o]); }

  /// Over which elements a reduction runs: those of its operand; a constant is one number for all of the group.
  extent_class range_of(int i) const {
    int const o = body_[i].operand[0];
    extent_class const extent = o < 0 ? operands_[-1 - o].extent : body_[o].extent;
    return extent == extent_class::none ? extent_class::full : extent;
  }
  /// Whether instruction i needs a sweep over all elements.
  bool sweeps(int i) const { return body_[i].reduces && range_of(i) == extent_class::full; }

  /// The number of the sweep that an instruction waits for. Returns the largest.
  int find_levels() {
    int most = 0;
    for (int i = 0; i < s_.instructions; ++i) {
      level_[i] = 0;
      if (i < begin_) continue;
      for (int k = 0; k < body_[i].arity; ++k)
        if (int const o = body_[i].operand[k]; o >= 0 && level_[o] > level_[i]) level_[i] = level_[o];
      if (sweeps(i)) ++level_[i];
      if (level_[i] > most) most = level_[i];
    }
    return most;
  }

  /// Marks what the full operands of instruction i are computed from.
  void need_operands(int i) {
    for (int k = 0; k < body_[i].arity; ++k)
      if (int const o = body_[i].operand[k]; o >= 0 && body_[o].extent == extent_class::full) needed_[o] = true;
  }
  void close_needed() {
    for (int i = s_.instructions - 1; i >= begin_; --i)
      if (needed_[i] && body_[i].extent == extent_class::full) need_operands(i);
  }

  /// Where operand reference o of an element is, and by how much it goes on with the columns.
  ESPALIER_DRAFT_LOOP T const* source(int o, std::int64_t element, std::int64_t row, std::int64_t column,
                                      int& by) const {
    if (o >= 0) {
      extent_class const extent = body_[o].extent;
      by = extent == extent_class::full || extent == extent_class::column ? 1 : 0;
      if (extent == extent_class::full) return o < begin_ ? sums_ + element : value_[o];
      return value_[o] + (extent == extent_class::row ? row : extent == extent_class::column ? column : 0);
    }
    operand<T> const& own = operands_[-1 - o];
    by = 0;
    if (own.kind == plan::operand_kind::constant) return &own.value;
    if (own.kind == plan::operand_kind::column_index) {
      by = 1;
      return index_strip_;
    }
    by = own.extent == extent_class::full || own.extent == extent_class::column ? 1 : 0;
    return operand_memory(-1 - o) + (own.extent == extent_class::full     ? element
                                     : own.extent == extent_class::row    ? row
                                     : own.extent == extent_class::column ? column
                                                                          : 0);
  }
  void number_columns(std::int64_t column, std::int64_t n) {
    if (!numbers_columns_) return;
    for (std::int64_t i = 0; i < n; ++i) index_strip_[i] = static_cast<T>(column + i);
  }
  /// Computes what is marked for a strip.
  ESPALIER_DRAFT_LOOP void compute_strip(std::int64_t element, std::int64_t row, std::int64_t column, std::int64_t n) {
    number_columns(column, n);
    for (int i = begin_; i < s_.instructions; ++i)
      if (needed_[i] && body_[i].extent == extent_class::full) compute(i, value_[i], element, row, column, n);
  }
  ESPALIER_DRAFT_LOOP void compute(int i, T* to, std::int64_t element, std::int64_t row, std::int64_t column,
                                   std::int64_t n) {
    T const* x[3]{};
    int by[3]{};
    for (int k = 0; k < body_[i].arity; ++k) x[k] = source(body_[i].operand[k], element, row, column, by[k]);
    apply(body_[i].function, body_[i].arity, to, n, x, by);
  }
  /// Calls f(element, row, column, n) for each strip of elements.
  template <class F>
  void for_each_strip(F const& f) {
    std::int64_t const run = s_.columns / s_.segments;
    for (std::int64_t segment = 0; segment < s_.segments; ++segment)
      for (std::int64_t row = 0; row < s_.rows; ++row)
        for (std::int64_t c = 0; c < run; c += strip)
          f((segment * s_.rows + row) * run + c, row, segment * run + c, run - c < strip ? run - c : strip);
  }

  void reduce(int level) {
    for (int i = 0; i < s_.instructions; ++i) needed_[i] = false;
    for (int i = begin_; i < s_.instructions; ++i) {
      if (level_[i] != level || !sweeps(i)) continue;
      begin_sums(i);
      need_operands(i);
    }
    close_needed();
    for_each_strip([&](std::int64_t element, std::int64_t row, std::int64_t column, std::int64_t n) {
      compute_strip(element, row, column, n);
      for (int i = begin_; i < s_.instructions; ++i) {
        if (level_[i] != level || !sweeps(i)) continue;
        int by = 0;
        T const* const x = source(body_[i].operand[0], element, row, column, by);
        extent_class const extent = body_[i].extent;
        double* const to = wide_[i] + (extent == extent_class::row ? row : extent == extent_class::column ? column : 0);
        accumulate(body_[i], to, extent == extent_class::column ? 1 : 0, x, by, n);
      }
    });
    for (int i = begin_; i < s_.instructions; ++i)
      if (level_[i] == level && sweeps(i)) end_sums(i);
  }
  void begin_sums(int i) {
    for (std::int64_t k = 0; k < count_of(s_, body_[i].extent); ++k)
      wide_[i][k] = static_cast<double>(body_[i].identity);
  }
  void end_sums(int i) {
    for (std::int64_t k = 0; k < count_of(s_, body_[i].extent); ++k) value_[i][k] = static_cast<T>(wide_[i][k]);
  }
  /// A value with one number for each row or column, or one number.
  ESPALIER_DRAFT_LOOP void compute_small(int i) {
    extent_class const extent = body_[i].extent;
    if (body_[i].reduces) {
      int by = 0;
      T const* const x = source(body_[i].operand[0], 0, 0, 0, by);
      extent_class const range = range_of(i);
      begin_sums(i);
      accumulate(body_[i], wide_[i], range == extent ? 1 : 0, x, range == extent_class::row ? row_step(i) : by,
                 count_of(s_, range));
      end_sums(i);
      return;
    }
    std::int64_t const count = count_of(s_, extent);
    if (extent == extent_class::row) {
      for (std::int64_t row = 0; row < count; ++row) compute(i, value_[i] + row, 0, row, 0, 1);
      return;
    }
    for (std::int64_t at = 0; at < count; at += strip) {
      std::int64_t const n = count - at < strip ? count - at : strip;
      number_columns(at, n);
      compute(i, value_[i] + at, 0, 0, at, n);
    }
  }
  /// The numbers of rows are one after the other; a constant is the same for all.
  int row_step(int i) const {
    int const o = body_[i].operand[0];
    return o < 0 && operands_[-1 - o].kind == plan::operand_kind::constant ? 0 : 1;
  }

  void store_full() {
    bool any = false;
    for (int i = 0; i < s_.instructions; ++i) needed_[i] = false;
    for (int o = 0; o < s_.outputs; ++o) {
      if (body_[outputs_[o]].extent != extent_class::full) continue;
      needed_[outputs_[o]] = any = true;
    }
    if (!any) return;
    close_needed();
    for_each_strip([&](std::int64_t element, std::int64_t row, std::int64_t column, std::int64_t n) {
      compute_strip(element, row, column, n);
      for (int o = 0; o < s_.outputs; ++o) {
        int const i = outputs_[o];
        if (body_[i].extent == extent_class::full)
          copy(i < begin_ ? sums_ + element : value_[i], output(o) + element, n);
      }
    });
  }

  step<T> const& s_;
  instruction<T> const* body_;
  operand<T> const* operands_;
  int const* outputs_;
  plan::address const* arguments_;
  void* const* base_;
  T const* sums_;
  int begin_;  ///< the first instruction that is computed here
  T* index_strip_;
  bool numbers_columns_;
  T* value_[most_instructions];  ///< by instruction: the numbers of a strip, or all of its numbers
  double* wide_[most_instructions];
  int level_[most_instructions];
  bool needed_[most_instructions];
};

}  // namespace espalier::on_cpu::draft
#include "../../../base/diagnostics_pop.hpp"
