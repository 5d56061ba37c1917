// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include "../../storage/memory.hpp"
#include "../for_each_group.hpp"
#include "../program_bases.hpp"
#include "call_table.hpp"
#include "fused_kernel.hpp"
#include "run_loop.hpp"
#include "thread/team.hpp"
#include "unfused.hpp"
#if ESPALIER_IS_DRAFT
#include "draft/run.hpp"
#endif

/// Runs planned programs on the processor: a type for each distinct kernel, and a straight line of calls with workspace
/// offsets.
namespace espalier::on_cpu {

namespace detail {

/// Whether a program is a draft: its groups run by tables, not by kernels.
#if ESPALIER_IS_DRAFT
template <class Program, class T, class Arch>
inline constexpr bool is_draft_program = draft::runs<Program, T, Arch>;
#else
template <class, class, class>
inline constexpr bool is_draft_program = false;
#endif

template <class T>
ESPALIER_INLINE void copy_elements(T const* from, T* to, std::int64_t size) {
  for (std::int64_t i = 0; i < size; ++i) to[i] = from[i];
}

/// Whether a call of the program has an address at this base.
template <class Program>
constexpr bool uses_base(int base) {
  for (plan::address const& a : calls_of<Program>.arguments)
    if (a.base == base) return true;
  return false;
}
/// Calls a kernel of a program. X: the first group that has it. Inlined: the kernel becomes part of the caller's
/// function, if there is such a form of it.
template <class Program, class T, class Arch, int X, bool Inlined = false>
struct caller {
  static constexpr auto const& group = plan::plan_of<Program>.groups.groups[X];
  static constexpr auto const& body = plan::plan_of<Program>.ir.groups[X];
  static constexpr plan::kernel_kind kind = group.kind;
  static constexpr int own = body.operands + body.outputs, count = count_arguments(plan::plan_of<Program>, X);

  template <class Team>
  static ESPALIER_INLINE void call(void* const* base, Team const& team, plan::address const* arguments,
                                   [[maybe_unused]] std::uint64_t random_stream) {
    if constexpr (kind == plan::kernel_kind::part) {
      // The tensor has the memory of the vector.
    } else if constexpr (kind == plan::kernel_kind::concatenate &&
                         plan::has_operands_in_place(plan::graph_of<Program>.nodes, plan::plan_of<Program>.groups,
                                                     plan::plan_of<Program>.memory, group.first)) {
      // Its operands were written where they belong.
    } else if constexpr (kind == plan::kernel_kind::loop) {
      loop_kernel<Program, group.first, T, Arch>::run(addresses<T>{base, arguments}, base, team);
    } else if constexpr (kind == plan::kernel_kind::pack) {
      constexpr int operand = plan::graph_of<Program>.nodes[group.first].operand[0];
      constexpr plan::address from = operand_address<Program, X, 0>, to = packed_address<Program, X>;
      constexpr std::int64_t size = plan::plan_of<Program>.groups.size_of[operand];
      if constexpr (from.base != to.base || from.offset != to.offset)
        copy_run<T, Arch, size>(at<T>(base, arguments[1]), at<T>(base, arguments[0]));
    } else if constexpr (kind == plan::kernel_kind::exchange) {
      copy_run<T, Arch, group.size>(at<T>(base, arguments[2]), at<T>(base, arguments[0]));
    } else if constexpr (kind == plan::kernel_kind::convert) {
      kernel::run(at<source>(base, arguments[0]), at<T>(base, arguments[2]));
    } else if constexpr (kind == plan::kernel_kind::index_gather || kind == plan::kernel_kind::index_scatter_add) {
      run_kernel<kernel, T>(team, static_cast<source const*>(at<source>(base, arguments[0])),
                            static_cast<std::int32_t const*>(at<std::int32_t>(base, arguments[1])),
                            at<T>(base, arguments[2]));
    } else if constexpr (kind == plan::kernel_kind::index_copy) {
      T const *const x = at<T>(base, arguments[0]), *const source = at<T>(base, arguments[2]);
      std::int32_t const* const index = at<std::int32_t>(base, arguments[1]);
      T* const y = at<T>(base, arguments[3]);
      if (kernel::writes_few && x == y) kernel::run(x, index, source, y);
      else run_kernel<kernel, T>(team, x, index, source, y);
    } else if constexpr (kind == plan::kernel_kind::random) {
      // A constant: otherwise clang calls the function when the program runs, and keeps the graph (megabytes) for it.
      constexpr std::int64_t numbers = numbers_per_sample<Program>(group.first);
      random_state const& state = *static_cast<random_state const*>(base[plan::base::random]);
      run_kernel<kernel, T>(team, at<T>(base, arguments[0]), state.key, state.step << 20 | random_stream,
                            state.first_sample * numbers);
    } else if constexpr (passes_pointers) {
      T* p[static_cast<std::size_t>(count)];
      fill_addresses<T>(base, p, arguments, below<count>{});
      run_at(team, static_cast<T* const*>(p), base, arguments);
    } else {
      run_at(team, addresses<T>{base, arguments}, base, arguments);
    }
  }

