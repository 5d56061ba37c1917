// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <chrono>
#include <memory>
#include <mutex>

#include "../base/needs_header.hpp"
#include "formula.hpp"

ESPALIER_HEADER_INCLUDED(profile);

/// Shows which kernels take the time of a running net. A model on the device `profiled` runs the same plans as on its
/// own device, kernel by kernel, and reads the clock between them. Programs of other devices contain none of this code.
namespace espalier {

/// The device tag of the CPU with a clock: esp::model<Net, esp::profiled<>>; profiled<cpu_parallel<2>> for several
/// threads.
template <class Device>
struct profiled {};

/// The time of each kernel of a program, summed over all runs.
struct program_profile {
  report::titled program;
  std::int64_t runs = 0;
  std::vector<double> seconds;  ///< by kernel, from 1 on; 0: the copies at the end

  double total() const {
    double sum = 0;
    for (double s : seconds) sum += s;
    return sum;
  }
  /// The bytes that a kernel reads and writes in one run.
  std::int64_t bytes(int kernel) const {
    plan::traffic const t = program.plan->kernels[kernel].moved;
    return (t.read + t.written) * static_cast<std::int64_t>(program.element_bytes);
  }
  double share(int kernel) const { return total() > 0 ? seconds[static_cast<std::size_t>(kernel)] / total() : 0; }
  double gigabytes_per_second(int kernel) const {
    double const s = seconds[static_cast<std::size_t>(kernel)];
    return s > 0 ? static_cast<double>(bytes(kernel)) * static_cast<double>(runs) / s * 1e-9 : 0;
  }
  /// A table with a line for each kernel.
  std::string text() const {
    std::vector<std::vector<std::string>> rows{{"kernel", "calls", "us each", "GB/s", "share", "what"}};
    for (int x = 1; x < static_cast<int>(seconds.size()); ++x) {
      std::string what = report::kind_text(program.plan->kernels[x]) + ": " + report::formulas_of(program, x).back();
      if (what.size() > 70) what = what.substr(0, 67) + "...";
      rows.push_back({std::to_string(x), std::to_string(runs), report::fixed_text(each(x) * 1e6, 3),
                      report::fixed_text(gigabytes_per_second(x), 2), report::fixed_text(100 * share(x), 1) + " %",
                      what});
    }
    return program.title + ": " + std::to_string(runs) + " runs, " +
           report::fixed_text(runs > 0 ? total() / static_cast<double>(runs) * 1e6 : 0, 3) + " us each\n" +
           report::table_text(rows, {true, true, true, true, true, false});
  }

 private:
  double each(int kernel) const {
    return runs > 0 ? seconds[static_cast<std::size_t>(kernel)] / static_cast<double>(runs) : 0;
  }
};

namespace detail {

/// One kernel of a program as a separate function, so that the compiler moves no work past a reading of the clock.
template <class Program, class T, class Arch, class Team, int X>
[[gnu::noinline]] void run_one_kernel(void* const* base, Team const& team) noexcept {
  on_cpu::detail::run_some<Program, T, Arch, X>(base, team, std::integer_sequence<int, 0>{});
}
template <class Team, int Count>
struct kernel_functions {
  using function = void (*)(void* const*, Team const&) noexcept;
  function at[static_cast<std::size_t>(Count) + 1];
};
template <class Program, class T, class Arch, class Team, int... X>
constexpr auto functions_of_kernels(std::integer_sequence<int, X...>) {
  return kernel_functions<Team, static_cast<int>(sizeof...(X))>{
      {&run_one_kernel<Program, T, Arch, Team, X + 1>..., nullptr}};
}

/// Profiles of a model's programs. Predictors on several threads may add to it.
class profiles {
 public:
  void add(report::titled (*program)(), report::view const& plan, std::size_t element_bytes, double const* seconds) {
    std::lock_guard const alone{mutex_};
    program_profile* found = nullptr;
    for (program_profile& p : all_)
      if (p.program.plan == &plan && p.program.element_bytes == element_bytes) found = &p;
    if (found == nullptr) {
      all_.push_back({program(), 0, std::vector<double>(static_cast<std::size_t>(plan.kernel_count) + 1)});
      found = &all_.back();
    }
    ++found->runs;
    for (std::size_t i = 0; i < found->seconds.size(); ++i) found->seconds[i] += seconds[i];
  }
  std::vector<program_profile> all() const {
    std::lock_guard const alone{mutex_};
    return all_;
  }
  void clear() {
    std::lock_guard const alone{mutex_};
    all_.clear();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<program_profile> all_;
};

/// The engine of `profiled`: as that of the host, except that it runs programs kernel by kernel.
template <class Device>
class profiling_engine : public on_cpu::engine<cpu> {
  using team = typename on_cpu::detail::team_of<Device>::type;

