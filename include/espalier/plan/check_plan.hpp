// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "plan.hpp"

/// Proves that a finished plan hands each kernel the values that the program names. The proof reads only what devices
/// read: groups in order, operands, results, addresses, late stores, copies and the extent of the workspace. It shares
/// no code with the passes that make a plan, and reads none of their tables (lifetimes, destinations, allocations). It
/// follows memory in pieces, "these elements of that value", so its cost does not depend on extents. Instructions are
/// compared with the nodes that they stand for, op by op. How an extent class numbers elements is not its subject:
/// tests execute that beside the interpreter.
namespace espalier::plan {

enum class plan_error : std::uint8_t {
  none,
  other_value,        ///< an operand's memory does not hold the operand
  outside,            ///< an address is outside of the workspace, or has a base that the program does not have
  not_aligned,        ///< a value of the workspace has no aligned address
  read_only,          ///< a kernel writes to memory that is only read
  other_extent,       ///< an operand has another number of elements than its kernel reads
  overwritten,        ///< a kernel overwrites an operand that it still reads
  results_overlap,    ///< two results of a kernel overlap
  incomplete_result,  ///< a result of the program is not at its destination at the end
  changed_leaf,       ///< a parameter, buffer or argument is changed, although no result belongs there
  other_operand,      ///< an instruction reads something else than its node
  other_kernel,       ///< a group shares the kernel of a group that computes something else
  too_many_pieces     ///< memory is divided into more pieces than the proof holds
};

/// What is wrong with a plan, first of all.
struct plan_fault {
  plan_error error;
  int group;  ///< the group that runs then; 0: copies and results after the last group
  int value;  ///< the node that is read or written
  /// the node that is there instead, or whose memory is overwritten; 0: nothing that is known; negative: what base
  /// -other - 1 held at the beginning
  int other;
  std::int64_t element;  ///< the first wrong element of `value`

  friend constexpr bool operator==(plan_fault const&, plan_fault const&) = default;
};

/// Elements [at, at + size) of a base are those of a value from `first` on; values as in plan_fault::other.
struct memory_piece {
  int base;
  std::int64_t at, size;
  int value;
  std::int64_t first;
};
inline constexpr int max_memory_pieces = 4096;

/// What memory holds after some groups, in the order of addresses, and the first fault. Memory that no piece has is as
/// it was when the program began.
struct checked_memory {
  memory_piece pieces[max_memory_pieces];
  int count;
  plan_fault fault;
};

class plan_checker {
 public:
  /// bases: the number of pointers that the program reads.
  constexpr plan_checker(graph::program const& p, planned const& r, storage_layout const& layout,
                         loop_workspaces const& loops, int bases, checked_memory& memory)
      : p_{p}, g_{p.nodes}, r_{r}, layout_{layout}, loops_{loops}, bases_{bases}, m_{memory} {}

  /// The caller passes the memory of an argument as that of a result, too.
  constexpr void share(int result, int argument) {
    shared_result_ = base::results + result;
    shared_argument_ = base::arguments + argument;
  }
  constexpr void check_groups(int first, int count) {
    for (int x = first; x < first + count && x <= r_.groups.group_count; ++x)
      if (!failed()) check_group(x);
  }
  /// The copies after the last group, and what must be where at the end.
  constexpr void check_end() {
    for (int i = 0; i < r_.memory.copy_count && !failed(); ++i) check_copy(r_.memory.copies[i]);
    for (int i = 0; i < p_.output_count && !failed(); ++i) {
      graph::output const& o = p_.outputs[i];
      check_value(0, o.id, destination_of(o), plan_error::incomplete_result);
    }
    for (int id = 1; id <= g_.size && !failed(); ++id) check_leaf(id);
  }

 private:
  struct access {
    int node;
    address at;
    std::int64_t size;
    extent_class extent;
  };

  constexpr bool failed() const { return m_.fault.error != plan_error::none; }
  constexpr void fail(plan_error e, int x, int value, int other, std::int64_t element = 0) {
    if (!failed()) m_.fault = {e, x, value, other, element};
  }

