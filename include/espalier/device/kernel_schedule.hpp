// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/rule.hpp"
#include "../plan/kernel_ir.hpp"

/// Schedules the loops of a fused group for any device: which instructions run in which sweep over the data. The group
/// is a type, and the schedule is computed at compile time.
namespace espalier::on_device {

using plan::operand_kind;
using plan::loop_order;
using plan::extent_class;

/// One operation of a group. Its operands A, B and C are an instruction's number, or -1 minus an operand's number. Op
/// copy_op: a copy.
template <class Op, extent_class Extent, int A, int B, int C>
struct instruction {};
template <operand_kind Kind, extent_class Extent, std::uint64_t Bits>
struct operand {};
/// An instruction whose value is stored. Late: in the last sweep, because its destination is also read.
template <int Instruction, bool Late>
struct output {};
template <class... T>
struct list {};

struct copy_op {};

namespace detail {

inline constexpr int max_kernel_instructions = plan::max_instructions + 2;
static_assert(max_kernel_instructions <= 64);

struct instruction_facts {
  extent_class extent;
  bool reduces;
  bool estimated;  ///< a reduction that kernels may estimate from a few elements in memory
  bool expensive;
  bool selects;  ///< the result is operand 1 or 2, by operand 0
  int operand[3];
};
struct operand_facts {
  operand_kind kind;
  extent_class extent;
};
struct output_facts {
  int instruction;
  bool late;
};

template <class Op>
inline constexpr bool is_reduction = described<Op>.family == op_family::reduction;
template <>
inline constexpr bool is_reduction<copy_op> = false;

/// Whether kernels may estimate a reduction from a few elements in memory.
template <class Op>
inline constexpr bool is_estimated = false;
template <class Op>
  requires requires { rule<Op>::estimated; }
inline constexpr bool is_estimated<Op> = rule<Op>::estimated;

/// Whether it is faster to store and load a value of Op that is read again than to compute it twice.
template <class Op>
inline constexpr bool is_expensive = false;
template <class Op>
  requires requires { rule<Op>::expensive; }
inline constexpr bool is_expensive<Op> = rule<Op>::expensive;

/// Whether Op returns operand 1 or operand 2, by operand 0.
template <class Op>
inline constexpr bool is_selection = false;
template <class Op>
  requires requires { rule<Op>::selects; }
inline constexpr bool is_selection<Op> = rule<Op>::selects;

/// An operand that an op does not have: the number of no instruction and of no operand.
inline constexpr int absent = -1 - 2 * max_kernel_instructions;
template <class Op>
constexpr int arity_of() {
  if constexpr (std::is_same_v<Op, copy_op> || is_reduction<Op>) return 1;
  else return rule<Op>::arity;
}

template <class Op>
inline constexpr double identity_of = described<Op>.identity;
template <>
inline constexpr double identity_of<copy_op> = 0;

/// The sweeps of a group along its lines: over the columns of a row, or over the rows of a column. The result of a
/// reduction in sweep s is available from sweep s + 1 on.
struct schedule {
  /// full values: first sweep that can compute it; the others: first sweep that can use it
  int ready[max_kernel_instructions];
  int fed[max_kernel_instructions];               ///< reductions of full values: the sweep that adds to them
  int kept[max_kernel_instructions];              ///< 1 + the output or spare row that stores an expensive value, or 0
  int first[max_kernel_instructions];             ///< stored values: the sweep that computes them
  std::uint64_t needed[max_kernel_instructions];  ///< by sweep: a bit for each full value that it requires
  int sweeps, spare;                              ///< spare: rows that stored values require besides the outputs
};

/// Assigns the instructions of a group to sweeps.
template <int Instructions, int Outputs>
class scheduler {
 public:
  /// spare: the number of rows available for values besides the outputs; -1: no value is stored for a later sweep. Sums
  /// over rows are computed in the last sweep, where several rows can share their loads and stores.
  constexpr scheduler(instruction_facts const* instructions, operand_facts const* operands, output_facts const* outputs,
                      extent_class line, int spare)
      : instructions_{instructions}, operands_{operands}, outputs_{outputs}, line_{line}, room_{spare} {}