 public:
  template <class Definition, class T, class Arch = on_cpu::default_arch>
  void run(void* const* base) const noexcept {
    using Program = typename on_cpu::engine<cpu>::template program<Definition>;
    constexpr int kernels = plan::plan_of<Program>.groups.group_count;
    static constexpr auto functions =
        functions_of_kernels<Program, T, Arch, team>(std::make_integer_sequence<int, kernels>{});
    double seconds[static_cast<std::size_t>(kernels) + 1];
    auto before = std::chrono::steady_clock::now();
    auto const lap = [&] {
      auto const now = std::chrono::steady_clock::now();
      double const elapsed = std::chrono::duration<double>(now - before).count();
      before = now;
      return elapsed;
    };
    for (int x = 1; x <= kernels; ++x) {
      functions.at[x - 1](base, team_);
      seconds[x] = lap();
    }
    on_cpu::detail::copy_results<Program, T>(
        base, std::make_integer_sequence<int, plan::plan_of<Program>.memory.copy_count>{});
    seconds[0] = lap();
    found_->add(&report::detail::titled_program<Program, T>::get, report::view_of<Program>, sizeof(T), seconds);
  }
  profiles& found() const { return *found_; }

 private:
  [[no_unique_address]] team team_;
  std::unique_ptr<profiles> found_ = std::make_unique<profiles>();
};

/// A model of `profiled` is where the models of its device are.
template <class Device>
inline constexpr bool is_graphics<profiled<Device>> = is_graphics<Device>;
template <class Device>
struct memory_device<profiled<Device>> : memory_device<Device> {};
template <class Device>
struct engine_of<profiled<Device>> {
  static_assert(
      !is_graphics<Device>,
      ESPALIER_SENTENCE(
          "profiled<Device>: include <espalier/report/device_profile.hpp> to time the kernels of a graphics processor",
          ESPALIER_STATED(!is_graphics<Device>, Device)));
  using type = profiling_engine<Device>;
};
template <class Device>
struct storage_on<profiled<Device>> : storage_on<Device> {};
template <class Device>
struct thread_count<profiled<Device>> : thread_count<Device> {};
template <class Device>
struct threads_of<profiled<Device>> : threads_of<Device> {};

}  // namespace detail

/// profile_of(model): the number of runs and the time of each kernel, for each program that ran on a model of the
/// device `profiled`: of its trainers, predictors, updaters and calls. Programs are in the order of their first runs.
///     esp::model<Net, esp::profiled<>> model{esp::seed{0}};
///     ...
///     for (esp::program_profile const& p : esp::profile_of(model)) std::cout << p.text() << '\n';
/// cost    two readings of the clock and a lock for each run, and a reading for each kernel, about 20 to 50 ns each.
///         Kernels are separate functions, so a net of very small kernels takes longer than on cpu. Programs of other
///         devices have no such cost.
/// memory  the first run of a program allocates
template <class Net, class Device, class T>
std::vector<program_profile> profile_of(model<Net, profiled<Device>, T> const& profiled_model) {
  return profiled_model.engine().found().all();
}
/// Clears the measurements, for example those of the first runs with cold caches.
template <class Net, class Device, class T>
void clear_profile(model<Net, profiled<Device>, T>& profiled_model) {
  profiled_model.engine().found().clear();
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
