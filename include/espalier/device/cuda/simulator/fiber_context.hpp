// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "fiber_stage.hpp"
#include "../kernel/kernel.hpp"

namespace espalier::on_cuda {

/// The block_context of a fiber_launcher: the running thread of a block, simulated on the host.
class fiber_context {
 public:
  fiber_context(detail::fiber_stage& stage, int thread, int rank, std::int64_t block)
      : stage_(&stage), thread_(thread), rank_(rank), block_(block) {}

  int thread() const { return thread_; }
  std::int64_t block() const { return block_; }
  int cluster_rank() const { return rank_; }

  /// As on the device: a mask of 32 or more returns the thread's own value.
  template <class T>
  T shuffle_xor(T x, int mask) const {
    int const from = (thread_ & 31) ^ mask;
    return exchange<detail::stop::shuffle_xor>(x, from >= 0 && from < 32 ? from : thread_ & 31);
  }
  /// As on the device: the lane's number is taken modulo 32.
  template <class T>
  T shuffle(T x, int lane) const {
    return exchange<detail::stop::shuffle>(x, lane & 31);
  }
  void prefetch(void const*) const {}
  void barrier() const { stage_->stop_at(detail::stop::barrier, 0, rank_, thread_); }
  void cluster_barrier() const { stage_->stop_at(detail::stop::cluster_barrier, 0, rank_, thread_); }

  template <class T, int Count, int Slot>
  T* shared() const {
    static_assert(std::is_trivially_copyable_v<T>);
    return reinterpret_cast<T*>(stage_->shared(&key<T, Count, Slot>, sizeof(T) * Count, rank_, thread_));
  }
  template <class T>
  T* remote(T* mine, int rank) const {
    return reinterpret_cast<T*>(stage_->remote(reinterpret_cast<unsigned char*>(mine), rank, rank_, thread_));
  }

 private:
  template <class T, int Count, int Slot>
  static constexpr char key = 0;

  template <detail::stop At, class T>
  T exchange(T x, int from) const {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= detail::fiber_thread::widest);
    auto& mine = stage_->thread(rank_, thread_);
    // Two buffers alternate: a lane may store the value of its next shuffle before the last lane has read this one's.
    mine.turn ^= 1;
    std::memcpy(mine.shuffle_values[mine.turn], &x, sizeof(T));
    stage_->stop_at(At, static_cast<unsigned>(sizeof(T)), rank_, thread_);
    T result;
    std::memcpy(&result, stage_->thread(rank_, (thread_ & ~31) | from).shuffle_values[mine.turn], sizeof(T));
    return result;
  }

  detail::fiber_stage* stage_;
  int thread_, rank_;
  std::int64_t block_;
};

/// Runs kernels on the host, to test them. Clusters of blocks run one after the other, and each thread of a cluster is
/// a fiber that runs until it must wait for others. Runs are reproducible and as strict as the strictest device. Lanes
/// of a warp must all be at the same kind of shuffle, and all threads of a block (of a cluster) at the barrier. Shared
/// memory is filled with NaN when a block begins, and its arrays have 48 KiB in total, as static arrays on a device.
/// order    0: a warp runs as far as it can, then the next; 1: the last warp and lane first; any other number: the seed
///          of random orders, a new one after each barrier. A kernel that lacks a barrier computes other results in one
///          of the orders.
/// errors   divergent_threads; cuda_error for shared memory that is too large, was written past its end, or is
///          requested of a block that has ended. After an error, the kernel is abandoned.
/// memory   a stack of 64 KiB for each waiting thread of a cluster, kept for later launches (a page is used when it is
///          first touched)
/// cost     a kernel without barriers and shuffles is a loop over its threads; each wait of a thread costs about 10 ns
///          with Boost.Context, 800 ns without
/// threads  one launch at a time
class fiber_launcher {
 public:
  explicit fiber_launcher(int order = 0) : stage_(static_cast<unsigned>(order)) {}

  template <class Kernel>
  void launch(typename Kernel::table const& table) {
    static_assert(launchable<Kernel>);
    stage_.run({Kernel::threads, Kernel::cluster, Kernel::blocks, &name_of<Kernel>, &threads_of<Kernel>, &table});
  }

 private:
  /// Runs threads of the current warp, one after the other until one has to wait.
  template <class Kernel>
  static void threads_of(detail::fiber_stage& stage, void const* table) {
    do {
      auto const which = stage.current();
      Kernel::run(fiber_context(stage, which.thread, which.rank, which.block),
                  *static_cast<typename Kernel::table const*>(table));
    } while (stage.next_begins());
  }

  detail::fiber_stage stage_;
};

static_assert(block_context<fiber_context>);

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