  constexpr schedule run() {
    for (int i = 0; i < Instructions; ++i) find_ready(i);
    int last = 0;
    for (int i = 0; i < Instructions; ++i)
      if (instructions_[i].extent == extent_class::full && s_.ready[i] > last) last = s_.ready[i];
    s_.sweeps = last + 1;
    for (int i = 0; i < Instructions; ++i) {
      if (!instructions_[i].reduces) continue;
      int const from = instructions_[i].operand[0];
      s_.fed[i] = -1;
      if (estimated_first(i)) continue;
      s_.fed[i] = from >= 0 ? s_.ready[from] : 0;
      if (line_ == extent_class::row && instructions_[i].extent == extent_class::column) s_.fed[i] = last;
      if (full(from)) mark_needed(s_.fed[i], from);
    }
    for (int k = 0; k < Outputs; ++k) mark_needed(stored_in(k), outputs_[k].instruction);
    for (int sweep = 0; sweep <= last; ++sweep)
      for (int i = Instructions - 1; i >= 0; --i)
        if ((s_.needed[sweep] >> i & 1u) && !is_reloaded(sweep, i))
          for (int o : instructions_[i].operand) mark_needed(sweep, o);
    return s_;
  }

 private:
  /// Whether a reduction is estimated before the first sweep: its operand must be in memory.
  constexpr bool estimated_first(int i) const {
    return instructions_[i].estimated && instructions_[i].extent == line_ && instructions_[i].operand[0] < 0 &&
           operands_[-1 - instructions_[i].operand[0]].kind == operand_kind::memory &&
           full(instructions_[i].operand[0]);
  }
  constexpr bool full(int from) const {
    return (from >= 0 ? instructions_[from].extent : operands_[-1 - from].extent) == extent_class::full;
  }
  constexpr void find_ready(int i) {
    int r = 0;
    for (int o : instructions_[i].operand)
      if (o >= 0 && s_.ready[o] > r) r = s_.ready[o];
    bool const of_full = instructions_[i].reduces && full(instructions_[i].operand[0]);
    s_.ready[i] =
        estimated_first(i) ? 0
        : instructions_[i].extent == line_ && (of_full || (instructions_[i].reduces && instructions_[i].operand[0] < 0))
            ? r + 1
            : r;
  }
  constexpr int stored_in(int k) const { return outputs_[k].late ? s_.sweeps - 1 : s_.ready[outputs_[k].instruction]; }
  constexpr void mark_needed(int sweep, int root) {
    if (root >= 0 && instructions_[root].extent == extent_class::full) s_.needed[sweep] |= std::uint64_t{1} << root;
  }
  /// Whether this sweep loads the value of instruction i instead of computing it again.
  constexpr bool is_reloaded(int sweep, int i) {
    if (!instructions_[i].expensive || room_ < 0) return false;
    if (!(visited_ >> i & 1u)) {
      visited_ |= std::uint64_t{1} << i;
      s_.first[i] = sweep;
      return false;
    }
    if (s_.kept[i] == 0) s_.kept[i] = room_for(i);
    return s_.kept[i] != 0;
  }
  /// Where to store a value for later sweeps: in its own output, if that is stored at once. Otherwise in an output that
  /// only the last sweep stores, or in a spare row.
  constexpr int room_for(int i) {
    for (int k = 0; k < Outputs; ++k)
      if (outputs_[k].instruction == i && stored_in(k) == s_.first[i]) return 1 + k;
    for (int k = 0; k < Outputs; ++k) {
      if ((reused_outputs_ >> k & 1u) || outputs_[k].late ||
          instructions_[outputs_[k].instruction].extent != extent_class::full || stored_in(k) + 1 != s_.sweeps)
        continue;
      reused_outputs_ |= std::uint64_t{1} << k;
      return 1 + k;
    }
    return s_.spare < room_ ? 1 + Outputs + s_.spare++ : 0;
  }

