// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "check_plan.hpp"
#include "device_policy.hpp"

/// Proves what a device with a policy changes of a plan: it leaves out groups, reads some operands from elsewhere, and
/// has kernels of its own. Memory is the plan's, which check_plan proves.
namespace espalier::plan {

class device_plan_checker {
 public:
  constexpr device_plan_checker(graph::program const& p, planned const& r, device_plan const& d)
      : p_{p}, g_{p.nodes}, r_{r}, d_{d} {}

  constexpr plan_fault check() {
    for (int x = 1; x <= r_.groups.group_count; ++x) {
      if (!d_.runs[x]) continue;
      for (int k = 0; k < r_.ir.groups[x].operands; ++k) check_operand(x, r_.ir.groups[x].first_operand + k);
      check_kernel(x, d_.kernel[x]);
    }
    for (int i = 0; i < p_.output_count; ++i) check_is_written(0, owner(p_.outputs[i].id));
    return fault_;
  }

 private:
  constexpr void fail(plan_error e, int x, int value, int other) {
    if (fault_.error == plan_error::none) fault_ = {e, x, value, other, 0};
  }
  constexpr op_family family(int id) const { return g_[id].op->family; }
  constexpr int owner(int id) const {
    while (family(id) == op_family::reshape || family(id) == op_family::alias) id = g_[id].operand[0];
    return id;
  }
  /// What a group reads from memory is written by a group that runs. Parts, and concatenations whose operands are in
  /// place, are in memory without one.
  constexpr void check_is_written(int x, int id) {
    int const y = r_.groups.group_of[id];
    if (y == 0 || d_.runs[y]) return;
    kernel_kind const kind = r_.groups.groups[y].kind;
    if (kind != kernel_kind::part && kind != kernel_kind::concatenate) fail(plan_error::other_value, x, id, 0);
  }
  constexpr void check_operand(int x, int i) {
    ir_operand const& l = r_.ir.operands[i];
    operand_kind const kind = d_.kind_of_operand[i];
    if (kind == operand_kind::memory || kind == operand_kind::wide_number) {
      if (l.kind != operand_kind::memory) return fail(plan_error::other_operand, x, l.node, 0);
      if (l.node != 0) check_is_written(x, l.node);
    } else if (kind == operand_kind::random) {
      if (family(l.node) != op_family::random) fail(plan_error::other_operand, x, l.node, l.node);
    } else if (kind == operand_kind::integer || kind == operand_kind::flag) {
      if (l.kind == kind) return;  // already so in the plan
      int const label = d_.label_of[i];
      if (family(l.node) != op_family::convert || owner(g_[l.node].operand[0]) != label ||
          family(label) != op_family::label || graph::label_of(g_[label]).is_flag != (kind == operand_kind::flag))
        fail(plan_error::other_operand, x, l.node, label);
    } else if (kind != l.kind) {
      fail(plan_error::other_operand, x, l.node, 0);
    }
  }
  /// Groups with one kernel have one in the plan, too, and get their operands from the same kinds of places.
  constexpr void check_kernel(int x, int y) {
    if (x == y) return;
    bool same = r_.ir.groups[x].kernel == r_.ir.groups[y].kernel && d_.reporting != x && d_.reporting != y;
    for (int k = 0; same && k < r_.ir.groups[x].operands; ++k)
      same = d_.kind_of_operand[r_.ir.groups[x].first_operand + k] ==
             d_.kind_of_operand[r_.ir.groups[y].first_operand + k];
    if (!same) fail(plan_error::other_kernel, x, r_.groups.groups[x].first, r_.groups.groups[y].first);
  }

  graph::program const& p_;
  node_table const& g_;
  planned const& r_;
  device_plan const& d_;
  plan_fault fault_{};
};

/// The first fault of what a device changes of a plan.
constexpr plan_fault check_device_plan(graph::program const& p, planned const& r, device_plan const& d) {
  return device_plan_checker{p, r, d}.check();
}
/// Reports it, and the plan itself, if they are wrong.
template <class Program, device_policy Policy>
constexpr void prove_device_plan() {
  if constexpr (sound_program<Program>::agree) {
    prove_plan<Program>();
    constexpr plan_fault found =
        check_device_plan(graph_of<Program>, plan_of<Program>, device_plan_of<Program, Policy>);
    using value = decltype(name_value<Program, found.value>());
    using other = decltype(name_value<Program, found.other>());
    static_assert(proved_plan<typename subject_of<Program>::type, found.error, found.group, value, other,
                              found.element>::is_reported);
  }
}

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
