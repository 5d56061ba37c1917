// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../plan/device_policy.hpp"
#include "../group_types.hpp"
#include "finish.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Where the leaves of fused groups come from on a graphics processor. Random numbers are drawn where they are used, and labels read as they are, so
/// that neither is written to memory unless something else needs it there.
namespace espalier::on_cuda::detail {

using plan::leaf_kind;

/// What a graphics processor does itself. A product with a bias and ReLU is up to the machine.
template <class Machine, class T>
inline constexpr plan::device_policy policy_of{true, true, true, false};
template <class Machine, class T>
  requires requires { Machine::template can_bias_relu<T>; }
inline constexpr plan::device_policy policy_of<Machine, T>{true, true, true, Machine::template can_bias_relu<T>};

/// A program with its plans.
template <class Source, plan::device_policy Policy>
struct device_program {
  using source = Source;
  static constexpr auto const& program = espalier::plan::program_of<Source>;
  static constexpr auto const& plan = espalier::plan::plan_of<Source>;
  static constexpr auto const& own = espalier::plan::device_plan_of<Source, Policy>;

  static constexpr int leaf_number(int x, int k) { return plan.codes.groups[x].first_leaf + k; }
  static constexpr espalier::plan::leaf const& leaf_of(int x, int k) { return plan.codes.leaves[leaf_number(x, k)]; }
  static constexpr leaf_kind kind_of(int x, int k) { return own.operand_kind[leaf_number(x, k)]; }
};

/// A group's types with its leaves as they are read here.
template <class Program, int X, class L>
struct sourced_group_types;
template <class Program, int X, std::size_t... L>
struct sourced_group_types<Program, X, std::index_sequence<L...>> : fused::group_of<typename Program::source, X> {
  using leaves = fused::list<fused::leaf<Program::kind_of(X, static_cast<int>(L)), Program::leaf_of(X, static_cast<int>(L)).where,
                                         Program::leaf_of(X, static_cast<int>(L)).bits>...>;
  using stored = typename fused::group_of<typename Program::source, X>::outputs;
  using outputs = std::conditional_t<Program::own.reporting == X, reported<stored>, stored>;
};
template <class Program, int X>
using sourced_group = sourced_group_types<Program, X, fused::below<Program::plan.codes.groups[X].leaves>>;

/// What a launch is given of group X: the addresses of its leaves and outputs, and the numbers of its draws.
template <class Program, class T, int X>
struct group_addresses {
  using source = typename Program::source;
  static constexpr auto const& code = Program::plan.codes.groups[X];
  static constexpr std::size_t leaves = static_cast<std::size_t>(code.leaves), outputs = static_cast<std::size_t>(code.outputs);

  void* at[leaves + outputs + 1]{};
  std::uint64_t drawn[leaves + 1]{};

  explicit group_addresses(void* const* base) {
    fused::fill_addresses<T>(base, at, fused::places_of_group<source, X>.at, fused::below<code.leaves + code.outputs>{});
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
    constexpr leaf_kind kind = Program::kind_of(X, L);
    constexpr int node = Program::leaf_of(X, L).node;
    if constexpr (kind == leaf_kind::draw) {
      at[L] = base[espalier::plan::base::key];
      drawn[draws++] = Program::program.nodes.nodes[node].attribute;
    } else if constexpr (kind == leaf_kind::integer) {
      at[L] = fused::at<std::int32_t>(base, fused::place_of<source, Program::own.label_of[Program::leaf_number(X, L)]>);
    } else if constexpr (kind == leaf_kind::flag) {
      at[L] = fused::at<bool>(base, fused::place_of<source, Program::own.label_of[Program::leaf_number(X, L)]>);
    }
    (void)base, (void)draws;
  }
};

}  // namespace espalier::on_cuda::detail
#pragma GCC diagnostic pop
