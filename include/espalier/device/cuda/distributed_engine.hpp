// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include "../bucket_ranges.hpp"
#include "../distributed/distributed_engine.hpp"
#include "../for_each_group.hpp"
#include "distributed_exchange.hpp"
#include "engine.hpp"

/// The engine of one of several processes that train a model together, each on a graphics processor.
namespace espalier::on_device {

/// Runs programs on the graphics processor of this process. A training program also exchanges gradients with the other
/// processes: a bucket as soon as it is complete, while the backward pass continues.
/// order   kernels are launched one by one: nothing is captured as a graph
template <class Inner, std::size_t BucketBytes>
  requires espalier::detail::is_graphics<Inner>
class distributed_engine<distributed<Inner, BucketBytes>> : public on_cuda::engine<Inner> {
  using base_type = on_cuda::engine<Inner>;

 public:
  template <class T>
  using training_exchange = on_cuda::distributed_exchange<T, Inner>;
  template <int Count>
  using replays = on_cuda::step_graphs<on_cuda::never_captures, Count>;
  template <class T>
  static constexpr std::int64_t least = BucketBytes / sizeof(T) > 0 ? static_cast<std::int64_t>(BucketBytes / sizeof(T))
                                                                    : 1;
  template <class First, class T>
  using ranges = bucket_ranges<First, least<T>>;

  distributed_engine() = default;
  explicit distributed_engine(processes& all) : distributed_engine{all, on_cuda::process_device<Inner>::of(all)} {}

  processes& all() const { return *all_; }
  on_cuda::process_device<Inner>& process() const { return *process_; }

  /// Runs a training program, and averages its gradients and its loss over the processes. First: the program of the
  /// trainer's first batch size, which says what is exchanged.
  template <class Program, class First, class T>
  void run_training(void* const* base, on_cuda::distributed_exchange<T, Inner>& exchange) const {
    using checked [[maybe_unused]] =
        typename on_cuda::detail::checked_program<Program, T, on_cuda::backend_of<Inner>>::type;
    using completion = range_completion<First, Program, least<T>>;
    for_each_group<1, plan::plan_of<Program>.groups.group_count>([&]<int X>() {
      on_cuda::run_group<Program, T, X>(this->backend(), base);
      constexpr int complete = completion::complete_after(X);
      if constexpr (complete > completion::complete_after(X - 1)) exchange.ready(complete);
    });
    this->template copy_results<Program, T>(base);
    exchange.ready_all();
    exchange.finish_with(static_cast<typename base_type::template result<Program, T>*>(base[plan::base::results]));
  }

 private:
  distributed_engine(processes& all, on_cuda::process_device<Inner>& process)
      : base_type{process.main()}, all_{&all}, process_{&process} {}

  processes* all_ = nullptr;
  on_cuda::process_device<Inner>* process_ = nullptr;
};

}  // namespace espalier::on_device
#include "../../base/diagnostics_pop.hpp"
