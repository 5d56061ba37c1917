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
template <class Program, class T, int X>
struct planned_group {
  static constexpr auto const& group = Program::plan.groups.groups[X];
  using types = sourced_group<Program, X>;
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
template <class Program, class T, int X>
struct epilogue_group {
  static constexpr auto const& group = Program::plan.groups.groups[X];
  using types = sourced_group<Program, X>;
  using after = after_product<typename types::steps, typename types::leaves>;
  static constexpr extents result = Program::program.nodes.nodes[group.first].shape;
  static constexpr int columns = result.at[result.rank - 1], rows = static_cast<int>(result.size() / columns);
  using type = map_kernel<T, rows, columns, 1, typename after::steps, typename after::leaves, typename types::outputs>;
};

template <class Program, int X>
inline constexpr plan::group const& group_at = Program::plan.groups.groups[X];
template <class Program, int X>
inline constexpr bool has_epilogue = group_at<Program, X>.what == plan::kind::contraction && Program::plan.codes.groups[X].steps > 1;

template <class Program, class T, int X>
constexpr std::int64_t scratch_of_group() {
  constexpr int kernel = Program::plan.codes.groups[X].kernel;
  if constexpr (group_at<Program, X>.what == plan::kind::fused) return planned_group<Program, T, Program::own.kernel[X]>::type::scratch_bytes;
  else return scratch_of_alone<typename Program::source, T, kernel>();
}
template <class Program, class T, int... X>
constexpr std::int64_t most_scratch(std::integer_sequence<int, X...>) {
  std::int64_t most = 0;
  ((most = most > scratch_of_group<Program, T, X + 1>() ? most : scratch_of_group<Program, T, X + 1>()), ...);
  return most;
}
template <class Source, class T>
inline constexpr std::int64_t plan_bytes = (plan::plan_of<Source>.places.workspace * static_cast<std::int64_t>(sizeof(T)) + 255) / 256 * 256;

template <class Program, class T, int X, class Machine>
void run_group(Machine& m, void* const* base) {
  using source = typename Program::source;
  constexpr auto const& code = Program::plan.codes.groups[X];
  [[maybe_unused]] void* const scratch = static_cast<char*>(base[plan::base::workspace]) + plan_bytes<source, T>;
  constexpr int kernel = Program::own.kernel[X];
  if constexpr (group_at<Program, X>.what == plan::kind::fused) {
    group_addresses<Program, T, X> const of{base};
    planned_group<Program, T, kernel>::type::launch(m, of.at, of.drawn, scratch);
  } else if constexpr (Program::own.runs[X]) {
    constexpr plan::product_epilogue e = Program::own.epilogue[X];
    if constexpr (e.fits) {
      group_addresses<Program, T, X> const of{base};
      m.template product<T, alone_kernel_of<source, T, code.kernel>>(
          static_cast<T const*>(fused::at<T>(base, fused::operand_place<source, X, 0>)), static_cast<T const*>(fused::at<T>(base, fused::operand_place<source, X, 1>)),
          fused::at<T>(base, fused::sums_place<source, X>), e.bias >= 0 ? static_cast<T const*>(of.at[e.bias]) : nullptr, e.relu);
    } else {
      run_alone<source, T, X>(m, base, scratch);
    }
    if constexpr (has_epilogue<Program, X> && !e.fits) {
      using after = typename epilogue_group<Program, T, kernel>::type;
      group_addresses<Program, T, X> const of{base};
      typename after::table t{};
      for (int i = 0; i < code.leaves; ++i) t.pointer[i] = of.at[i];
      t.pointer[code.leaves] = fused::at<T>(base, fused::sums_place<source, X>);
      for (int i = 0; i < code.outputs; ++i) t.pointer[code.leaves + 1 + i] = of.at[code.leaves + i];
      for (int k = 0; k < after::draws; ++k) t.number[k] = of.drawn[k];
      m.template launch<after>(t);
    }
  }
}
template <class Program, class T, int First, class Machine, int... X>
void run_some(Machine& m, void* const* base, std::integer_sequence<int, X...>) {
  (run_group<Program, T, First + X>(m, base), ...);
}
/// In pieces: clang refuses a fold over more than 256 operands.
template <class Program, class T, int First, int Count, class Machine>
void run_groups(Machine& m, void* const* base) {
  constexpr int piece = Count < 64 ? Count : 64;
  run_some<Program, T, First>(m, base, std::make_integer_sequence<int, piece>{});
  if constexpr (Count > piece) run_groups<Program, T, First + piece, Count - piece>(m, base);
}
template <class Source, class T, class Machine, int... I>
void copy_results(Machine& m, void* const* base, std::integer_sequence<int, I...>) {
  using fused::copy_at;
  (m.copy(fused::at<T>(base, copy_at<Source, I>.to), fused::at<T>(base, copy_at<Source, I>.from), static_cast<std::size_t>(copy_at<Source, I>.size) * sizeof(T)), ...);
  (void)m, (void)base;
}

}  // namespace detail

/// What a program needs of workspace on the device: its plan's, and what kernels leave for each other.
template <class Source, class T, class Machine>
inline constexpr std::size_t workspace_bytes = static_cast<std::size_t>(
    detail::plan_bytes<Source, T> + detail::most_scratch<detail::device_program<Source, detail::policy_of<Machine, T>>, T>(std::make_integer_sequence<int, plan::plan_of<Source>.groups.group_count>{}));

/// Runs a planned program. base: the pointers of plan::base, all of them of the device, the key's random_state too.
/// order   launches follow each other on the machine's stream; the call does not wait for them
template <class Source, class T, class Machine>
void run(Machine& m, void* const* base) {
  static_assert(plan::program_of<Source>.nodes.value_count == 0,
                "constant tensors in a formula run on the host's processor; on a graphics processor pass them as arguments, or make them buffers");
  constexpr auto const& plan = plan::plan_of<Source>;
  if constexpr (plan.groups.group_count > 0) detail::run_groups<detail::device_program<Source, detail::policy_of<Machine, T>>, T, 1, plan.groups.group_count>(m, base);
  detail::copy_results<Source, T>(m, base, std::make_integer_sequence<int, plan.places.copy_count>{});
}

}  // namespace espalier::on_cuda
#pragma GCC diagnostic pop