  // ---- what values are
  constexpr std::int64_t size_of(int id) const { return g_[id].shape.size(); }
  constexpr op_family family(int id) const { return g_[id].op->family; }
  /// The node whose elements these are: a reshape has those of its operand.
  constexpr int owner(int id) const {
    while (family(id) == op_family::reshape || family(id) == op_family::alias) id = g_[id].operand[0];
    return id;
  }
  constexpr bool find_leaf_address(int id, address& to) const {
    graph::node const& n = g_[id];
    switch (n.op->family) {
      case op_family::parameter:
        to = layout_.parameter(slot_of(n));
        return true;
      case op_family::buffer:
        to = layout_.buffer(slot_of(n));
        return true;
      case op_family::hyperparameter:
        to = {base::hyperparameters, position_of(n)};
        return true;
      case op_family::label:
        to = {base::arguments + label_of(n).position, 0};
        return true;
      case op_family::argument:
        to = {base::arguments + position_of(n), 0};
        return true;
      case op_family::values:
        to = {base::values, offset_of(n)};
        return true;
      default:
        return false;
    }
  }
  /// The first element of a move that is one run of its operand, in order; -1: it is none. An element of the operand is
  /// at start + the sum of step * stride * index over the axes of the result, and a run has the strides of the result.
  constexpr std::int64_t run_of(int id) const {
    graph::node const& n = g_[id];
    index_map const& map = g_.maps[map_of(n)];
    extents const &from = g_[n.operand[0]].shape, &to = n.shape;
    std::int64_t stride[max_rank]{}, begin = 0, next = 1;
    for (int a = from.rank - 1; a >= 0; next *= from.at[a--]) {
      int low = map.start[a], high = map.start[a];
      for (int i = 0; i < map.rank; ++i)
        if (map.source[i] == a) (map.step[i] < 0 ? low : high) += map.step[i] * (to.at[i] - 1);
      if (map.divisor[a] != 1 || low < 0 || high >= from.at[a]) return -1;
      stride[a] = next;
      begin += map.start[a] * next;
    }
    next = 1;
    for (int i = map.rank - 1; i >= 0; next *= to.at[i--])
      if (to.at[i] != 1 && map.step[i] * stride[map.source[i]] != next) return -1;
    return begin;
  }
  constexpr bool is_flat(graph::node const& n) const { return n.shape.product(0, axis_of(n)) == 1; }
  /// Calls f(value, first, size) for the runs of which elements [first, first + size) of a value consist, in order,
  /// until it returns false. Values that only place others beside each other consist of these.
  template <class F>
  constexpr bool for_each_run(int id, std::int64_t first, std::int64_t size, F const& f) const {
    if (size <= 0) return true;
    id = owner(id);
    graph::node const& n = g_[id];
    if (address a{}; find_leaf_address(id, a)) return f(-a.base - 1, a.offset + first, size);
    if (n.op->family == op_family::part) return for_each_run(n.operand[0], graph::part_of(n) + first, size, f);
    if (n.op->family == op_family::move && kind_of(id) == kernel_kind::part) {
      if (std::int64_t const at = run_of(id); at >= 0) return for_each_run(n.operand[0], at + first, size, f);
    } else if (n.op->family == op_family::concatenate && is_flat(n)) {
      std::int64_t const head = size_of(n.operand[0]), end = first + size, cut = first < head ? head : first;
      return for_each_run(n.operand[0], first, (end < head ? end : head) - first, f) &&
             for_each_run(n.operand[1], cut - head, end - cut, f);
    } else if (n.op->family == op_family::pack) {
      std::int64_t const at = graph::pack_of(n).offset, behind = at + size_of(n.operand[0]), end = first + size;
      auto const rest = [&](std::int64_t from, std::int64_t to) {
        return to <= from ||
               (n.operand[1] != 0 ? for_each_run(n.operand[1], from, to - from, f) : f(0, from, to - from));
      };
      std::int64_t const from = first > at ? first : at, to = end < behind ? end : behind,
                         after = first > behind ? first : behind;
      return rest(first, end < at ? end : at) && for_each_run(n.operand[0], from - at, to - from, f) &&
             rest(after, end);
    }
    return f(id, first, size);
  }
  constexpr kernel_kind kind_of(int id) const {
    int const x = r_.groups.group_of[id];
    return x == 0 ? kernel_kind::fused : r_.groups.groups[x].kind;
  }

