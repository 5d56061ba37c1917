// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <barrier>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <type_traits>

#include "../error.hpp"
#include "../kernel/kernel.hpp"
#include "../kernel/kernel_name.hpp"

namespace espalier::on_cuda {
namespace detail {

/// Shared memory of one block. Each array has room for all 48 KiB of a block, so that threads find arrays without any
/// synchronization. Only the kernel's own barriers may order threads: otherwise a thread sanitizer would overlook a
/// missing one.
struct thread_shared_memory {
  static constexpr std::size_t capacity = 49152;
  static constexpr int most_arrays = 16;
  alignas(256) unsigned char at[most_arrays][capacity];
};

/// Assigns arrays to keys, the same in every block, in the order of first requests. find returns -1 if none is left.
struct thread_shared_arrays {
  void const* keys[thread_shared_memory::most_arrays]{};

  int find(void const* key) {
    for (int a = 0; a < thread_shared_memory::most_arrays; ++a) {
      void const* found = nullptr;
      if (__atomic_compare_exchange_n(&keys[a], &found, key, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) || found == key)
        return a;
    }
    return -1;
  }
  /// Fills the arrays that are used: NaN as float, double and 16-bit numbers, -1 as integers.
  void poison(thread_shared_memory& memory) const {
    for (int a = 0; a < thread_shared_memory::most_arrays; ++a)
      if (keys[a] != nullptr) std::memset(memory.at[a], 0xff, thread_shared_memory::capacity);
  }
};

using thread_barrier = std::barrier<>;

/// A thread of a cluster, and the barriers that it shares with others.
struct thread_state {
  unsigned char shuffle_values[2][16];  // (2, bytes): its values in the last two shuffles
  unsigned turn;
  int thread, rank;
  std::int64_t block;
  thread_barrier *of_warp, *of_block, *of_cluster;
  thread_state* warp;            // (32): the threads of its warp
  thread_shared_memory* memory;  // (blocks of its cluster)
  thread_shared_arrays* arrays;
  kernel_name (*name)();
};

template <int Count>
struct thread_barrier_of {
  thread_barrier at{Count};
};

/// The state that the threads of a cluster share.
template <int Threads, int Cluster>
struct thread_cluster {
  static constexpr int count = Threads * Cluster;
  thread_barrier_of<32> warps[static_cast<unsigned>(count / 32)];
  thread_barrier_of<Threads> blocks[static_cast<unsigned>(Cluster)];
  thread_barrier_of<count> all, begin, end;
  thread_shared_arrays arrays;
  thread_shared_memory memory[static_cast<unsigned>(Cluster)];
  thread_state states[static_cast<unsigned>(count)];
  std::thread threads[static_cast<unsigned>(count)];
};

}  // namespace detail

/// The block_context of a thread_launcher: a thread of a block is a thread of the operating system.
class thread_context {
 public:
  explicit thread_context(detail::thread_state& state) : state_(&state) {}

  int thread() const { return state_->thread; }
  std::int64_t block() const { return state_->block; }
  int cluster_rank() const { return state_->rank; }

  /// A mask of 32 or more returns the thread's own value; a lane's number is taken modulo 32.
  template <class T>
  T shuffle_xor(T x, int mask) const {
    int const lane = state_->thread & 31, from = lane ^ mask;
    return exchange(x, from >= 0 && from < 32 ? from : lane);
  }
  template <class T>
  T shuffle(T x, int lane) const {
    return exchange(x, lane & 31);
  }
  void prefetch(void const*) const {}
  void barrier() const { state_->of_block->arrive_and_wait(); }
  void cluster_barrier() const { state_->of_cluster->arrive_and_wait(); }

  template <class T, int Count, int Slot>
  T* shared() const {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) * Count <= detail::thread_shared_memory::capacity,
                  "a shared array must fit into the 48 KiB of a block");
    int const array = state_->arrays->find(&key<T, Count, Slot>);
    if (array < 0)
      detail::throw_error<cuda_error>("%s: requests more than %d shared arrays", state_->name().text,
                                      detail::thread_shared_memory::most_arrays);
    return reinterpret_cast<T*>(state_->memory[state_->rank].at[array]);
  }
  template <class T>
  T* remote(T* mine, int rank) const {
    return reinterpret_cast<T*>(reinterpret_cast<unsigned char*>(mine) +
                                (rank - state_->rank) *
                                    static_cast<std::ptrdiff_t>(sizeof(detail::thread_shared_memory)));
  }

 private:
  template <class T, int Count, int Slot>
  static constexpr char key = 0;

  template <class T>
  T exchange(T x, int from) const {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof state_->shuffle_values[0]);
    // Two buffers alternate: a lane may store the value of its next shuffle before the last lane has read this one's.
    unsigned const turn = state_->turn ^= 1;
    std::memcpy(state_->shuffle_values[turn], &x, sizeof(T));
    state_->of_warp->arrive_and_wait();
    T result;
    std::memcpy(&result, state_->warp[from].shuffle_values[turn], sizeof(T));
    return result;
  }

  detail::thread_state* state_;
};

/// Runs kernels on the host to find missing barriers. Each thread of a cluster is a thread of the operating system, and
/// clusters run one after the other. Under a thread sanitizer (-fsanitize=thread) a missing barrier is a data race,
/// which is reported even if the results are right.
/// errors   none are detected: divergent threads wait forever (fiber_launcher reports them), and std::thread's
///          constructor ends the program if the system does not have enough threads
/// memory   a thread of the system for each thread of a cluster, and 768 KiB for each of its blocks
/// cost     about 10 us for each thread, and as much for each wait: for small kernels
class thread_launcher {
 public:
  template <class Kernel>
  void launch(typename Kernel::table const& table) {
    static_assert(launchable<Kernel>);
    using cluster = detail::thread_cluster<Kernel::threads, Kernel::cluster>;
    auto* const c = new cluster;
    std::memset(static_cast<void*>(c->memory), 0xff, sizeof c->memory);
    for (int i = 0; i < cluster::count; ++i) {
      int const rank = i / Kernel::threads, warp = i / 32;
      c->states[i] = {{},
                      0,
                      i % Kernel::threads,
                      rank,
                      0,
                      &c->warps[warp].at,
                      &c->blocks[rank].at,
                      &c->all.at,
                      &c->states[warp * 32],
                      c->memory,
                      &c->arrays,
                      &name_of<Kernel>};
    }
    for (int i = 0; i < cluster::count; ++i)
      c->threads[i] = std::thread(&thread_launcher::run<Kernel, cluster>, c, i, &table);
    for (std::thread& t : c->threads) t.join();
    delete c;
  }

 private:
  template <class Kernel, class Cluster>
  static void run(Cluster* c, int i, typename Kernel::table const* table) {
    detail::thread_state& state = c->states[i];
    for (std::int64_t first = 0; first < Kernel::blocks; first += Kernel::cluster) {
      state.block = first + state.rank;
      if (state.thread == 0) c->arrays.poison(c->memory[state.rank]);
      c->begin.at.arrive_and_wait();
      Kernel::run(thread_context(state), *table);
      c->end.at.arrive_and_wait();
    }
  }
};

static_assert(block_context<thread_context>);

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
