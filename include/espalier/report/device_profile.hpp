// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../device/range_marks.hpp"
#include "profile.hpp"
#include "program_layers.hpp"

/// Shows which kernels take the time of a net on a graphics processor: esp::model<Net, esp::profiled<esp::cuda>> runs
/// its programs group by group, with events of the stream between the groups. Steps are not captured as graphs. Include
/// it together with <espalier/cuda.hpp>.
/// names   each group is a range (device/range_marks.hpp) with its layer, kind and formula
/// errors  a cuda_error also names the group and its layer. A kernel that fails is reported by a later call; with
///         CUDA_LAUNCH_BLOCKING=1 in the environment, the group that is named is the one that failed
namespace espalier {

namespace detail {

/// The clock of a backend without one of its own: that of the host. Work is done when a call returns.
class host_clock {
 public:
  template <class Backend>
  explicit host_clock(Backend const&) {}
  void restart() { points_.clear(); }
  void mark() { points_.push_back(std::chrono::steady_clock::now()); }
  void read(double* seconds, std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i)
      seconds[i] = std::chrono::duration<double>(points_[i + 1] - points_[i]).count();
  }

 private:
  std::vector<std::chrono::steady_clock::time_point> points_;
};
template <class Backend>
struct clock_of {
  using type = host_clock;
};
template <class Backend>
  requires requires { typename Backend::clock; }
struct clock_of<Backend> {
  using type = typename Backend::clock;
};

/// The names of a program's groups, by number, from 1 on: "fc1  Linear<8, 4>: product: v7 = ..."; 0: the copies at the
/// end. Backward groups belong to the layer that they differentiate.
template <class Program, class T>
std::vector<std::string> names_of_groups() {
  report::titled const program = report::detail::titled_program<Program, T>::get();
  report::view const& v = *program.plan;
  report::program_layers layers;
  if constexpr (requires { report::detail::layers_of_program<Program>::get(); })
    layers = report::detail::layers_of_program<Program>::get();
  std::vector<std::string> names{program.title + ": copies of results"};
  for (int x = 1; x <= v.kernel_count; ++x) {
    int last = 0;
    report::for_each_result(v, v.kernels[x], [&](int node) { last = node > last ? node : last; });
    std::string const layer = report::layer_name(layers, report::layer_of(layers, last));
    names.push_back((layer.empty() ? program.title : layer) + ": " + report::kind_text(v.kernels[x]) + ": " +
                    report::formulas_of(program, x).back());
  }
  return names;
}

/// Runs one group of a program, as a range.
template <class Engine, class Program, class T, int X>
void run_named_group(Engine const& engine, void* const* base, std::string const& name) {
  using marks = range_marks<typename Engine::backend_type>;
  struct range {
    explicit range(char const* of) { marks::push(of); }
    ~range() { marks::pop(); }
  } const marked{name.c_str()};
  engine.template run_group<Program, T, X>(base, name.c_str());
}
template <class Engine, int Count>
struct named_groups {
  using function = void (*)(Engine const&, void* const*, std::string const&);
  function at[static_cast<std::size_t>(Count) + 1];
};
template <class Engine, class Program, class T, int... X>
constexpr auto functions_of_groups(std::integer_sequence<int, X...>) {
  return named_groups<Engine, static_cast<int>(sizeof...(X))>{
      {&run_named_group<Engine, Program, T, X + 1>..., nullptr}};
}

/// The engine of `profiled` for a graphics processor: that of its device, except that it runs programs group by group.
template <class Device>
class device_profiling_engine : public engine_of<Device>::type {
  using device_engine = typename engine_of<Device>::type;
  using clock = typename clock_of<typename device_engine::backend_type>::type;

 public:
  template <int Count>
  using replays = typename device_engine::template no_replays<Count>;

  device_profiling_engine() = default;
  explicit device_profiling_engine(typename device_engine::backend_type& backend) : device_engine{backend} {}

  template <class Program, class T, class...>
  void run(void* const* base) const {
    constexpr int groups = plan::plan_of<Program>.groups.group_count;
    static constexpr auto functions =
        functions_of_groups<device_engine, Program, T>(std::make_integer_sequence<int, groups>{});
    static std::vector<std::string> const names = names_of_groups<Program, T>();
    clock_->restart();
    clock_->mark();
    for (int x = 1; x <= groups; ++x) {
      functions.at[x - 1](*this, base, names[static_cast<std::size_t>(x)]);
      clock_->mark();
    }
    device_engine::template copy_results<Program, T>(base);
    clock_->mark();
    // The times of the groups, and of the copies behind them, which a profile has first.
    double seconds[static_cast<std::size_t>(groups) + 2];
    clock_->read(seconds + 1, static_cast<std::size_t>(groups) + 1);
    seconds[0] = seconds[groups + 1];
    found_->add(&report::detail::titled_program<Program, T>::get, report::view_of<Program>, sizeof(T), seconds);
  }
  profiles& found() const { return *found_; }

 private:
  std::unique_ptr<clock> clock_ = std::make_unique<clock>(this->backend());
  std::unique_ptr<profiles> found_ = std::make_unique<profiles>();
};

/// Several devices do not compile; nothing else is then reported about them.
template <class Device>
  requires is_graphics<Device>
struct engine_of<profiled<Device>> {
  static_assert(on_one_device<Device>::agree,
                ESPALIER_SENTENCE("profiled<cuda_parallel<N>>: profile a model on one device, profiled<cuda>; the "
                                  "devices run the same kernels",
                                  on_one_device<Device>));
  using type = device_profiling_engine<single_device<Device>>;
};

}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