  instruction_facts const* instructions_;
  operand_facts const* operands_;
  output_facts const* outputs_;
  extent_class line_;
  int room_;
  schedule s_{};
  std::uint64_t visited_ = 0, reused_outputs_ = 0;
};

/// Finds the type of an instruction by its number. Overload resolution among bases takes one look-up instead of a
/// recursion.
template <int I, class Instruction>
struct numbered_instruction {};
template <class I, class... Instruction>
struct numbered_instructions;
template <int... I, class... Instruction>
struct numbered_instructions<std::integer_sequence<int, I...>, Instruction...>
    : numbered_instruction<I, Instruction>... {};
template <int I, class Instruction>
Instruction find_instruction(numbered_instruction<I, Instruction> const*);

/// Sets of instructions or operands are bits, for the sake of compile time. A set costs compilers a few operations
/// instead of many for each member. Functions with a set as template argument are shared by all groups that have this
/// set.
using bits = std::uint64_t;
constexpr bits bit(int i) { return bits{1} << i; }
constexpr int count(bits set) { return __builtin_popcountll(set); }
constexpr bool has(bits set, int i) { return set >> i & 1u; }
/// Member number k, in ascending order.
constexpr int member(bits set, int k) {
  for (; k > 0; --k) set &= set - 1;
  return __builtin_ctzll(set);
}
/// Properties of instructions and operands, as sets.
struct schedule_sets {
  bits at[5], reductions, results;  ///< at: by extent class
  /// Instructions: reductions of values that are fixed along a line, reductions estimated before the first
  /// sweep, results stored late, expensive ones.
  bits line_reductions, estimated, late, expensive;
  /// By sweep; statistics: by the sweep that they follow, from -1 on.
  bits reduced[max_kernel_instructions], stored[max_kernel_instructions], statistics[max_kernel_instructions + 1];
  bits memory[5], constants, indices, random;  ///< operands; memory: by extent class
  bits numbers;                                ///< operands in memory that are neither labels nor booleans
  int output[max_kernel_instructions];         ///< 1 + the output that stores an instruction, or 0
};

}  // namespace detail

/// The facts of a group's type as constexpr tables.
/// Line: a line is what the inner loop runs along, a row (extent_class::row) or a column (extent_class::column). Values
/// of this extent class are fixed along a line: one number for each line.
/// Spare: rows of memory besides the outputs where expensive values may be stored; -1: no value is stored for a later
/// sweep.
template <extent_class Line, int Spare, class Instructions, class Operands, class Outputs>
struct kernel_schedule;
template <extent_class Line, int Spare, class... Op, extent_class... Extent, int... A, int... B, int... C,
          operand_kind... Kind, extent_class... OperandExtent, std::uint64_t... Bits, int... Out, bool... Late>
struct kernel_schedule<Line, Spare, list<instruction<Op, Extent, A, B, C>...>,
                       list<operand<Kind, OperandExtent, Bits>...>, list<output<Out, Late>...>> {
  static constexpr int instructions = sizeof...(Op), operands = sizeof...(Kind), outputs = sizeof...(Out);
  static constexpr detail::instruction_facts instruction_at[sizeof...(Op)] = {
      {Extent,
       detail::is_reduction<Op>,
       detail::is_estimated<Op>,
       detail::is_expensive<Op>,
       detail::is_selection<Op>,
       {A, detail::arity_of<Op>() > 1 ? B : detail::absent, detail::arity_of<Op>() > 2 ? C : detail::absent}}...};
  static constexpr detail::operand_facts operand_at[sizeof...(Kind) + 1] = {{Kind, OperandExtent}..., {}};
  static constexpr detail::output_facts output_at[sizeof...(Out) + 1] = {{Out, Late}..., {}};
  static constexpr detail::schedule schedule =
      detail::scheduler<instructions, outputs>{instruction_at, operand_at, output_at, Line, Spare}.run();
  static constexpr std::uint64_t bits_at[sizeof...(Kind) + 1] = {Bits..., 0};
  static constexpr double identity_at[sizeof...(Op)] = {detail::identity_of<Op>...};

  using numbered =
      detail::numbered_instructions<std::make_integer_sequence<int, instructions>, instruction<Op, Extent, A, B, C>...>;
  template <int I>
  using instruction_type = decltype(detail::find_instruction<I>(static_cast<numbered const*>(nullptr)));

  static constexpr detail::schedule_sets sets = [] {
    using detail::bit;
    detail::schedule_sets r{};
    for (int k = outputs - 1; k >= 0; --k) {
      r.output[output_at[k].instruction] = 1 + k;
      r.results |= bit(output_at[k].instruction);
    }
    for (int i = 0; i < instructions; ++i) {
      detail::instruction_facts const& s = instruction_at[i];
      int const from = s.operand[0], k = r.output[i] - 1;
      bool const of_lines =
          s.reduces && (from >= 0 ? instruction_at[from].extent : operand_at[-1 - from].extent) == Line;
      r.at[static_cast<int>(s.extent)] |= bit(i);
      if (s.reduces) r.reductions |= bit(i);
      if (s.reduces && schedule.fed[i] >= 0 && (from < 0 || instruction_at[from].extent == extent_class::full))
        r.reduced[schedule.fed[i]] |= bit(i);
      if (of_lines) r.line_reductions |= bit(i);
      if (s.estimated && s.reduces && schedule.fed[i] < 0) r.estimated |= bit(i);
      if (k >= 0 && output_at[k].late) r.late |= bit(i);
      if (s.expensive) r.expensive |= bit(i);
      if (k >= 0 && s.extent == extent_class::full)
        r.stored[output_at[k].late ? schedule.sweeps - 1 : schedule.ready[i]] |= bit(i);
      if (s.extent == Line || (s.extent == extent_class::single && of_lines)) r.statistics[schedule.ready[i]] |= bit(i);
    }
    for (int k = 0; k < operands; ++k) {
      operand_kind const kind = operand_at[k].kind;
      if (kind == operand_kind::constant) r.constants |= bit(k);
      else if (kind == operand_kind::column_index) r.indices |= bit(k);
      else if (kind == operand_kind::random) r.random |= bit(k);
      else r.memory[static_cast<int>(operand_at[k].extent)] |= bit(k);
      if (kind == operand_kind::memory) r.numbers |= bit(k);
    }
    return r;
  }();
  static constexpr detail::bits instructions_at(extent_class extent) { return sets.at[static_cast<int>(extent)]; }

  /// Whether operand k is one value (or one pack) for a whole line.
  static constexpr bool held(int k) {
    extent_class const w = operand_at[k].extent;
    return w == extent_class::single ||
           (Line == extent_class::row && w == extent_class::row && is_memory(k, extent_class::row)) ||
           (Line == extent_class::column && w == extent_class::column);
  }
  static constexpr bool is_memory(int k, extent_class extent) { return detail::has(memory_at(extent), k); }
  /// The output that stores instruction i, or -1.
  static constexpr int output_of(int i) { return sets.output[i] - 1; }
  static constexpr bool stores(int s, int i) { return sets.stored[s] >> i & 1u; }
  /// Whether instruction i is estimated from a few elements of an operand before the first sweep.
  static constexpr bool estimated_first(int i) { return detail::has(sets.estimated, i); }
  /// Whether any instruction is.
  static constexpr bool estimates() { return sets.estimated != 0; }
  /// Whether instruction i is a reduction of full values that sweep s computes.
  static constexpr bool reduces(int s, int i) { return sets.reduced[s] >> i & 1u; }
  /// Whether sweep s loads the value of instruction i from memory, or stores it for a later sweep.
  static constexpr bool is_reloaded(int s, int i) { return schedule.kept[i] != 0 && schedule.first[i] < s; }
  static constexpr bool stores_for_later(int s, int i) {
    return schedule.kept[i] != 0 && schedule.first[i] == s &&
           !(schedule.kept[i] <= outputs && output_at[schedule.kept[i] - 1].instruction == i);
  }
  /// Whether instruction i reduces values that are fixed along a line.
  static constexpr bool reduces_lines(int i) { return detail::has(sets.line_reductions, i); }
  /// The reductions along lines that sweeps add to; the reductions of line statistics to single numbers.
  static constexpr detail::bits line_sums() {
    return sets.reductions & instructions_at(Line) & ~sets.line_reductions & ~sets.estimated;
  }
  static constexpr detail::bits reduced_lines() { return sets.line_reductions & instructions_at(extent_class::single); }
  /// Whether a result of an extent class is stored in the last sweep, because its destination is also read.
  static constexpr bool stores_late(extent_class extent) { return (sets.late & instructions_at(extent)) != 0; }
  /// The largest number of reductions with that extent class in one sweep.
  static constexpr int most_reduced(extent_class extent) {
    int most = 0;
    for (int s = 0; s < schedule.sweeps; ++s) {
      int const n = detail::count(sets.reduced[s] & instructions_at(extent));
      if (n > most) most = n;
    }
    return most;
  }
  /// Whether the order of the group's loops is free: all instructions are elementwise.
  static constexpr bool is_elementwise() {
    return sets.reductions == 0 && detail::count(instructions_at(extent_class::full)) == instructions;
  }
  static constexpr bool has_expensive_elements() { return (sets.expensive & instructions_at(extent_class::full)) != 0; }
  /// The operands that sweep s reads, that any instruction reads (those behind a product share its operands, but do not
  /// read the factors), and that instruction i reads.
  static constexpr detail::bits operands_read(int s) {
    detail::bits read = 0;
    for (int i = 0; i < instructions; ++i)
      if ((detail::has(schedule.needed[s], i) && !is_reloaded(s, i)) || reduces(s, i)) read |= operands_of(i);
    return read;
  }
  static constexpr detail::bits operands_read() {
    detail::bits read = 0;
    for (int i = 0; i < instructions; ++i) read |= operands_of(i);
    return read;
  }
  static constexpr detail::bits operands_of(int i) {
    detail::bits read = 0;
    for (int o : instruction_at[i].operand)
      if (o < 0 && o != detail::absent) read |= detail::bit(-1 - o);
    return read;
  }
  static constexpr detail::bits random_operands() { return sets.random; }
  /// The operands with a number for each element.
  static constexpr detail::bits full_numbers() { return sets.numbers & memory_at(extent_class::full); }
  static constexpr detail::bits computed(int s) { return schedule.needed[s]; }
  static constexpr detail::bits reduced(int s) { return sets.reduced[s]; }
  /// The reductions of full values with results of an extent class that sweep s adds to.
  static constexpr detail::bits reduced(int s, extent_class extent) {
    return sets.reduced[s] & instructions_at(extent);
  }
  static constexpr detail::bits stored(int s) { return sets.stored[s]; }
  /// The values that sweep s stores for a later sweep.
  static constexpr detail::bits stored_for_later(int s) {
    detail::bits r = 0;
    for (int i = 0; i < instructions; ++i)
      if (detail::has(schedule.needed[s], i) && stores_for_later(s, i)) r |= detail::bit(i);
    return r;
  }
  static constexpr detail::bits column_sums() { return sets.reductions & instructions_at(extent_class::column); }
  static constexpr int column_sums_of(int s) {
    return detail::count(sets.reduced[s] & instructions_at(extent_class::column));
  }
  static constexpr detail::bits single_sums() { return sets.reductions & instructions_at(extent_class::single); }
  /// Whether there is a reduction along rows.
  static constexpr bool reduces_rows() { return (sets.reductions & instructions_at(extent_class::row)) != 0; }
  /// The number of outputs, and of operands and outputs, that have an element for each element of the group.
  static constexpr int full_results() {
    int n = 0;
    for (int k = 0; k < outputs; ++k) n += instruction_at[output_at[k].instruction].extent == extent_class::full;
    return n;
  }
  static constexpr int full_operands() {
    int n = full_results();
    for (int k = 0; k < operands; ++k) n += is_memory(k, extent_class::full);
    return n;
  }
  /// The statistics of a line that are available after sweep s (s = -1: before the first). They are numbers of a row,
  /// or packs of a block of columns.
  static constexpr detail::bits statistics_after(int s) { return sets.statistics[s + 1]; }
  /// The instructions of an extent class that are reductions, or are not; and those that are results.
  static constexpr detail::bits instructions_at(extent_class extent, bool reduces) {
    return instructions_at(extent) & (reduces ? sets.reductions : ~sets.reductions);
  }
  static constexpr detail::bits results_at(extent_class extent) { return instructions_at(extent) & sets.results; }
  /// The operands in memory of an extent class.
  static constexpr detail::bits memory_at(extent_class extent) { return sets.memory[static_cast<int>(extent)]; }
  /// The values, fixed along a line, that sweep s reads.
  static constexpr detail::bits lines_read(int s) {
    detail::bits read = 0;
    for (detail::bits left = schedule.needed[s] | sets.reduced[s]; left != 0; left &= left - 1) {
      int const i = __builtin_ctzll(left);
      if (!reduces(s, i) && is_reloaded(s, i)) continue;
      for (int o : instruction_at[i].operand)
        if (o >= 0) read |= detail::bit(o);
    }
    return read & ~instructions_at(extent_class::full);
  }
  static constexpr bool works_in(int s) { return (schedule.needed[s] | sets.reduced[s] | sets.stored[s]) != 0; }
  /// The vector operations of sweep s, which limit how far the loop is unrolled. An expensive operation counts as 8.
  static constexpr int work(int s) {
    int w = __builtin_popcountll(sets.reduced[s]);
    for (detail::bits left = schedule.needed[s]; left != 0; left &= left - 1) {
      int const i = __builtin_ctzll(left);
      w += instruction_at[i].expensive && !is_reloaded(s, i) ? 8 : 1;
    }
    return w;
  }
};

/// Instructions with their numbers, as one type: a loop over them is an expansion in one function, and no function is
/// compiled for each of them.
template <class Facts, class Numbers>
struct numbered_list;
template <class Facts, int... I>
struct numbered_list<Facts, std::integer_sequence<int, I...>> {
  using type = list<detail::numbered_instruction<I, typename Facts::template instruction_type<I>>...>;
};

template <detail::bits Set, class K>
struct chosen;
template <detail::bits Set, int... K>
struct chosen<Set, std::integer_sequence<int, K...>> {
  using type = std::integer_sequence<int, detail::member(Set, K)...>;
};
/// The members of a set as a type.
template <detail::bits Set>
using set_members = typename chosen<Set, std::make_integer_sequence<int, detail::count(Set)>>::type;
/// The same with the instructions themselves.
template <class Facts, detail::bits Set>
using instructions_in = typename numbered_list<Facts, set_members<Set>>::type;

}  // namespace espalier::on_device
#include "../base/diagnostics_pop.hpp"
