// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include "../bucket_ranges.hpp"
#include "../for_each_group.hpp"
#include "engine.hpp"
#include "parallel_exchange.hpp"

/// The engine of several graphics processors that train a model together. Each has the same memory, and the same
/// numbers in it, except its part of a batch and what it computes from that.
namespace espalier::on_cuda {

/// Runs programs on several devices. Every program runs on all of them, with the same addresses in mirrored memory; a
/// training program also exchanges gradients, loss and buffers.
/// order   kernels are launched one by one, group by group for all devices: nothing is captured as a graph
template <class Device>
class parallel_engine : public engine_memory<Device> {
  using base_type = engine_memory<Device>;
  using base_type::backend_;
  using group = backend_of<Device>;
  using backend = typename group::backend_type;

 public:
  using first_engine = engine<typename group::device_type>;
  static constexpr int parts = group::count;
  using single_threaded = parallel_engine;
  using exchange = parallel_exchange<Device>;
  template <int Count>
  using replays = step_graphs<never_captures, Count>;
  template <int Count>
  using no_replays = replays<Count>;
  template <class Program, class T>
  using result = typename first_engine::template result<Program, T>;
  template <class Program, class T>
  static constexpr std::size_t workspace_bytes = on_cuda::workspace_bytes<Program, T, backend>;
  template <class Program, class T>
  static constexpr std::size_t run_bytes = workspace_bytes<Program, T>;

  using base_type::base_type;

  single_threaded without_threads() const { return *this; }
  /// The engine of device 0.
  first_engine first() const { return first_engine{backend_->backend(0)}; }
  exchange make_exchange(std::size_t device_bytes, std::size_t host_bytes) const {
    return exchange{*backend_, device_bytes, host_bytes};
  }

  template <class Program, class T, class...>
  void run(void* const* base) const {
    each([&](int k, first_engine const& on) {
      bases const own{*backend_, k, base};
      on.template run<Program, T>(own.at);
    });
  }
  /// Runs a training program, each device with its part of the batch. All begin with the buffers of device 0. The
  /// gradients and the loss become the means over the devices. A bucket of gradients is exchanged as soon as it is
  /// complete on all devices, while they continue. Later work waits for the exchanges.
  template <class Program, class T, std::int64_t Buffers>
  void run_training(void* const* base) const {
    using checked [[maybe_unused]] = typename detail::checked_program<Program, T, backend>::type;
    constexpr int groups = plan::plan_of<Program>.groups.group_count;
    auto& exchanges = backend_->collectives();
    backend_->on_all([&](auto const& use) {
      bases own[static_cast<std::size_t>(parts)];
      for (int k = 0; k < parts; ++k) own[k] = bases{*backend_, k, base};
      if constexpr (Buffers > 0 && parts > 1) {
        together(use, [&](int k) { exchanges.broadcast(k, static_cast<T*>(own[k].at[plan::base::buffers]), Buffers); });
        for (int k = 0; k < parts; ++k) wait(use, k);
      }
      on_device::for_each_group<1, groups>([&]<int X>() {
        for (int k = 0; k < parts; ++k) on_cuda::run_group<Program, T, X>(use(k), own[k].at);
        if constexpr (completes<Program, T, X>())
          together(use, [&](int k) { average_buckets<Program, T, X>(k, own[k].at); });
      });
      for (int k = 0; k < parts; ++k) first_engine{use(k)}.template copy_results<Program, T>(own[k].at);
      together(use, [&](int k) {
        average_buckets<Program, T, groups + 1>(k, own[k].at);
        exchanges.average(k, static_cast<result<Program, T>*>(own[k].at[plan::base::results]), std::int64_t{1});
      });
      for (int k = 0; k < parts; ++k) wait(use, k);
    });
  }
  group& backend_group() const { return *backend_; }

  template <int Size, class From, class To>
  void convert(From const* from, To* to) const {
    each([&](int k, first_engine const& on) {
      on.template convert<Size>(backend_->address(k, from), backend_->address(k, to));
    });
  }
  template <int Size, class T>
  void refresh_master_weights(T const* stored, float* master_weights) const {
    each([&](int k, first_engine const& on) {
      on.template refresh_master_weights<Size>(backend_->address(k, stored), backend_->address(k, master_weights));
    });
  }

 private:
  /// The pointers of a program on one device.
  struct bases {
    void* at[plan::base::count];
    bases() = default;
    bases(group const& devices, int k, void* const* of_first) {
      for (int i = 0; i < plan::base::count; ++i) at[i] = devices.address(k, of_first[i]);
    }
  };
  template <class T>
  static constexpr std::int64_t least = group::bucket_bytes / sizeof(T) > 0
                                            ? static_cast<std::int64_t>(group::bucket_bytes / sizeof(T))
                                            : 1;
  /// Whether a bucket is complete after group X.
  template <class Program, class T, int X>
  static constexpr bool completes() {
    constexpr auto const& b = plan::gradient_buckets_of<Program, least<T>>;
    return b.first_after(X) < b.first_after(X + 1);
  }
  template <class Program, class T, int X>
  void average_buckets([[maybe_unused]] int k, [[maybe_unused]] void* const* base) const {
    using table = on_device::bucket_ranges<Program, least<T>>;
    constexpr int first = table::first_of(table::buckets.first_after(X)),
                  last = table::first_of(table::buckets.first_after(X + 1));
    T* const gradients = static_cast<T*>(base[plan::base::gradients]);
    for (int i = first; i < last; ++i)
      backend_->collectives().average(k, gradients + table::ranges.at[i].offset, table::ranges.at[i].size);
  }
  /// One exchange of all devices, behind what is queued on their backends: calls(k) makes the calls of device k.
  template <class Use, class Calls>
  void together(Use const& use, Calls const& calls) const {
    auto& exchanges = backend_->collectives();
    for (int k = 0; k < parts; ++k) {
      use(k);
      exchanges.after(k);
    }
    exchanges.begin();
    for (int k = 0; k < parts; ++k) {
      use(k);
      calls(k);
    }
    exchanges.end();
  }
  template <class Use>
  void wait(Use const& use, int k) const {
    use(k);
    backend_->collectives().before(k);
  }
  /// Calls f(k, engine) for each device.
  template <class F>
  void each(F const& f) const {
    backend_->on_each([&](int k, backend& of) { f(k, first_engine{of}); });
  }
};

}  // namespace espalier::on_cuda

namespace espalier::detail {
template <class Device>
  requires is_device_group<Device>
struct engine_of<Device> {
  using type = on_cuda::parallel_engine<Device>;
};
}  // namespace espalier::detail
#include "../../base/diagnostics_pop.hpp"