  // ---- memory
  constexpr address moved(address a) const {
    if (a.base == shared_result_) a.base = shared_argument_;
    return a;
  }
  constexpr address address_of(int id) const { return moved(r_.memory.address_of[id]); }
  static constexpr bool overlap(address a, std::int64_t n, address b, std::int64_t m) {
    return a.base == b.base && a.offset < b.offset + m && b.offset < a.offset + n;
  }
  static constexpr bool overlap(access const& a, access const& b) { return overlap(a.at, a.size, b.at, b.size); }
  static constexpr bool is_same(address a, address b) { return a.base == b.base && a.offset == b.offset; }
  /// The first piece that ends behind an address.
  constexpr int find(int of, std::int64_t at) const {
    int low = 0, high = m_.count;
    while (low < high) {
      int const middle = (low + high) / 2;
      memory_piece const& s = m_.pieces[middle];
      if (s.base < of || (s.base == of && s.at + s.size <= at)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  /// Calls f(value, first, size) for what is in memory from an address on, until it returns false.
  template <class F>
  constexpr void for_each_piece(address a, std::int64_t size, F const& f) const {
    std::int64_t at = a.offset, end = at + size;
    for (int i = find(a.base, at); at < end;) {
      bool const past = i == m_.count || m_.pieces[i].base != a.base || m_.pieces[i].at >= end;
      std::int64_t const begin = past ? end : m_.pieces[i].at;
      if (at < begin) {
        if (!f(a.base == base::workspace ? 0 : -a.base - 1, at, begin - at)) return;
        at = begin;
        continue;
      }
      memory_piece const& s = m_.pieces[i++];
      std::int64_t const skipped = at - s.at, n = s.size - skipped < end - at ? s.size - skipped : end - at;
      if (!f(s.value, s.first + skipped, n)) return;
      at += n;
    }
  }
  constexpr bool is_in_bounds(int x, int id, address a, std::int64_t size) {
    if (a.base < 0 || a.base >= bases_ || a.offset < 0 ||
        (a.base == base::workspace && a.offset + size > r_.memory.workspace)) {
      fail(plan_error::outside, x, id, 0);
      return false;
    }
    if (a.base == base::workspace && a.offset % aligned_elements != 0) fail(plan_error::not_aligned, x, id, 0);
    return !failed();
  }
  /// Whether memory holds a value. Gaps of a vector of packed tensors hold anything.
  constexpr void check_value(int x, int id, address a, plan_error error = plan_error::other_value) {
    if (!is_in_bounds(x, id, a, size_of(id))) return;
    std::int64_t element = 0;
    for_each_run(id, 0, size_of(id), [&](int value, std::int64_t first, std::int64_t size) {
      if (value == 0) {
        element += size;
        return true;
      }
      for_each_piece({a.base, a.offset + element}, size, [&](int found, std::int64_t from, std::int64_t n) {
        if (found != value || from != first) fail(error, x, id, found, element);
        first += n;
        element += n;
        return !failed();
      });
      return !failed();
    });
  }
  /// Whether a kernel may write there: to the workspace, where results of the program belong, and to the memory of
  /// vectors of packed tensors.
  constexpr bool is_writable(address a, std::int64_t size) const {
    for (std::int64_t const end = a.offset + size; a.base != base::workspace && a.offset < end;) {
      std::int64_t behind = a.offset;
      auto const covers = [&](address to, std::int64_t n) {
        if (overlap(to, n, a, 1)) behind = to.offset + n;
      };
      for (int i = 0; i < p_.output_count; ++i) covers(destination_of(p_.outputs[i]), size_of(p_.outputs[i].id));
      for (int id = 1; id <= g_.size && behind == a.offset; ++id)
        if (r_.groups.group_of[id] != 0 && family(id) == op_family::pack && is_place_of_vector(id))
          covers(r_.memory.address_of[id], size_of(id));
      if (behind == a.offset) return false;
      a.offset = behind;
    }
    return true;
  }
  constexpr bool is_place_of_vector(int id) const {
    address const at = r_.memory.address_of[id];
    if (!espalier::detail::is_null(layout_.vector_addresses))
      return is_same(at, layout_.vector_addresses[graph::pack_of(g_[id]).vector]);
    return at.base == base::gradients && at.offset >= 0 && at.offset + size_of(id) <= r_.memory.packed;
  }
  constexpr void put(memory_piece const& s) {
    if (s.size <= 0) return;
    int const first = find(s.base, s.at);
    int last = first;
    std::int64_t const end = s.at + s.size;
    while (last < m_.count && m_.pieces[last].base == s.base && m_.pieces[last].at < end) ++last;
    memory_piece head{}, tail{};
    if (first < last) {
      head = m_.pieces[first];
      head.size = s.at - head.at;
      tail = m_.pieces[last - 1];
      std::int64_t const cut = end - tail.at;
      tail.at += cut;
      tail.size -= cut;
      tail.first += cut;
    }
    int const added = 1 + (head.size > 0) + (tail.size > 0), shift = added - (last - first);
    if (m_.count + shift > max_memory_pieces) return fail(plan_error::too_many_pieces, 0, 0, 0);
    if (shift > 0)
      for (int i = m_.count - 1; i >= last; --i) m_.pieces[i + shift] = m_.pieces[i];
    if (shift < 0)
      for (int i = last; i < m_.count; ++i) m_.pieces[i + shift] = m_.pieces[i];
    m_.count += shift;
    int i = first;
    if (head.size > 0) m_.pieces[i++] = head;
    m_.pieces[i++] = s;
    if (tail.size > 0) m_.pieces[i] = tail;
  }
  constexpr void write(int x, int id, address a) {
    if (!is_in_bounds(x, id, a, size_of(id))) return;
    if (!is_writable(a, size_of(id))) return fail(plan_error::read_only, x, id, -a.base - 1);
    for_each_run(id, 0, size_of(id), [&](int value, std::int64_t first, std::int64_t size) {
      put({a.base, a.offset, size, value, first});
      a.offset += size;
      return true;
    });
  }

  // ---- groups
  constexpr bool is_in_memory(ir_operand const& l) const { return l.kind == operand_kind::memory && l.node != 0; }
  constexpr ir_operand const& operand_of(int x, int i) const {
    return r_.ir.operands[r_.ir.groups[x].first_operand + i];
  }
  constexpr ir_instruction const& instruction_of(int x, int i) const {
    return r_.ir.instructions[r_.ir.groups[x].first_instruction + i];
  }
  constexpr access read_of(int x, int i) const {
    ir_operand const& l = operand_of(x, i);
    return {l.node, address_of(l.node), size_of(l.node), l.extent};
  }
  /// The operand that the first instruction of an unfused group has at position k.
  constexpr access read_by_first(int x, int k) const { return read_of(x, -1 - instruction_of(x, 0).operand[k]); }
  constexpr access result_of(int x, int i) const {
    int const id = r_.ir.outputs[r_.ir.groups[x].first_output + i];
    bool const is_loop = r_.groups.groups[x].kind == kernel_kind::loop && id == r_.groups.groups[x].first;
    return {id, address_of(id), is_loop ? loops_.of(id) : size_of(id), r_.groups.extent_of[id]};
  }
  static constexpr bool reduces(ir_instruction const& s) {
    return !espalier::detail::is_null(s.op) && s.op->family == op_family::reduction;
  }
  static constexpr int arity(ir_instruction const& s) {
    return espalier::detail::is_null(s.op) || reduces(s) ? 1 : s.op->arity < 3 ? s.op->arity : 3;
  }
  static constexpr std::int64_t elements(group const& g, extent_class extent) {
    return extent == extent_class::full     ? g.size
           : extent == extent_class::row    ? g.rows
           : extent == extent_class::column ? g.columns
                                            : 1;
  }
  constexpr void check_read(int x, access const& a) {
    if (!failed()) check_value(x, a.node, a.at);
  }
  constexpr void write_results(int x) {
    for (int i = 0; i < r_.ir.groups[x].outputs && !failed(); ++i) {
      access const b = result_of(x, i);
      if (b.node != r_.groups.groups[x].first || r_.groups.groups[x].kind != kernel_kind::loop) write(x, b.node, b.at);
      else if (is_in_bounds(x, b.node, b.at, b.size)) put({b.at.base, b.at.offset, b.size, 0, 0});
    }
  }
  constexpr void check_results_apart(int x) {
    for (int i = 0; i < r_.ir.groups[x].outputs; ++i)
      for (int k = 0; k < i; ++k)
        if (access const a = result_of(x, i), b = result_of(x, k); overlap(a, b))
          fail(plan_error::results_overlap, x, a.node, b.node);
  }
  constexpr void check_untouched(int x, access const& a) {
    for (int i = 0; i < r_.ir.groups[x].outputs; ++i)
      if (access const b = result_of(x, i); overlap(a, b)) fail(plan_error::overwritten, x, b.node, a.node);
  }

  constexpr void check_group(int x) {
    group const& g = r_.groups.groups[x];
    for (int id = g.first; id != 0 && g.kind != kernel_kind::loop && g.kind != kernel_kind::part;
         id = r_.groups.next[id])
      if (!stands_for(x, id)) return fail(plan_error::other_operand, x, id, 0);
    if (r_.ir.groups[x].kernel != x) check_kernel(x, r_.ir.groups[x].kernel);
    switch (g.kind) {
      case kernel_kind::fused:
        return check_fused(x);
      case kernel_kind::part:
        // Nothing runs: its readers find the value where it is, and the last of them may stand before this group.
        return;
      case kernel_kind::pack:
        return check_pack(x);
      case kernel_kind::concatenate:
        return check_concatenation(x);
      case kernel_kind::index_copy:
        return check_index_copy(x);
      case kernel_kind::exchange:
        check_read(x, read_of(x, 0));
        if (!is_same(read_of(x, 0).at, result_of(x, 0).at)) check_untouched(x, read_of(x, 0));
        return write_results(x);
      case kernel_kind::contraction:
        if (r_.ir.groups[x].instructions > 1) return check_product_with_steps(x);
        break;
      default:
        break;
    }
    for (int i = 0; i < r_.ir.groups[x].operands; ++i) {
      if (!is_in_memory(operand_of(x, i))) continue;
      check_read(x, read_of(x, i));
      check_untouched(x, read_of(x, i));
    }
    check_results_apart(x);
    write_results(x);
  }
  constexpr bool is_result_of(int x, int id) const {
    for (int i = 0; i < r_.ir.groups[x].outputs; ++i)
      if (r_.ir.outputs[r_.ir.groups[x].first_output + i] == id) return true;
    return false;
  }
  /// Whether the instruction of a member of a group has its op, and reads its operands. A member without one is in no
  /// memory: who reads it computes it again.
  constexpr bool stands_for(int x, int id) const {
    graph::node const& n = g_[id];
    int const i = r_.ir.local[id];
    if (i == -1 && id != r_.groups.groups[x].first) return !is_result_of(x, id);
    if (i < 0 || i >= r_.ir.groups[x].instructions) return false;
    ir_instruction const& s = instruction_of(x, i);
    if (r_.groups.groups[x].kind != kernel_kind::fused && i == 0) return reads_operands(x, id);
    if (espalier::detail::is_null(s.op)) return denotes(x, s.operand[0], id);
    return espalier::detail::same_address(s.op, n.op) && reads_operands_of(x, s, n);
  }
  constexpr bool reads_operands_of(int x, ir_instruction const& s, graph::node const& n) const {
    bool same = true;
    for (int k = 0; k < arity(s) && same; ++k) same = denotes(x, s.operand[k], n.operand[k]);
    return same ||
           (n.op->commutative && denotes(x, s.operand[0], n.operand[1]) && denotes(x, s.operand[1], n.operand[0]));
  }
  /// Whether an instruction or operand of a group is a value: that of a member, one that is computed again, or one from
  /// memory, which extents repeat as a broadcast does.
  constexpr bool denotes(int x, int reference, int id) const {
    id = owner(id);
    graph::node const& n = g_[id];
    if (reference >= 0) {
      ir_instruction const& s = instruction_of(x, reference);
      if (r_.groups.group_of[id] == x && r_.ir.local[id] == reference) return true;  // checked as a member
      if (!espalier::detail::is_null(s.op) && espalier::detail::same_address(s.op, n.op))
        return reads_operands_of(x, s, n);
    } else {
      ir_operand const& l = operand_of(x, -1 - reference);
      if (l.kind == operand_kind::constant && n.op->family == op_family::constant) return l.bits == constant_bits_of(n);
      if (l.kind == operand_kind::column_index && n.op->family == op_family::column_index) return true;
      if (l.kind == operand_kind::memory && l.node == id) return true;
    }
    return n.op->family == op_family::broadcast && denotes(x, reference, n.operand[0]);
  }
  /// Whether the first instruction of an unfused group reads the operands of its node, or what windows of it would
  /// show.
  constexpr bool reads_operands(int x, int id) const {
    group const& g = r_.groups.groups[x];
    graph::node const& n = g_[id];
    if (g.kind == kernel_kind::window_sum) {
      window_sum const sum = find_window_sum(g_, id);
      return read_by_first(x, 0).node == owner(g_[sum.window].operand[0]) &&
             read_by_first(x, 1).node == owner(sum.factor);
    }
    for (int k = 0; k < 3 && k < n.op->arity && n.operand[k] != 0; ++k) {
      int const expected = owner(n.operand[k]), found = read_by_first(x, k).node;
      if (found != (g.windowed && k == 0 ? owner(g_[expected].operand[0]) : expected)) return false;
    }
    return true;
  }
  /// Groups that share a kernel have the same instructions, extents and counts; only addresses differ.
  constexpr void check_kernel(int x, int y) {
    group const &a = r_.groups.groups[x], &b = r_.groups.groups[y];
    kernel_body const &p = r_.ir.groups[x], &q = r_.ir.groups[y];
    // Kernels of a single op that is not fused have no sweeps.
    bool same = a.kind == b.kind && a.order == b.order && a.rows == b.rows && a.columns == b.columns &&
                a.segments == b.segments && a.size == b.size && p.instructions == q.instructions &&
                p.operands == q.operands && p.outputs == q.outputs && q.kernel == y;
    for (int i = 0; same && i < p.instructions; ++i) {
      ir_instruction const &s = instruction_of(x, i), &t = instruction_of(y, i);
      same = espalier::detail::same_address(s.op, t.op) && s.extent == t.extent;
      for (int k = 0; same && k < arity(s); ++k) same = s.operand[k] == t.operand[k];
    }
    for (int i = 0; same && i < p.operands; ++i) {
      ir_operand const &s = operand_of(x, i), &t = operand_of(y, i);
      same = s.extent == t.extent && s.kind == t.kind && s.bits == t.bits && (s.node == 0) == (t.node == 0) &&
             (s.node == 0 || size_of(s.node) == size_of(t.node));
    }
    for (int i = 0; same && i < p.outputs; ++i) {
      int const s = r_.ir.outputs[p.first_output + i], t = r_.ir.outputs[q.first_output + i];
      same = r_.ir.local[s] == r_.ir.local[t] && size_of(s) == size_of(t) &&
             ((a.kind != kernel_kind::fused && p.instructions == 1) || r_.memory.late[s] == r_.memory.late[t]);
    }
    if (!same) fail(plan_error::other_kernel, x, a.first, b.first);
  }
  constexpr void check_pack(int x) {
    access const a = read_by_first(x, 0);
    check_read(x, a);
    int const id = r_.groups.groups[x].first;
    address to = address_of(id);
    to.offset += graph::pack_of(g_[id]).offset;
    if (is_same(to, a.at)) return;
    if (overlap(to, a.size, a.at, a.size)) return fail(plan_error::overwritten, x, id, a.node);
    if (!failed()) write(x, a.node, to);
  }
  constexpr void check_concatenation(int x) {
    graph::node const& n = g_[r_.groups.groups[x].first];
    bool const twice = r_.ir.groups[x].operands < 2;
    access const a = read_by_first(x, 0), b = twice ? a : read_by_first(x, 1);
    check_read(x, a);
    check_read(x, b);
    address const to = address_of(r_.groups.groups[x].first);
    if (is_flat(n) && is_same(a.at, to) && is_same(b.at, {to.base, to.offset + a.size})) return;
    check_untouched(x, a);
    check_untouched(x, b);
    write_results(x);
  }
  /// Only the slices are written where the tensor is in the memory of the result.
  constexpr void check_index_copy(int x) {
    for (int k = 0; k < 3; ++k) {
      access const a = read_by_first(x, k);
      check_read(x, a);
      if (k > 0 || !is_same(a.at, result_of(x, 0).at)) check_untouched(x, a);
    }
    write_results(x);
  }
  /// A product stores its sums in the memory of its result, or of the first one, before the steps behind it read
  /// anything.
  constexpr void check_product_with_steps(int x) {
    group const& g = r_.groups.groups[x];
    kernel_body const& k = r_.ir.groups[x];
    if (k.outputs == 0) return fail(plan_error::incomplete_result, x, g.first, 0);
    access const sums{g.first, r_.memory.stored[g.first] ? address_of(g.first) : result_of(x, 0).at, size_of(g.first),
                      extent_class::full};
    if (!r_.memory.stored[g.first] && result_of(x, 0).size < sums.size)
      return fail(plan_error::outside, x, g.first, result_of(x, 0).node);
    for (int i = 0; i < 2; ++i) {
      access const a = read_by_first(x, i);
      check_read(x, a);
      check_untouched(x, a);
      if (overlap(a, sums)) fail(plan_error::overwritten, x, g.first, a.node);
    }
    for (int i = 0; i < k.operands; ++i) {
      if (!is_in_memory(operand_of(x, i)) || !is_read_behind_first(x, i)) continue;
      access const a = read_of(x, i);
      if (a.node == g.first) continue;
      if (elements(g, a.extent) != a.size) fail(plan_error::other_extent, x, a.node, 0);
      check_read(x, a);
      if (overlap(a, sums)) fail(plan_error::overwritten, x, g.first, a.node);
      for (int o = 0; o < k.outputs; ++o) {
        access const b = result_of(x, o);
        if (overlap(a, b) && !(is_same(a.at, b.at) && a.extent == b.extent))
          fail(plan_error::overwritten, x, b.node, a.node);
      }
    }
    check_results_apart(x);
    write_results(x);
  }
  constexpr bool is_read_behind_first(int x, int i) const {
    for (int s = 1; s < r_.ir.groups[x].instructions; ++s)
      for (int k = 0; k < arity(instruction_of(x, s)); ++k)
        if (instruction_of(x, s).operand[k] == -1 - i) return true;
    return false;
  }

  /// By instruction: after how many sweeps along the lines of its group it is known. count: the sweeps of the group.
  struct sweep_table {
    int ready[2 * max_instructions];
    int count;
  };
  constexpr sweep_table find_sweeps(int x) const {
    extent_class const line =
        r_.groups.groups[x].order == loop_order::columns ? extent_class::column : extent_class::row;
    sweep_table s{};
    s.count = 1;
    for (int i = 0; i < r_.ir.groups[x].instructions; ++i) {
      ir_instruction const& n = instruction_of(x, i);
      int& ready = s.ready[i];
      for (int k = 0; k < arity(n); ++k)
        if (n.operand[k] >= 0 && s.ready[n.operand[k]] > ready) ready = s.ready[n.operand[k]];
      bool const from_full = n.operand[0] < 0 || instruction_of(x, n.operand[0]).extent == extent_class::full;
      if (reduces(n) && n.extent == line && from_full) ++ready;
      if (n.extent == extent_class::full && ready + 1 > s.count) s.count = ready + 1;
    }
    return s;
  }
  constexpr void check_fused(int x) {
    group const& g = r_.groups.groups[x];
    kernel_body const& k = r_.ir.groups[x];
    for (int i = 0; i < k.operands; ++i) {
      if (!is_in_memory(operand_of(x, i))) continue;
      access const a = read_of(x, i);
      if (elements(g, a.extent) != a.size) return fail(plan_error::other_extent, x, a.node, 0);
      check_read(x, a);
    }
    check_results_apart(x);
    for (int i = 0; i < k.operands && !failed(); ++i) {
      if (!is_in_memory(operand_of(x, i))) continue;
      for (int o = 0; o < k.outputs; ++o)
        if (access const a = read_of(x, i), b = result_of(x, o); overlap(a, b) && !may_overwrite(x, i, a, b))
          fail(plan_error::overwritten, x, b.node, a.node);
    }
    write_results(x);
  }
  /// Whether a fused group has read each element of operand i when it stores that element of a result.
  constexpr bool may_overwrite(int x, int i, access const& a, access const& b) const {
    group const& g = r_.groups.groups[x];
    int const own = r_.ir.local[b.node];
    ir_instruction const& n = instruction_of(x, own);
    if (!is_same(a.at, b.at) || a.size != b.size || a.extent != n.extent) return false;
    sweep_table const s = find_sweeps(x);
    bool const by_columns = g.order == loop_order::columns;
    if (n.extent == extent_class::full) return (s.count == 1 && g.segments <= 1) || r_.memory.late[b.node];
    if (n.extent == extent_class::row) return !by_columns || s.count == 1;
    if (n.extent != extent_class::column) return true;
    // Sums over rows are in memory from the first row on.
    if (!by_columns) return g.rows == 1 || (!reduces(n) && !is_read_per_element(x, i, own));
    if (s.ready[own] >= s.count) return true;
    for (int y = 0; y < r_.ir.groups[x].instructions; ++y)
      for (int k = 0; k < arity(instruction_of(x, y)); ++k)
        if (instruction_of(x, y).operand[k] == -1 - i &&
            (instruction_of(x, y).extent == extent_class::full || s.ready[y] > s.ready[own]))
          return false;
    return true;
  }
  /// Whether an instruction beside instruction `own` and its operands reads operand i, or one of those that has a
  /// number for each element.
  constexpr bool is_read_per_element(int x, int i, int own) const {
    bool needed[2 * max_instructions]{};
    needed[own] = true;
    for (int y = r_.ir.groups[x].instructions - 1; y >= 0; --y)
      for (int k = 0; k < arity(instruction_of(x, y)); ++k) {
        int const from = instruction_of(x, y).operand[k];
        if (from >= 0) needed[from] = needed[from] || needed[y];
        else if (from == -1 - i && (!needed[y] || instruction_of(x, y).extent != extent_class::column)) return true;
      }
    return false;
  }

  // ---- the end
  constexpr address destination_of(graph::output const& o) const {
    switch (o.where) {
      case graph::destination::gradient:
        return layout_.gradient(o.index);
      case graph::destination::parameter:
        return layout_.parameter(o.index);
      case graph::destination::buffer:
        return layout_.buffer(o.index);
      default:
        return moved({base::results + o.index, 0});
    }
  }
  constexpr void check_copy(final_copy const& c) {
    address const from = moved(c.from), to = moved(c.to);
    if (!is_in_bounds(0, 0, from, c.size) || !is_in_bounds(0, 0, to, c.size)) return;
    if (overlap(from, c.size, to, c.size) && !is_same(from, to)) return fail(plan_error::overwritten, 0, 0, 0);
    // What is there is taken first: both may be pieces of one base.
    int const count = count_pieces(from, c.size);
    memory_piece* const copied = new memory_piece[static_cast<std::size_t>(count)];
    int i = 0;
    std::int64_t at = to.offset;
    for_each_piece(from, c.size, [&](int value, std::int64_t first, std::int64_t size) {
      copied[i++] = {to.base, at, size, value, first};
      at += size;
      return true;
    });
    for (i = 0; i < count; ++i) put(copied[i]);
    delete[] copied;
  }
  constexpr int count_pieces(address from, std::int64_t size) const {
    int count = 0;
    for_each_piece(from, size, [&](int, std::int64_t, std::int64_t) {
      ++count;
      return true;
    });
    return count;
  }
  constexpr void check_leaf(int id) {
    address a{};
    if (!r_.groups.needed[id] || !find_leaf_address(id, a) || a.base == shared_argument_) return;
    std::int64_t at = a.offset;
    int found = -a.base - 1;
    for_each_piece(a, size_of(id), [&](int value, std::int64_t first, std::int64_t size) {
      if (value != -a.base - 1 || first != at) found = value;
      at += size;
      return found == -a.base - 1;
    });
    if (found == -a.base - 1 && at == a.offset + size_of(id)) return;
    for (int i = 0; i < p_.output_count; ++i)
      if (overlap(destination_of(p_.outputs[i]), size_of(p_.outputs[i].id), a, size_of(id))) return;
    fail(plan_error::changed_leaf, 0, id, found);
  }

  graph::program const& p_;
  node_table const& g_;
  planned const& r_;
  storage_layout const& layout_;
  loop_workspaces const& loops_;
  int bases_;
  checked_memory& m_;
  int shared_result_ = -2, shared_argument_ = -2;
};

/// The first fault of a plan. bases: as of base_count.
constexpr plan_fault check_plan(graph::program const& p, planned const& r, storage_layout const& layout,
                                loop_workspaces const& loops = {}, int bases = base::count) {
  checked_memory* const m = new checked_memory{};
  plan_checker checker{p, r, layout, loops, bases, *m};
  checker.check_groups(1, r.groups.group_count);
  checker.check_end();
  plan_fault const found = m->fault;
  delete m;
  return found;
}
/// The same for a call that passes the memory of an argument as that of a result.
constexpr plan_fault check_shared_plan(graph::program const& p, planned const& r, storage_layout const& layout,
                                       int result, int argument, loop_workspaces const& loops = {}) {
  checked_memory* const m = new checked_memory{};
  plan_checker checker{p, r, layout, loops, base::count, *m};
  checker.share(result, argument);
  checker.check_groups(1, r.groups.group_count);
  checker.check_end();
  plan_fault const found = m->fault;
  delete m;
  return found;
}

/// What memory holds after `Pieces` pieces of a plan. Each piece is a variable, and so an evaluation, of its own.
inline constexpr int groups_per_check = 24;
template <class Program, int Pieces>
inline constexpr checked_memory checked_until = [] {
  checked_memory m = checked_until<Program, Pieces - 1>;
  storage_layout const layout = Program::layout();
  plan_checker{graph_of<Program>, plan_of<Program>, layout, workspaces_of_loops<Program>(), base_count<Program>, m}
      .check_groups((Pieces - 1) * groups_per_check + 1, groups_per_check);
  return m;
}();
template <class Program>
inline constexpr checked_memory checked_until<Program, 0> = {};
template <class Program>
inline constexpr plan_fault fault_of_plan = [] {
  checked_memory m =
      checked_until<Program, (plan_of<Program>.groups.group_count + groups_per_check - 1) / groups_per_check>;
  storage_layout const layout = Program::layout();
  plan_checker{graph_of<Program>, plan_of<Program>, layout, workspaces_of_loops<Program>(), base_count<Program>, m}
      .check_end();
  return m.fault;
}();

/// "the op exp", in a message: a text of its length, and not a shorter one, which clang prints as numbers.
template <std::size_t Length>
struct op_name {
  char text[Length]{};
  consteval op_name() = default;
  consteval op_name(char const (&name)[Length]) {
    for (std::size_t i = 0; i < Length; ++i) text[i] = name[i];
  }
};
template <class Program, int Node>
consteval auto name_op() {
  constexpr char before[] = "the op ";
  constexpr char const* name = graph_of<Program>.nodes[Node].op->name;
  constexpr std::size_t length = [] {
    std::size_t n = 0;
    while (name[n] != 0) ++n;
    return n;
  }();
  op_name<sizeof before + length> words;
  for (std::size_t i = 0; before[i] != 0; ++i) words.text[i] = before[i];
  for (std::size_t i = 0; i < length; ++i) words.text[sizeof before - 1 + i] = name[i];
  return words;
}
/// A value in a message: its number, as report/plan_text.hpp prints it, and its op.
template <int Node, op_name Op>
struct value_of_plan {};
/// What memory was given with the program, or nothing that is known.
struct no_value_of_plan {};
template <class Program, int Node>
constexpr auto name_value() {
  if constexpr (Node > 0) return value_of_plan<Node, name_op<Program, Node>()>{};
  else return no_value_of_plan{};
}

/// Reports a wrong plan: a fault of this library, found when a program is compiled with ESPALIER_CHECK_PLANS. Value is
/// what kernel number Kernel reads or writes, Other what is in its memory, or is overwritten.
template <class Subject, plan_error Error, int Kernel, class Value, class Other, std::int64_t Element>
struct proved_plan {
  static constexpr bool is_reported = true;  ///< whatever the plan is: one error suffices
  static constexpr bool finds_values = Error != plan_error::other_value && Error != plan_error::incomplete_result &&
                                       Error != plan_error::changed_leaf && Error != plan_error::other_operand;
  static_assert(finds_values,
                "ESPALIER_CHECK_PLANS: the plan of this program is wrong: a kernel or result does not find its value, "
                "another one is in its memory; this is a fault of espalier, please report the program");
  static constexpr bool keeps_values =
      Error != plan_error::overwritten && Error != plan_error::results_overlap && Error != plan_error::read_only;
  static_assert(keeps_values,
                "ESPALIER_CHECK_PLANS: the plan of this program is wrong: a kernel overwrites what is still read; this "
                "is a fault of espalier, please report the program");
  static constexpr bool has_memory = Error != plan_error::outside && Error != plan_error::not_aligned &&
                                     Error != plan_error::other_extent && Error != plan_error::other_kernel;
  static_assert(has_memory,
                "ESPALIER_CHECK_PLANS: the plan of this program is wrong: an address or extent does not fit its "
                "kernel; this is a fault of espalier, please report the program");
  static constexpr bool is_held = Error != plan_error::too_many_pieces;
  static_assert(is_held,
                "ESPALIER_CHECK_PLANS: the memory of this program has more pieces than the check holds; compile the "
                "program without ESPALIER_CHECK_PLANS");
};
/// Reports the plans of a program and of the bodies of its loops if they are wrong.
template <class Program>
constexpr void prove_plan() {
  // A fault of the program itself is reported elsewhere, and its plan does not run.
  if constexpr (sound_program<Program>::agree) {
    constexpr plan_fault found = fault_of_plan<Program>;
    using value = decltype(name_value<Program, found.value>());
    using other = decltype(name_value<Program, found.other>());
    static_assert(proved_plan<typename subject_of<Program>::type, found.error, found.group, value, other,
                              found.element>::is_reported);
    []<int... I>(std::integer_sequence<int, I...>) {
      (prove_plan<loop_program<Program, loops_of<Program>.loop[I]>>(), ...);
    }
    (std::make_integer_sequence<int, loops_of<Program>.count>{});
  }
}

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
