// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include "../../plan/bounded_groups.hpp"
#include "kernel/bounded_loops.hpp"
#include "kernel/bounded_moves.hpp"
#include "kernel/bounded_product.hpp"
#include "run.hpp"
#if ESPALIER_IS_DRAFT
#include "draft/bounded.hpp"
#endif

/// Runs bounded programs on the processor: the kernels of the plan for the largest number of samples, with loops that
/// end earlier. Parts of kernels run one after the other on the calling thread.
namespace espalier::on_cpu {

namespace detail {

/// Calls the kernel of group Like for group X, which is equal except perhaps for what depends on samples.
template <class Program, class T, class Arch, int X>
struct bounded_caller {
  static constexpr int like = calls_of<Program>.like[X];
  static constexpr auto const& group = plan::plan_of<Program>.groups.groups[like];
  static constexpr auto const& body = plan::plan_of<Program>.ir.groups[like];
  static constexpr plan::bounded_group bound = plan::bounded_groups_of<Program>.of[X];
  static constexpr int own = body.operands + body.outputs;

  static ESPALIER_INLINE void call(void* const* base, int count) {
    using plan::bounded_loop, plan::kernel_kind;
    plan::address const* const arguments = calls_of<Program>.arguments + calls_of<Program>.first[X];
    if constexpr (bound.loop == bounded_loop::fixed) {
      caller<Program, T, Arch, like>::call(base, one_thread{}, arguments, calls_of<Program>.random_stream[X]);
    } else if constexpr (group.kind == kernel_kind::convert) {
      using source = typename unfused_kernel<unfused_kernels<T, Arch>, Program, like>::source;
      source const* const x = at<source>(base, arguments[0]);
      T* const y = at<T>(base, arguments[2]);
      for (std::int64_t i = 0; i < std::int64_t{count} * bound.each; ++i) y[i] = static_cast<T>(x[i]);
    } else if constexpr (group.kind == kernel_kind::random) {
      random_state const& state = *static_cast<random_state const*>(base[plan::base::random]);
      fill_uniform<T, Arch>::run(at<T>(base, arguments[0]), std::int64_t{count} * bound.each, state.key,
                                 state.step << 20 | calls_of<Program>.random_stream[X]);
    } else if constexpr (group.kind == kernel_kind::fused) {
      bounded_kernel<typename fused_kernel<Program, like, T, Arch>::type>::run(addresses<T>{base, arguments},
                                                                               count * bound.each);
    } else if constexpr (bound.loop == bounded_loop::outer && group.kind != kernel_kind::contraction) {
      bounded_kernel<unfused_kernel<unfused_kernels<T, Arch>, Program, like>>::run(
          at<T>(base, arguments[0]), at<T>(base, arguments[1]), at<T>(base, arguments[2]), count * bound.each);
    } else {
      product(base, arguments, count);
    }
  }

 private:
  static ESPALIER_INLINE void product(void* const* base, plan::address const* arguments, int count) {
    using whole = unfused_kernel<unfused_kernels<T, Arch>, Program, like>;
    using kernel = bounded_product<whole, Program::bounded.most, bound.each>;
    constexpr bool follows = body.instructions > 1;
    constexpr int first = follows ? own : 0;
    T const *const a = at<T>(base, arguments[first]), *const b = at<T>(base, arguments[first + 1]);
    T* const y = at<T>(base, arguments[first + 2]);
    auto const run = [&](auto const& after) {
      using plan::bounded_loop;
      if constexpr (bound.loop == bounded_loop::outer) bounded_kernel<whole>::run(a, b, y, count * bound.each, after);
      else if constexpr (bound.loop == bounded_loop::rows) kernel::some_rows(a, b, y, count, after);
      else if constexpr (bound.loop == bounded_loop::terms) kernel::some_terms(a, b, y, count, after);
      else kernel::some_matrices(a, b, y, count, after);
    };
    if constexpr (follows) {
      using Addresses = addresses<T>;
      run(typename fused_kernel<Program, like, T, Arch>::template after<Addresses>{Addresses{base, arguments}, y});
    } else {
      run(no_epilogue{});
    }
  }
};

template <class Program, class T, class Arch, int First, int... X>
void run_some_bounded(void* const* base, int count, std::integer_sequence<int, X...>) {
  (bounded_caller<Program, T, Arch, First + X>::call(base, count), ...);
}
template <class Program, class T, class Arch, int First, int Count>
void run_bounded_groups(void* const* base, int count) {
  constexpr int piece = Count < 64 ? Count : 64;
  run_some_bounded<Program, T, Arch, First>(base, count, std::make_integer_sequence<int, piece>{});
  if constexpr (Count > piece) run_bounded_groups<Program, T, Arch, First + piece, Count - piece>(base, count);
}
template <int Count>
struct sample_forms {
  plan::sample_number at[static_cast<std::size_t>(Count) + 1];
};
template <class T, int Count>
struct sample_numbers {
  T at[static_cast<std::size_t>(Count) + 1];
};

}  // namespace detail

/// The bytes of a bounded program's values.
template <class Program, class T>
inline constexpr std::size_t bounded_value_bytes =
    espalier::detail::bytes_for<T>(espalier::detail::workspace_elements<Program>);
/// The bytes behind base[workspace] that run_bounded needs: the values, and what a draft needs for itself.
template <class Program, class T>
inline constexpr std::size_t bounded_run_bytes = bounded_value_bytes<Program, T>;
#if ESPALIER_IS_DRAFT
template <class Program, class T>
  requires(Program::bounded.fault == plan::bounded_fault::none && plan::sound_program<Program>::agree &&
           detail::is_draft_program<Program, T, default_arch>)
inline constexpr std::size_t bounded_run_bytes<Program, T> =
    bounded_value_bytes<Program, T> + draft::bounded_room_bytes<Program, T, default_arch>;
#endif

/// Runs a bounded program for `count` samples, 1 to Program::bounded.most. base: the pointers of plan::base.
template <class Program, class T, class Arch = default_arch>
void run_bounded(void* const* base, int count) noexcept {
  constexpr int groups = plan::plan_of<Program>.groups.group_count, number_count = Program::bounded.number_count;
  detail::sample_numbers<T, number_count> numbers;
  if constexpr (number_count > 0) {
    static constexpr auto forms = [] {
      detail::sample_forms<Program::bounded.number_count> r{};
      for (int i = 0; i < Program::bounded.number_count; ++i) r.at[i] = Program::bounded.numbers[i];
      return r;
    }();
    for (int i = 0; i < number_count; ++i) numbers.at[i] = static_cast<T>(forms.at[i].at(count));
  }
  void* all[plan::base::count];
  for (int i = 0; i < plan::base::count; ++i) all[i] = base[i];
  all[plan::base::hyperparameters] = numbers.at;
  if constexpr (plan::graph_of<Program>.nodes.value_count > 0)
    all[plan::base::values] = const_cast<T*>(detail::values_of<Program, T>.at);
  if constexpr (groups > 0 && detail::is_draft_program<Program, T, Arch>) {
#if ESPALIER_IS_DRAFT
    draft::run_bounded_groups<Program, T, Arch>(
        all, count, static_cast<T*>(base[plan::base::workspace]) + bounded_value_bytes<Program, T> / sizeof(T));
#endif
  } else if constexpr (groups > 0) {
    detail::run_bounded_groups<Program, T, Arch, 1, groups>(all, count);
  }
  detail::copy_results<Program, T>(all, std::make_integer_sequence<int, plan::plan_of<Program>.memory.copy_count>{});
}

}  // namespace espalier::on_cpu
#include "../../base/diagnostics_pop.hpp"