 private:
  /// p[i]: the pointer at address i of the call, `arguments`.
  template <class Team, class Addresses>
  static ESPALIER_INLINE void run_at(Team const& team, Addresses p, [[maybe_unused]] void* const* base,
                                     [[maybe_unused]] plan::address const* arguments) {
    if constexpr (kind == plan::kernel_kind::fused) {
      using fused = typename fused_kernel<Program, X, T, Arch>::run_type;
      if constexpr (Inlined && requires { fused::run_inlined(p); }) fused::run_inlined(p);
      else run_kernel<fused, T>(team, p);
    } else if constexpr (kind == plan::kernel_kind::contraction && body.instructions > 1) {
      T* const sums = p[own + 2];
      using after = typename fused_kernel<Program, X, T, Arch>::template run_after<Addresses>;
      run_product(team, static_cast<T const*>(p[own]), stored_operand<weight>(p, own + 1, base, arguments), sums,
                  after{p, sums}, base, arguments[own].base);
    } else if constexpr (kind == plan::kernel_kind::contraction) {
      run_product(team, static_cast<T const*>(p[0]), stored_operand<weight>(p, 1, base, arguments), p[2], no_epilogue{},
                  base, arguments[0].base);
    } else {
      auto const* const a = stored_operand<source>(p, 0, base, arguments);
      T const* const b = p[1];
      if constexpr (Inlined && requires { kernel::run_inlined(a, b, p[2]); }) kernel::run_inlined(a, b, p[2]);
      else run_kernel<kernel, T>(team, a, b, p[2]);
    }
  }
  /// A product of the state of a stream, whose two buffers are exchanged at each step, goes through its matrix forwards
  /// and backwards in turns. state: the base of a.
  template <class Team, class B, class After>
  static ESPALIER_INLINE void run_product(Team const& team, T const* a, B const* b, T* y, After const& after,
                                          [[maybe_unused]] void* const* base, [[maybe_unused]] int state) {
    if constexpr (Inlined && uses_base<Program>(plan::base::states + 1) &&
                  requires { kernel::run(a, b, y, after, true); })
      kernel::run(a, b, y, after, state == plan::base::states && base[state] < base[state + 1]);
    else if constexpr (std::is_same_v<After, no_epilogue>) run_kernel<kernel, T>(team, a, b, y);
    else run_kernel<kernel, T>(team, a, b, y, after);
  }
  /// An operand, which may be stored in 16 bits.
  template <class Stored, class Addresses>
  static ESPALIER_INLINE Stored const* stored_operand(Addresses p, int i, [[maybe_unused]] void* const* base,
                                                      [[maybe_unused]] plan::address const* arguments) {
    if constexpr (std::is_same_v<T, Stored>) return p[i];
    else return at<Stored>(base, arguments[i]);
  }
  /// The elements of the matrix of a product, and of the first operand of another kernel.
  static constexpr auto find_weight() {
    if constexpr (requires { typename kernel::weight; }) return std::type_identity<typename kernel::weight>{};
    else return std::type_identity<T>{};
  }
  static constexpr auto find_source() {
    if constexpr (requires { typename kernel::source; }) return std::type_identity<typename kernel::source>{};
    else return std::type_identity<T>{};
  }
  static constexpr auto find_kernel() {
    if constexpr (kind == plan::kernel_kind::fused || kind == plan::kernel_kind::pack ||
                  kind == plan::kernel_kind::loop || kind == plan::kernel_kind::part ||
                  kind == plan::kernel_kind::exchange)
      return std::type_identity<void>{};
    else return std::type_identity<unfused_kernel<unfused_kernels<T, Arch>, Program, X>>{};
  }
  using kernel = typename decltype(find_kernel())::type;
  using weight = typename decltype(find_weight())::type;
  using source = typename decltype(find_source())::type;
  /// Whether the kernel gets an array of pointers. Otherwise it computes them from the addresses.
  static constexpr bool passes_pointers =
      plan::plan_of<Program>.groups.group_count <= max_groups_with_pointers || requires {
    requires kernel::of_row;
  };
};

/// The first groups that have a kernel which may need room.
template <int Groups>
struct roomy_groups {
  int count = 0;
  int at[static_cast<std::size_t>(Groups) + 1]{};
};
template <class Program>
inline constexpr auto roomy_groups_of = [] {
  constexpr auto const& groups = plan::plan_of<Program>.groups;
  roomy_groups<groups.group_count> r{};
  for (int x = 1; x <= groups.group_count; ++x) {
    plan::kernel_kind const kind = groups.groups[x].kind;
    if (calls_of<Program>.like[x] == x && (kind == plan::kernel_kind::contraction ||
                                           kind == plan::kernel_kind::window_sum || kind == plan::kernel_kind::loop))
      r.at[r.count++] = x;
  }
  return r;
}();
template <class Program, class T, class Arch, class Which>
inline constexpr std::int64_t room_of_groups = 0;
/// The elements that the kernels of a program need for themselves in each thread, one after the other.
template <class Program, class T, class Arch, bool IsDraft = is_draft_program<Program, T, Arch>>
inline constexpr std::int64_t room_of_program =
    room_of_groups<Program, T, Arch, std::make_integer_sequence<int, roomy_groups_of<Program>.count>>;
#if ESPALIER_IS_DRAFT
template <class Program, class T, class Arch>
inline constexpr std::int64_t room_of_program<Program, T, Arch, true> = draft::room_of_program<Program, T, Arch>;
template <class Body, class T, class Arch>
constexpr std::int64_t room_of_body() {
  return room_of_program<Body, T, Arch>;
}
#endif
template <class Program, class T, class Arch, int X, bool IsLoop>
inline constexpr std::int64_t room_of_group = room_size_of<unfused_kernel<unfused_kernels<T, Arch>, Program, X>>;
template <class Program, class T, class Arch, int X>
inline constexpr std::int64_t room_of_group<Program, T, Arch, X, true> =
    room_of_program<plan::loop_program<Program, plan::plan_of<Program>.groups.groups[X].first>, T, Arch>;
template <class Program, class T, class Arch, int... I>
inline constexpr std::int64_t room_of_groups<Program, T, Arch, std::integer_sequence<int, I...>> = [] {
  std::int64_t most = 0;
  for (std::int64_t size :
       {std::int64_t{0}, room_of_group<Program, T, Arch, roomy_groups_of<Program>.at[I],
                                       plan::plan_of<Program>.groups.groups[roomy_groups_of<Program>.at[I]].kind ==
                                           plan::kernel_kind::loop>...})
    most = size > most ? size : most;
  return most;
}();

/// Runs so many groups of a draft.
template <class Program, class T, class Arch, class Team>
void run_draft([[maybe_unused]] int first, [[maybe_unused]] int count, [[maybe_unused]] void* const* base,
               [[maybe_unused]] Team const& team) {
#if ESPALIER_IS_DRAFT
  draft::run_groups<Program, T, Arch>(first, count, base, team);
#endif
}

/// Runs the groups First + X.
template <class Program, class T, class Arch, int First, class Team, int... X>
void run_some(void* const* base, Team const& team, std::integer_sequence<int, X...>) {
  if constexpr (is_draft_program<Program, T, Arch>) return run_draft<Program, T, Arch>(First, sizeof...(X), base, team);
  else
    (caller<Program, T, Arch, calls_of<Program>.like[First + X]>::call(
         base, team, calls_of<Program>.arguments + calls_of<Program>.first[First + X],
         calls_of<Program>.random_stream[First + X]),
     ...);
}
/// Programs of at most this many groups may be one function.
inline constexpr int max_short_groups = 24;
/// Without optimization there are no short programs: nothing would stay in a register, and the frame of the function
/// would hold all temporaries of all kernels.
#if defined(__OPTIMIZE__)
inline constexpr bool has_short_programs = has_long_bodies;
#else
inline constexpr bool has_short_programs = false;
#endif
/// Whether a program is a few products of one row and kernels of few elements, as a step of a recurrent cell is. One
/// function is compiled for all of it: values go from kernel to kernel in registers, where a load of what a call has
/// just stored takes 12 cycles. A step of an LSTM of 16 takes 0.85 times as long.
template <class Program>
constexpr bool is_short() {
  plan::planned const& p = plan::plan_of<Program>;
  int products = 0;
  if (is_draft || !has_short_programs || p.groups.group_count > max_short_groups) return false;
  for (int x = 1; x <= p.groups.group_count; ++x) {
    plan::group const& group = p.groups.groups[x];
    extents const& shape = plan::graph_of<Program>.nodes[group.first].shape;
    bool const product = group.kind == plan::kernel_kind::contraction && group.size == shape.at[shape.rank - 1];
    bool const fused = group.kind == plan::kernel_kind::fused && group.size <= 64;
    bool const move = group.kind == plan::kernel_kind::move && group.size <= 128;
    bool const in_place = group.kind == plan::kernel_kind::part || group.kind == plan::kernel_kind::pack;
    if (!product && !fused && !move && !in_place) return false;
    products += product;
  }
  return products > 0;
}
template <class Program, int... Base>
ESPALIER_INLINE void copy_used_bases(void* const* from, void** to, std::integer_sequence<int, Base...>) {
  (
      [&] {
        if constexpr (uses_base<Program>(Base)) to[Base] = from[Base];
      }(),
      ...);
}
/// Whether the fused groups of a program read and write whole registers. A part of a register that was stored goes
/// through memory better: compilers move it number by number otherwise.
template <class Program>
constexpr bool has_whole_registers(int width) {
  plan::planned const& p = plan::plan_of<Program>;
  for (int x = 1; x <= p.groups.group_count; ++x)
    if (p.groups.groups[x].kind == plan::kernel_kind::fused && p.groups.groups[x].columns % width != 0) return false;
  return true;
}
/// The base pointers are in variables, so that compilers know that kernels do not change them.
template <class Program, class T, class Arch, class Team, int... X>
ESPALIER_FLATTENED void run_short(void* const* given, Team const& team, std::integer_sequence<int, X...>) {
  constexpr int bases = plan::base_count<Program>;
  void* kept[static_cast<std::size_t>(bases)];
  copy_used_bases<Program>(given, kept, std::make_integer_sequence<int, bases>{});
  void* const* const base = has_whole_registers<Program>(pack<T, Arch>::size) ? kept : given;
  (caller<Program, T, Arch, calls_of<Program>.like[1 + X], true>::call(
       base, team, calls_of<Program>.arguments + calls_of<Program>.first[1 + X],
       calls_of<Program>.random_stream[1 + X]),
   ...);
}
/// Runs groups in pieces: clang rejects folds over more than 256 operands.
template <class Program, class T, class Arch, int First, int Count, class Team>
void run_groups(void* const* base, Team const& team) {
  constexpr int piece = Count < 64 ? Count : 64;
  run_some<Program, T, Arch, First>(base, team, std::make_integer_sequence<int, piece>{});
  if constexpr (Count > piece) run_groups<Program, T, Arch, First + piece, Count - piece>(base, team);
}

template <class Program, class T, int... I>
ESPALIER_INLINE void copy_results(void* const* base, std::integer_sequence<int, I...>) {
  (copy_elements<T>(at<T>(base, copy_at<Program, I>.from), at<T>(base, copy_at<Program, I>.to),
                    copy_at<Program, I>.size),
   ...);
  (void)base;
}

}  // namespace detail

/// Runs programs on an instruction set. Tests specialize it to run other kernels.
template <class Arch>
struct runner {
  template <class Program, class T, class Team>
  static ESPALIER_INLINE void run(void* const* base, Team const& team) noexcept {
    constexpr int groups = plan::plan_of<Program>.groups.group_count;
    if constexpr (groups > 1 && detail::is_short<Program>())
      detail::run_short<Program, T, Arch>(base, team, std::make_integer_sequence<int, groups>{});
    else if constexpr (groups > 0 && detail::is_draft_program<Program, T, Arch>)
      detail::run_draft<Program, T, Arch>(1, groups, base, team);
    else if constexpr (groups > 0) detail::run_groups<Program, T, Arch, 1, groups>(base, team);
    detail::copy_results<Program, T>(base, std::make_integer_sequence<int, plan::plan_of<Program>.memory.copy_count>{});
  }
};

namespace detail {
/// The elements of a program's constant tensors, as its kernels read them.
template <class T, int Count>
struct program_values {
  alignas(tensor_alignment) T at[static_cast<std::size_t>(Count)];
};
template <class Program, class T>
inline constexpr auto values_of = [] {
  constexpr auto const& g = plan::graph_of<Program>.nodes;
  program_values<T, g.value_count> r{};
  for (int i = 0; i < g.value_count; ++i) r.at[i] = static_cast<T>(g.values[i]);
  return r;
}();
}  // namespace detail

namespace detail {
/// Whether a program has a group whose results may be stored past the caches.
template <class Program, class T>
constexpr bool has_large_group() {
#if !defined(ESPALIER_CACHE_BYTES)
  auto const& p = plan::plan_of<Program>;
  for (int x = 1; x <= p.groups.group_count; ++x)
    if (p.groups.groups[x].kind == plan::kernel_kind::fused &&
        may_stream(p.groups.groups[x].size * static_cast<std::int64_t>(sizeof(T)) *
                   (p.ir.groups[x].operands + p.ir.groups[x].outputs)))
      return true;
#endif
  return false;
}
template <class Program, class T>
inline constinit store_tuner store_tuner_of{};
}  // namespace detail

/// Runs a planned program. base: the pointers of plan::base. team: the threads that run the parts of kernels.
template <class Program, class T, class Arch, class Team>
void run(void* const* base, Team const& team) noexcept {
  if constexpr (!plan::sound_program<Program>::agree) {
    // Its fault is reported; what follows from it is no further error.
  } else if constexpr (plan::graph_of<Program>.nodes.value_count > 0) {
    constexpr int bases = plan::base_count<Program>;
    void* all[static_cast<std::size_t>(bases)];
    for (int i = 0; i < bases; ++i) all[i] = base[i];
    all[plan::base::values] = const_cast<T*>(detail::values_of<Program, T>.at);
    runner<Arch>::template run<Program, T>(all, team);
  } else if constexpr (!is_draft && detail::has_large_group<Program, T>()) {
    detail::store_tuner_of<Program, T>.run([&]() noexcept { runner<Arch>::template run<Program, T>(base, team); });
  } else {
    runner<Arch>::template run<Program, T>(base, team);
  }
}

/// The bytes that the kernels of a program need for themselves in each thread. Translation units of a program may be
/// compiled for several instruction sets, but share predictors and trainers. Therefore it is the most that any of them
/// needs. A draft that needs little has it on the stack, so that objects of drafts are no larger than those of kernels.
template <class Program, class T>
inline constexpr std::size_t room_bytes = [] {
#if ESPALIER_IS_DRAFT
  std::int64_t const of_width[] = {detail::room_of_program<Program, T, default_arch>};
#elif defined(__x86_64__) || defined(__i386__) || defined(__aarch64__)
  std::int64_t const of_width[] = {detail::room_of_program<Program, T, detail::instruction_set_of_width<16>>,
                                   detail::room_of_program<Program, T, detail::instruction_set_of_width<32>>,
                                   detail::room_of_program<Program, T, detail::instruction_set_of_width<64>>};
#elif defined(__riscv) && __riscv_xlen == 64
  std::int64_t const of_width[] = {detail::room_of_program<Program, T, detail::scalars_of_width<16>>,
                                   detail::room_of_program<Program, T, detail::vectors_of_width<16>>,
                                   detail::room_of_program<Program, T, detail::vectors_of_width<32>>,
                                   detail::room_of_program<Program, T, detail::vectors_of_width<64>>};
#elif defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
  // Memory is scarce, and all files of a program are compiled for the one processor.
  std::int64_t const of_width[] = {detail::room_of_program<Program, T, default_arch>};
#else
  std::int64_t const of_width[] = {detail::room_of_program<Program, T, detail::scalars_of_width<16>>,
                                   detail::room_of_program<Program, T, detail::vectors_of_width<16>>};
#endif
  std::int64_t most = 0;
  for (std::int64_t size : of_width) most = size > most ? size : most;
  std::size_t const bytes = static_cast<std::size_t>(most) * sizeof(T);
#if ESPALIER_IS_DRAFT
  if (draft::runs<Program, T, default_arch> && draft::is_on_stack(bytes)) return std::size_t{0};
#endif
  return bytes;
}();

/// The bytes behind base[workspace] that run_in_workspace needs: the program's values, and what its kernels need for
/// themselves in each of so many threads.
template <class Program, class T, int Threads = 1>
inline constexpr std::size_t run_bytes = espalier::detail::bytes_for<T>(espalier::detail::workspace_elements<Program>) +
                                         room_bytes<Program, T>* static_cast<std::size_t>(Threads);

/// Runs a planned program in run_bytes bytes, so that kernels need little of the stack.
template <class Program, class T, class Arch = default_arch, class Team = one_thread>
ESPALIER_INLINE void run_in_workspace(void* const* base, [[maybe_unused]] Team const& team = {}) noexcept {
  constexpr std::size_t bytes = room_bytes<Program, T>, values = run_bytes<Program, T, 0>;
  static_assert((is_draft && bytes == 0) ||
                static_cast<std::size_t>(detail::room_of_program<Program, T, Arch>) * sizeof(T) <= bytes);
  if constexpr (bytes == 0) run<Program, T, Arch>(base, team);
  else
    run<Program, T, Arch>(
        base, detail::team_with_room<Team>{team, static_cast<std::byte*>(base[plan::base::workspace]) + values, bytes});
}

/// The same group by group, for callers that act between two groups: calls after<X>() behind group X, and after<X>()
/// for the number behind the last group after the copies that follow it.
template <class Program, class T, class Arch = default_arch, class Team = one_thread, class After>
void run_in_workspace_by_group(void* const* base, Team const& team, After const& after) {
  constexpr int groups = plan::plan_of<Program>.groups.group_count, bases = plan::base_count<Program>;
  void* all[static_cast<std::size_t>(bases)];
  for (int i = 0; i < bases; ++i) all[i] = base[i];
  if constexpr (plan::graph_of<Program>.nodes.value_count > 0)
    all[plan::base::values] = const_cast<T*>(detail::values_of<Program, T>.at);
  auto const run_groups = [&](auto const& of) {
    on_device::for_each_group<1, groups>([&]<int X>() {
      detail::run_some<Program, T, Arch, X>(all, of, std::make_integer_sequence<int, 1>{});
      after.template operator()<X>();
    });
  };
  if constexpr (constexpr std::size_t bytes = room_bytes<Program, T>; bytes == 0) run_groups(team);
  else
    run_groups(detail::team_with_room<Team>{
        team, static_cast<std::byte*>(base[plan::base::workspace]) + run_bytes<Program, T, 0>, bytes});
  detail::copy_results<Program, T>(all, std::make_integer_sequence<int, plan::plan_of<Program>.memory.copy_count>{});
  after.template operator()<groups + 1>();
}

}  // namespace espalier::on_cpu
#include "../../base/diagnostics_pop.hpp"
