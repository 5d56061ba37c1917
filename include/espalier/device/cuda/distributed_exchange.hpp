// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include "../../storage/bytes.hpp"
#include "../distributed/gradient_exchange.hpp"
#include "kernel/weighted_sum.hpp"
#include "process_device.hpp"
#include "tensor/device_block.hpp"

namespace espalier::on_cuda {

/// Averages the gradients of the graphics processors of several processes (on_device::gradient_exchange describes what
/// trainers use): headers and losses by the processes, gradients from device to device. A range is divided into a part
/// for each process. Each receives its part of all others, sums it in the order of their ranks, and sends the sums to
/// all: every device has the same bits. Exchanges are beside the backward pass.
/// order    no exchange is queued before all processes are known to train. finish() waits for the exchanges, so that an
///          update follows complete gradients only
/// memory   on the device, at construction: the largest range once
/// errors   distributed_error; cuda_error
template <class T, class Device>
class distributed_exchange {
  using device = process_device<Device>;
  using backend = typename device::backend_type;
  using number = compute_type<T>;

 public:
  template <class Engine>
  explicit distributed_exchange(Engine const& engine)
      : all_{&engine.all()}, device_{&engine.process()}, headers_{engine} {}

  void meet(std::uint64_t program, T* at, plan::gradient_range const* ranges, int count, void* state,
            std::int64_t state_bytes) {
    at_ = at;
    ranges_ = ranges;
    count_ = count;
    auto const bytes = static_cast<std::size_t>(state_bytes);
    espalier::detail::block const host{(bytes + processes::line - 1) / processes::line * processes::line};
    if (bytes > 0) device_->main().to_host(host.template at<void>(0), state, bytes);
    headers_.meet(espalier::detail::hash_bytes(ranges, static_cast<std::size_t>(count) * sizeof *ranges, program),
                  nullptr, ranges, 0, host.template at<void>(0), state_bytes);
    if (bytes > 0) device_->main().to_device(state, host.template at<void>(0), bytes);
    device_->meet(*all_);
    std::int64_t most = 0;
    for (int i = 0; i < count; ++i) most = each(ranges[i]) > most ? each(ranges[i]) : most;
    auto const n = static_cast<std::size_t>(all_->size());
    slots_ = {device_->beside(), n * static_cast<std::size_t>(most) * sizeof(T)};
    factors_ = {device_->beside(), n * sizeof(number)};
    factors_there_ = on_device::detail::sized_array<number>(all_->size());
  }

  void begin(on_device::step_header const& own) {
    if (device_->peers().has_failed()) {
      espalier::detail::error_text text;
      espalier::detail::raise(
          distributed_error{text << "process " << all_->rank() << " of " << all_->size()
                                 << ": nothing can be exchanged any more, because an exchange has failed"});
    }
    device_->peers().set_step(static_cast<std::int64_t>(own.number));
    ready_ = 0;
    has_factors_ = false;
    headers_.begin(own);
  }
  void wait_for_headers() {
    headers_.wait_for_headers();
    if (has_factors_) return;
    has_factors_ = true;
    if (headers_.all_have_joined()) return;
    bool are_there = true;
    for (int k = 0; k < all_->size(); ++k) {
      are_there = are_there && factors_there_[k] == headers_.factor(k);
      factors_there_[k] = headers_.factor(k);
    }
    if (!are_there) device_->beside().to_device(factors_.template at<void>(0), factors_there_.data(), factors_.bytes());
  }
  [[nodiscard]] std::int64_t samples_before() const { return headers_.samples_before(); }
  [[nodiscard]] bool all_have_joined() const { return headers_.all_have_joined(); }

  /// The first `count` ranges are complete when the main backend has done what is queued on it. Queues their exchanges.
  void ready(int count) {
    if (ready_ >= count) return;
    // A process that is late sends its header late, and has all of its step before it: waiting costs nothing.
    wait_for_headers();
    device_->beside().wait_for(device_->main());
    for (; ready_ < count; ++ready_) exchange(ranges_[ready_]);
  }
  void ready_all() { ready(count_); }
  /// Waits until all exchanges are done. Returns the mean of a number over the samples of all processes, if a process
  /// wants it.
  double finish(double own) {
    wait_for_headers();
    if (count_ > 0) device_->peers().wait();
    device_->main().wait_for(device_->beside());
    return headers_.finish(own);
  }
  /// The same for a number on the device, which becomes the mean.
  template <class Loss>
  void finish_with(Loss* loss) {
    wait_for_headers();
    Loss mean{};
    if (headers_.wants_loss()) device_->main().to_host(&mean, loss, sizeof mean);
    mean = static_cast<Loss>(
        static_cast<compute_type<Loss>>(finish(static_cast<double>(static_cast<compute_type<Loss>>(mean)))));
    if (headers_.wants_loss()) device_->main().to_device(loss, &mean, sizeof mean);
  }
  void reject(std::uint64_t step) noexcept { headers_.reject(step); }

 private:
  /// The elements of a part: whole lines, and a part for each process.
  std::int64_t each(plan::gradient_range const& r) const {
    constexpr auto line = static_cast<std::int64_t>(processes::line / sizeof(T));
    std::int64_t const lines = (r.size + line - 1) / line, n = all_->size();
    return (lines + n - 1) / n * line;
  }
  void exchange(plan::gradient_range const& r) {
    T *const at = at_ + r.offset, *const slots = slots_.template at<T>(0);
    std::int64_t const part = each(r);
    device_->peers().scatter(static_cast<T const*>(at), slots, part, r.size);
    if (std::int64_t const own = detail::part_of(r.size, part, all_->rank()); own > 0)
      sum(at + part * all_->rank(), slots, part, own);
    device_->peers().gather(slots, part, at, r.size);
  }
  void sum(T* own, T* slots, std::int64_t each, std::int64_t count) {
    constexpr std::int64_t V = full_width<T>, in_block = 256 * V;
    // The gap behind a tensor is memory, too, so that the last elements are a whole pack.
    auto const parts = [&](auto kernel) {
      device_->beside().template launch<decltype(kernel)>(
          {{own, slots, factors_.template at<void>(0)},
           {static_cast<std::uint64_t>(each), static_cast<std::uint64_t>((count + V - 1) / V),
            static_cast<std::uint64_t>(all_->size()), static_cast<std::uint64_t>(all_->rank())}});
    };
    if (count <= 2 * in_block) parts(weighted_sum_kernel<T, 1>{});
    else if (count <= 32 * in_block) parts(weighted_sum_kernel<T, 16>{});
    else parts(weighted_sum_kernel<T, 264>{});
  }

  processes* all_;
  device* device_;
  on_device::gradient_exchange<number> headers_;
  T* at_ = nullptr;
  plan::gradient_range const* ranges_ = nullptr;
  int count_ = 0, ready_ = 0;
  bool has_factors_ = false;
  device_block<backend> slots_, factors_;
  on_device::detail::sized_array<number> factors_there_;
};

}  // namespace espalier::on_cuda
#include "../../base/diagnostics_pop.hpp"
