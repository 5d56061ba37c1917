// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <type_traits>

#include "error.hpp"
#include "kernel.hpp"
#include "kernel_name.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::on_cuda {
namespace detail {

/// Shared memory of one block. Every array has as much room as all of them may take together, and threads find theirs without waiting for each other in
/// any way: what orders them may only be the kernel's own barriers, or a thread sanitizer would overlook that one is missing.
struct thread_shared_memory {
  static constexpr std::size_t capacity = 49152;
  static constexpr int most_arrays = 16;
  alignas(256) unsigned char at[most_arrays][capacity];
};

/// Which array a key has, in every block: those that ask first have the first. Null if there is none left.
struct thread_shared_arrays {
  void const* keys[thread_shared_memory::most_arrays]{};

  int find(void const* key) {
    for (int a = 0; a < thread_shared_memory::most_arrays; ++a) {
      void const* found = nullptr;
      if (__atomic_compare_exchange_n(&keys[a], &found, key, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) || found == key) return a;
    }
    return -1;
  }
  /// Of those that are used.
  void poison(thread_shared_memory& memory) const {
    for (int a = 0; a < thread_shared_memory::most_arrays; ++a)
      if (keys[a] != nullptr) std::memset(memory.at[a], 0xff, thread_shared_memory::capacity);
  }
};

using meeting = std::barrier<>;

/// A thread of a cluster, and where it meets others.
struct thread_seat {
  unsigned char given[2][16];  // to shuffles
  unsigned turn;
  int thread, rank;
  std::int64_t block;
  meeting *of_warp, *of_block, *of_cluster;
  thread_seat* warp;             // the seats of its warp
  thread_shared_memory* memory;  // of the blocks of its cluster
  thread_shared_arrays* arrays;
  kernel_name (*name)();
};

template <int Count>
struct meeting_of {
  meeting at{Count};
};

/// All that the threads of a cluster have in common.
template <int Threads, int Cluster>
struct thread_cluster {
  static constexpr int count = Threads * Cluster;
  meeting_of<32> warps[static_cast<unsigned>(count / 32)];
  meeting_of<Threads> blocks[static_cast<unsigned>(Cluster)];
  meeting_of<count> all, begin, end;
  thread_shared_arrays arrays;
  thread_shared_memory memory[static_cast<unsigned>(Cluster)];
  thread_seat seats[static_cast<unsigned>(count)];
  std::thread threads[static_cast<unsigned>(count)];
};

}  // namespace detail

/// A block_context on this processor: a thread of a block is a thread of the operating system. What a thread_launcher gives to kernels.
class thread_context {
 public:
  explicit thread_context(detail::thread_seat& seat) : seat_(&seat) {}

  int thread() const { return seat_->thread; }
  std::int64_t block() const { return seat_->block; }
  int cluster_rank() const { return seat_->rank; }

  /// A mask of 32 or more gives the thread's own value; a lane's number counts modulo 32.
  template <class T>
  T shuffle_xor(T x, int mask) const {
    int const lane = seat_->thread & 31, from = lane ^ mask;
    return exchange(x, from >= 0 && from < 32 ? from : lane);
  }
  template <class T>
  T shuffle(T x, int lane) const {
    return exchange(x, lane & 31);
  }
  void barrier() const { seat_->of_block->arrive_and_wait(); }
  void cluster_barrier() const { seat_->of_cluster->arrive_and_wait(); }

  template <class T, int Count, int Slot>
  T* shared() const {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) * Count <= detail::thread_shared_memory::capacity, "more shared memory than a block has");
    int const array = seat_->arrays->find(&key<T, Count, Slot>);
    if (array < 0) detail::refuse<cuda_error>("%s: more than %d shared arrays", seat_->name().text, detail::thread_shared_memory::most_arrays);
    return reinterpret_cast<T*>(seat_->memory[seat_->rank].at[array]);
  }
  template <class T>
  T* remote(T* mine, int rank) const {
    return reinterpret_cast<T*>(reinterpret_cast<unsigned char*>(mine) + (rank - seat_->rank) * static_cast<std::ptrdiff_t>(sizeof(detail::thread_shared_memory)));
  }

 private:
  template <class T, int Count, int Slot>
  static constexpr char key = 0;

  template <class T>
  T exchange(T x, int from) const {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof seat_->given[0]);
    // Two places, one for each of two shuffles in a row: a lane may be at the next one before the last has read what it gave to this one.
    unsigned const turn = seat_->turn ^= 1;
    std::memcpy(seat_->given[turn], &x, sizeof(T));
    seat_->of_warp->arrive_and_wait();
    T result;
    std::memcpy(&result, seat_->warp[from].given[turn], sizeof(T));
    return result;
  }

  detail::thread_seat* seat_;
};

/// Runs kernels on this processor, one cluster of blocks after the other, each thread of a cluster as a thread of the operating system: under a thread
/// sanitizer (-fsanitize=thread) a missing barrier is a data race, which it reports, whatever the numbers are.
/// errors   none are noticed here: threads that diverge wait for ever (fiber_launcher tells), and std::thread's constructor ends the program if the
///          system has not so many threads
/// memory   a thread of the system for each thread of a cluster, and 768 KiB for each of its blocks
/// cost     some 10 us for each thread, and as much for each wait: for small kernels
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
      c->seats[i] = {{}, 0, i % Kernel::threads, rank, 0, &c->warps[warp].at, &c->blocks[rank].at, &c->all.at, &c->seats[warp * 32], c->memory, &c->arrays,
                     &name_of<Kernel>};
    }
    for (int i = 0; i < cluster::count; ++i) c->threads[i] = std::thread(&thread_launcher::run<Kernel, cluster>, c, i, &table);
    for (std::thread& t : c->threads) t.join();
    delete c;
  }

 private:
  template <class Kernel, class Cluster>
  static void run(Cluster* c, int i, typename Kernel::table const* table) {
    detail::thread_seat& seat = c->seats[i];
    for (std::int64_t first = 0; first < Kernel::blocks; first += Kernel::cluster) {
      seat.block = first + seat.rank;
      if (seat.thread == 0) c->arrays.poison(c->memory[seat.rank]);
      c->begin.at.arrive_and_wait();
      Kernel::run(thread_context(seat), *table);
      c->end.at.arrive_and_wait();
    }
  }
};

static_assert(block_context<thread_context>);

}  // namespace espalier::on_cuda
#pragma GCC diagnostic pop
