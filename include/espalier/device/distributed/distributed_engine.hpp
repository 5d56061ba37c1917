// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../bucket_ranges.hpp"
#include "../cpu/engine.hpp"
#include "gradient_exchange.hpp"

#include "../../base/diagnostics_push.hpp"
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
  using training_exchange = gradient_exchange<T>;
  template <class T>
  static constexpr std::int64_t least = BucketBytes / sizeof(T) > 0 ? static_cast<std::int64_t>(BucketBytes / sizeof(T))
                                                                    : 1;
  template <class First, class T>
  using ranges = bucket_ranges<typename base_type::template program<First>, least<T>>;

  distributed_engine() = default;
  explicit distributed_engine(processes& all) : all_{&all} {}

  processes& all() const { return *all_; }

  /// Runs a training program, and averages its gradients over the processes. First: the program of the trainer's first
  /// batch size, which says what is exchanged.
  template <class Program, class First, class T, class Arch = on_cpu::default_arch>
  void run_training(void* const* base, gradient_exchange<T>& exchange) const {
    T& loss = *static_cast<T*>(base[plan::base::results]);
    using own = typename base_type::template program<Program>;
    using completion = range_completion<typename base_type::template program<First>, own, least<T>>;
    this->template run_by_group<own, T, Arch>(base, [&]<int X>() {
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
