// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "alone.hpp"
#include "fused_group.hpp"
#include "leaf_sources.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// From a plan to launches: each group's kernels in their order, on addresses of the device.
namespace espalier::on_cuda {

namespace detail {

/// Group X of a program as a fused_group.
template <class Source, class T, int X>
struct planned_group {
  static constexpr auto const& group = plan::plan_of<Source>.groups.groups[X];
  using types = sourced_group<Source, X>;
  static constexpr place inner = group.how == plan::order::columns ? place::column : place::row;
  using type = fused_group<inner, T, group.rows, group.columns, group.segments, typename types::steps, typename types::leaves, typename types::outputs>;
};

/// What follows a product, as a group of its own: its first step copies the sums, a leaf behind the others.
template <class Steps, class Leaves>
struct after_product;
template <class First, class... Step, class... Leaf>
struct after_product<fused::list<First, Step...>, fused::list<Leaf...>> {
  static constexpr int sums = -1 - static_cast<int>(sizeof...(Leaf));
  using steps = fused::list<fused::step<fused::copy_op, place::full, sums, plan::no_operand, plan::no_operand>, Step...>;
  using leaves = fused::list<Leaf..., fused::leaf<leaf_kind::memory, place::full, 0>>;
};
template <class Source, class T, int X>
struct epilogue_group {
  static constexpr auto const& group = plan::plan_of<Source>.groups.groups[X];
  using types = sourced_group<Source, X>;
  using after = after_product<typename types::steps, typename types::leaves>;
  static constexpr extents result = plan::program_of<Source>.nodes.nodes[group.first].shape;
  static constexpr int columns = result.at[result.rank - 1], rows = static_cast<int>(result.size() / columns);
  using type = map_kernel<T, rows, columns, 1, typename after::steps, typename after::leaves, typename types::outputs>;
};

template <class Source, int X>
inline constexpr plan::group const& group_at = plan::plan_of<Source>.groups.groups[X];
template <class Source, int X>
inline constexpr bool has_epilogue = group_at<Source, X>.what == plan::kind::contraction && plan::plan_of<Source>.codes.groups[X].steps > 1;

template <class Source, class T, int X>
constexpr std::int64_t scratch_of_group() {
  constexpr int kernel = plan::plan_of<Source>.codes.groups[X].kernel;
  if constexpr (group_at<Source, X>.what == plan::kind::fused) return planned_group<Source, T, leaf_sources<Source>::kernel_of(X)>::type::scratch_bytes;
  else return scratch_of_alone<Source, T, kernel>();
}
template <class Source, class T, int... X>
constexpr std::int64_t most_scratch(std::integer_sequence<int, X...>) {
  std::int64_t most = 0;
  ((most = most > scratch_of_group<Source, T, X + 1>() ? most : scratch_of_group<Source, T, X + 1>()), ...);
  return most;
}
template <class Source, class T>
inline constexpr std::int64_t plan_bytes = (plan::plan_of<Source>.places.workspace * static_cast<std::int64_t>(sizeof(T)) + 255) / 256 * 256;

/// What follows a product that the machine's product can do itself as it stores: a number added to each column, ReLU, or both.
struct product_epilogue {
  bool fits;
  int bias;  ///< leaf, or -1
  bool relu;
};
template <class Source, int X>
constexpr product_epilogue find_product_epilogue() {
  constexpr auto const& codes = plan::plan_of<Source>.codes;
  constexpr auto const& code = codes.groups[X];
  product_epilogue r{false, -1, false};
  if (group_at<Source, X>.windowed || code.outputs != 1 || code.steps > 3 || codes.local[codes.outputs[code.first_output]] != code.steps - 1) return r;
  for (int i = 1; i < code.steps; ++i) {
    plan::step const& s = codes.steps[code.first_step + i];
    if (s.operand[0] != i - 1) return r;
    int const leaf = -1 - s.operand[1];
    if (espalier::detail::is_null(s.op)) return r;
    if (s.op->stored == graph::as_stored::adds && i == 1 && leaf >= 0 && leaf_sources<Source>::kind_of(X, leaf) == leaf_kind::memory &&
        leaf_sources<Source>::leaf_of(X, leaf).where == place::column)
      r.bias = leaf;
    else if (s.op->stored == graph::as_stored::cuts_at_zero) r.relu = true;
    else return r;
  }
  r.fits = true;
  return r;
}
template <class Machine, class T>
inline constexpr bool adds_bias = false;
template <class Machine, class T>
  requires requires { Machine::template can_bias_relu<T>; }
inline constexpr bool adds_bias<Machine, T> = Machine::template can_bias_relu<T>;

template <class Source, class T, int X, class Machine>
void run_group(Machine& m, void* const* base) {
  constexpr auto const& plan = plan::plan_of<Source>;
  constexpr auto const& code = plan.codes.groups[X];
  [[maybe_unused]] void* const scratch = static_cast<char*>(base[plan::base::workspace]) + plan_bytes<Source, T>;
  constexpr int kernel = leaf_sources<Source>::kernel_of(X);
  if constexpr (group_at<Source, X>.what == plan::kind::fused) {
    group_addresses<Source, T, X> const of{base};
    planned_group<Source, T, kernel>::type::launch(m, of.at, of.drawn, scratch);
  } else if constexpr (leaf_sources<Source>::must_run(X)) {
    constexpr bool in_product = has_epilogue<Source, X> && adds_bias<Machine, T> && find_product_epilogue<Source, X>().fits;
    if constexpr (in_product) {
      constexpr product_epilogue e = find_product_epilogue<Source, X>();
      group_addresses<Source, T, X> const of{base};
      m.template product<T, alone_kernel_of<Source, T, plan.codes.groups[X].kernel>>(
          static_cast<T const*>(fused::at<T>(base, fused::operand_place<Source, X, 0>)), static_cast<T const*>(fused::at<T>(base, fused::operand_place<Source, X, 1>)),
          fused::at<T>(base, fused::sums_place<Source, X>), e.bias >= 0 ? static_cast<T const*>(of.at[e.bias]) : nullptr, e.relu);
    } else {
      run_alone<Source, T, X>(m, base, scratch);
    }
    if constexpr (has_epilogue<Source, X> && !in_product) {
      using after = typename epilogue_group<Source, T, kernel>::type;
      group_addresses<Source, T, X> const of{base};
      typename after::table t{};
      for (int i = 0; i < code.leaves; ++i) t.pointer[i] = of.at[i];
      t.pointer[code.leaves] = fused::at<T>(base, fused::sums_place<Source, X>);
      for (int i = 0; i < code.outputs; ++i) t.pointer[code.leaves + 1 + i] = of.at[code.leaves + i];
      for (int k = 0; k < after::draws; ++k) t.number[k] = of.drawn[k];
      m.template launch<after>(t);
    }
  }
}
template <class Source, class T, int First, class Machine, int... X>
void run_some(Machine& m, void* const* base, std::integer_sequence<int, X...>) {
  (run_group<Source, T, First + X>(m, base), ...);
}
/// In pieces: clang refuses a fold over more than 256 operands.
template <class Source, class T, int First, int Count, class Machine>
void run_groups(Machine& m, void* const* base) {
  constexpr int piece = Count < 64 ? Count : 64;
  run_some<Source, T, First>(m, base, std::make_integer_sequence<int, piece>{});
  if constexpr (Count > piece) run_groups<Source, T, First + piece, Count - piece>(m, base);
}
template <class Source, class T, class Machine, int... I>
void copy_results(Machine& m, void* const* base, std::integer_sequence<int, I...>) {
  using fused::copy_at;
  (m.copy(fused::at<T>(base, copy_at<Source, I>.to), fused::at<T>(base, copy_at<Source, I>.from), static_cast<std::size_t>(copy_at<Source, I>.size) * sizeof(T)), ...);
  (void)m, (void)base;
}

}  // namespace detail

/// What a program needs of workspace on the device: its plan's, and what kernels leave for each other.
template <class Source, class T>
inline constexpr std::size_t workspace_bytes = static_cast<std::size_t>(
    detail::plan_bytes<Source, T> + detail::most_scratch<Source, T>(std::make_integer_sequence<int, plan::plan_of<Source>.groups.group_count>{}));

/// Runs a planned program. base: the pointers of plan::base, all of them of the device, the key's random_state too.
/// order   launches follow each other on the machine's stream; the call does not wait for them
template <class Source, class T, class Machine>
void run(Machine& m, void* const* base) {
  static_assert(plan::program_of<Source>.nodes.value_count == 0,
                "constant tensors in a formula run on the host's processor; on a graphics processor pass them as arguments, or make them buffers");
  constexpr auto const& plan = plan::plan_of<Source>;
  if constexpr (plan.groups.group_count > 0) detail::run_groups<Source, T, 1, plan.groups.group_count>(m, base);
  detail::copy_results<Source, T>(m, base, std::make_integer_sequence<int, plan.places.copy_count>{});
}

}  // namespace espalier::on_cuda
#pragma GCC diagnostic pop
