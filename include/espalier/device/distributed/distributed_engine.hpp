// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include "../bucket_ranges.hpp"
#include "../cpu/engine.hpp"
#include "../../plan/exchanges.hpp"
#include "statistics_exchange.hpp"

/// The engine of one of several processes that train a model together. Each has its own batches and all of the model,
/// and the same parameters in it.
namespace espalier::on_device {

/// Runs programs on the processor of this process. A training program also exchanges gradients with the other
/// processes: a bucket as soon as it is complete, while the backward pass continues.
template <class Device>
class distributed_engine;

template <class Inner, std::size_t BucketBytes>
class distributed_engine<distributed<Inner, BucketBytes>> : public on_cpu::engine<Inner> {
  using base_type = on_cpu::engine<Inner>;

 public:
  /// The engine of what other processes take no part in.
  using single_threaded = typename base_type::single_threaded;
  template <class T>
  using training_exchange = statistics_exchange<T>;
  /// Values of a program may be those of all processes (operation/over_processes.hpp).
  static constexpr bool combines_processes = true;
  template <class T>
  static constexpr std::int64_t least = BucketBytes / sizeof(T) > 0 ? static_cast<std::int64_t>(BucketBytes / sizeof(T))
                                                                    : 1;
  template <class First, class T>
  using ranges = bucket_ranges<typename base_type::template program<First>, least<T>>;

  distributed_engine() = default;
  explicit distributed_engine(processes& all) : all_{&all} {}

  processes& all() const { return *all_; }

  /// The exchanges of values in a training program.
  template <class Program>
  using exchanges = plan::exchanges_of<typename base_type::template program<Program>>;
  /// Prepares for the exchanges of values; buffer_bytes: the buffers of the model.
  template <class First, class T>
  void meet_values(statistics_exchange<T>& exchange, std::int64_t buffer_bytes) const {
    if constexpr (exchanges<First>::count > 0) exchange.meet_values(exchanges<First>::largest(), buffer_bytes);
  }
  /// Takes part in the exchanges of values in a step without samples.
  template <class First, class T>
  void pass_values(statistics_exchange<T>& exchange) const {
    for (int i = 0; i < exchanges<First>::count; ++i) exchange.pass(exchanges<First>::exchanges.at[i].size);
  }
  /// After the last step of all: running statistics of all processes become those of a process that took part in it.
  template <class First, class T>
  void share_buffers(statistics_exchange<T>& exchange, void* buffers, std::int64_t bytes) const {
    if constexpr (exchanges<First>::count > 0)
      if (bytes > 0) exchange.share_buffers(buffers, bytes);
  }

  /// Runs a training program, and averages its gradients over the processes. First: the program of the trainer's first
  /// batch size, which says what is exchanged.
  template <class Program, class First, class T, class Arch = on_cpu::default_arch>
  void run_training(void* const* base, statistics_exchange<T>& exchange) const {
    T& loss = *static_cast<T*>(base[plan::base::results]);
    using own = typename base_type::template program<Program>;
    static_assert(plan::exchange_the_same<own, typename base_type::template program<First>>());
    using completion = range_completion<typename base_type::template program<First>, own, least<T>>;
    this->template run_by_group<own, T, Arch>(base, [&]<int X>() {
      if constexpr (constexpr int i = exchanges<Program>::behind(X); i >= 0) {
        constexpr plan::value_exchange x = exchanges<Program>::exchanges.at[i];
        exchange.combine(at<T>(base, x.at), x.size, x.as);
      }
      constexpr int before = completion::complete_after(X - 1), complete = completion::complete_after(X);
      if constexpr (complete > before) exchange.ready(complete);
      else if constexpr (complete > 0) exchange.advance();
    });
    loss = static_cast<T>(exchange.finish(static_cast<double>(loss)));
  }

 private:
  processes* all_ = nullptr;
};

}  // namespace espalier::on_device

namespace espalier::detail {
template <class Device>
  requires is_distributed<Device>
struct engine_of<Device> {
  using type = espalier::on_device::distributed_engine<Device>;
};
}  // namespace espalier::detail
#include "../../base/diagnostics_pop.hpp"
