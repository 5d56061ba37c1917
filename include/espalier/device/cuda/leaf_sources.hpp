// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../group_types.hpp"
#include "finish.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Where the leaves of fused groups come from on a graphics processor. Random numbers are drawn where they are used, and labels read as they are, so
/// that neither is written to memory unless something else needs it there.
namespace espalier::on_cuda::detail {

using plan::leaf_kind;

template <class Source>
struct leaf_sources {
  static constexpr auto const& program = espalier::plan::program_of<Source>;
  static constexpr auto const& plan = espalier::plan::plan_of<Source>;

  static constexpr espalier::plan::leaf const& leaf_of(int x, int k) { return plan.codes.leaves[plan.codes.groups[x].first_leaf + k]; }
  /// Is leaf k of group x an operand of a node that stands alone?
  static constexpr bool feeds_lone_node(int x, int k) {
    if (plan.groups.groups[x].what == espalier::plan::kind::fused) return false;
    for (int o : plan.codes.steps[plan.codes.groups[x].first_step].operand)
      if (o == -1 - k) return true;
    return false;
  }
  static constexpr leaf_kind kind_of(int x, int k) {
    espalier::plan::leaf const& l = leaf_of(x, k);
    if (l.what != leaf_kind::memory || feeds_lone_node(x, k)) return l.what;
    graph::family const f = plan.groups.family_of[l.node];
    if (f == graph::family::draw && l.where == espalier::plan::place::full) return leaf_kind::draw;
    if (f == graph::family::convert) return program.nodes.nodes[label_of(l.node)].attribute & 1u ? leaf_kind::flag : leaf_kind::integer;
    return l.what;
  }
  /// The node that holds the data of the labels: a reshape is a name of the same memory.
  static constexpr int label_of(int convert) { return plan.groups.holder_of[program.nodes.nodes[convert].operand[0]]; }

  /// Must the group of one node that draws or converts run, because its value is a result or read from memory?
  static constexpr bool must_run(int x) {
    espalier::plan::kind const what = plan.groups.groups[x].what;
    if (what != espalier::plan::kind::draw && what != espalier::plan::kind::convert) return true;
    int const id = plan.groups.groups[x].first;
    for (int i = 0; i < program.output_count; ++i)
      if (plan.groups.holder_of[program.outputs[i].id] == id) return true;
    for (int y = 1; y <= plan.groups.group_count; ++y)
      for (int k = 0; k < plan.codes.groups[y].leaves; ++k)
        if (leaf_of(y, k).node == id && kind_of(y, k) == leaf_kind::memory) return true;
    return false;
  }
  /// Does group x find the loss of a step, which the host alone reads, and nothing else that is one number?
  static constexpr bool reports(int x) {
    if constexpr (requires { Source::reports_loss; }) {
      auto const& code = plan.codes.groups[x];
      int const loss = plan.groups.holder_of[loss_of_program()];
      if (plan.groups.group_of[loss] != x || plan.groups.groups[x].what != espalier::plan::kind::fused) return false;
      if (plan.places.of[loss].where != espalier::plan::base::results || plan.codes.steps[code.first_step + plan.codes.local[loss]].where != place::single) return false;
      for (int o = 0; o < code.outputs; ++o) {
        int const id = plan.codes.outputs[code.first_output + o];
        if (id != loss && plan.codes.steps[code.first_step + plan.codes.local[id]].where == place::single) return false;
      }
      for (int i = 0; i < plan.codes.leaf_count; ++i)
        if (plan.codes.leaves[i].node == loss) return false;
      for (int i = 0; i < plan.places.copy_count; ++i)
        if (plan.places.copies[i].from.where == espalier::plan::base::results) return false;
      return true;
    } else {
      return false;
    }
  }
  static constexpr int loss_of_program() {
    for (int i = 0; i < program.output_count; ++i)
      if (program.outputs[i].where == graph::destination::result && program.outputs[i].index == 0) return program.outputs[i].id;
    return 0;
  }
  /// Is there a group that reports the loss?
  static constexpr bool reports_any() {
    for (int x = 1; x <= plan.groups.group_count; ++x)
      if (reports(x)) return true;
    return false;
  }

  /// Is a leaf of the group something else than memory of T, or its result? Then its kernel is not that of the equal group.
  static constexpr bool has_sources(int x) {
    if (reports(x)) return true;
    for (int k = 0; k < plan.codes.groups[x].leaves; ++k)
      if (kind_of(x, k) != leaf_of(x, k).what) return true;
    return false;
  }
  /// The group whose types stand for group x.
  static constexpr int kernel_of(int x) {
    int const kernel = plan.codes.groups[x].kernel;
    return has_sources(x) || has_sources(kernel) ? x : kernel;
  }
};

/// A group's types with its leaves as they are read here.
template <class Source, int X, class L>
struct sourced_group_types;
template <class Source, int X, std::size_t... L>
struct sourced_group_types<Source, X, std::index_sequence<L...>> : fused::group_of<Source, X> {
  using leaves = fused::list<fused::leaf<leaf_sources<Source>::kind_of(X, static_cast<int>(L)), leaf_sources<Source>::leaf_of(X, static_cast<int>(L)).where,
                                         leaf_sources<Source>::leaf_of(X, static_cast<int>(L)).bits>...>;
  using stored = typename fused::group_of<Source, X>::outputs;
  using outputs = std::conditional_t<leaf_sources<Source>::reports(X), reported<stored>, stored>;
};
template <class Source, int X>
using sourced_group = sourced_group_types<Source, X, fused::below<plan::plan_of<Source>.codes.groups[X].leaves>>;

/// What a launch is given of group X: the addresses of its leaves and outputs, and the numbers of its draws.
template <class Source, class T, int X>
struct group_addresses {
  using sources = leaf_sources<Source>;
  static constexpr auto const& plan = espalier::plan::plan_of<Source>;
  static constexpr auto const& code = plan.codes.groups[X];
  static constexpr std::size_t leaves = static_cast<std::size_t>(code.leaves), outputs = static_cast<std::size_t>(code.outputs);

  void* at[leaves + outputs + 1]{};
  std::uint64_t drawn[leaves + 1]{};

  explicit group_addresses(void* const* base) {
    fused::fill_addresses<T>(base, at, fused::places_of_group<Source, X>.at, fused::below<code.leaves + code.outputs>{});
    int draws = 0;
    find(base, draws, fused::below<code.leaves>{});
  }

 private:
  template <std::size_t... L>
  void find(void* const* base, int& draws, std::index_sequence<L...>) {
    (find_one<static_cast<int>(L)>(base, draws), ...);
    (void)base, (void)draws;
  }
  template <int L>
  void find_one(void* const* base, int& draws) {
    constexpr leaf_kind kind = sources::kind_of(X, L);
    constexpr int node = sources::leaf_of(X, L).node;
    if constexpr (kind == leaf_kind::draw) {
      at[L] = base[espalier::plan::base::key];
      drawn[draws++] = sources::program.nodes.nodes[node].attribute;
    } else if constexpr (kind == leaf_kind::integer) {
      at[L] = fused::at<std::int32_t>(base, fused::place_of<Source, sources::label_of(node)>);
    } else if constexpr (kind == leaf_kind::flag) {
      at[L] = fused::at<bool>(base, fused::place_of<Source, sources::label_of(node)>);
    }
    (void)base, (void)draws;
  }
};

}  // namespace espalier::on_cuda::detail
#pragma GCC diagnostic pop
