// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../error.hpp"
#include "fiber.hpp"
#include "../kernel/kernel_name.hpp"

namespace espalier::on_cuda::detail {

class fiber_stage;

/// Where a thread of a block has stopped.
enum class stop : unsigned char { start, gone, barrier, cluster_barrier, shuffle, shuffle_xor };

inline char const* sentence_of(stop at) {
  switch (at) {
    case stop::start:
      return "has not started";
    case stop::gone:
      return "has ended";
    case stop::barrier:
      return "waits at a barrier of its block";
    case stop::cluster_barrier:
      return "waits at a barrier of its cluster";
    case stop::shuffle:
      return "waits at a shuffle";
    case stop::shuffle_xor:
      return "waits at a shuffle_xor";
  }
  return "";
}

/// The state of a thread of a block.
struct alignas(64) fiber_thread {
  static constexpr std::size_t widest = 16;
  alignas(16) unsigned char shuffle_values[2][widest];  // (2, bytes): its values in the last two shuffles
  fiber* on;  // the fiber that it is suspended on; null before it begins and after it ends
  stop at;
  unsigned char bytes;  // of the value that it shuffles
  unsigned char turn;
  bool same(fiber_thread const& other) const { return at == other.at && bytes == other.bytes; }
};

/// Shared memory of a cluster's blocks. An array is allocated at its first request, at the same offset in every block.
class fiber_shared_memory {
 public:
  static constexpr std::size_t capacity = 49152;  // bytes that static arrays of a device can have
  static constexpr int most_arrays = 32;

  fiber_shared_memory() = default;
  fiber_shared_memory(fiber_shared_memory const&) = delete;
  fiber_shared_memory& operator=(fiber_shared_memory const&) = delete;
  ~fiber_shared_memory() { release(); }

  /// Removes all arrays, and makes room for a number of blocks.
  void clear(int blocks) {
    arrays_ = 0;
    bytes_ = end_ = 0;
    blocks_ = blocks;
    if (blocks <= room_) return;
    release();
    std::size_t const bytes = stride * static_cast<std::size_t>(blocks);
    memory_ = static_cast<unsigned char*>(::operator new (bytes, std::align_val_t{256}));
    room_ = blocks;
  }
  /// Fills all arrays as before a block begins: NaN as float, double and 16-bit numbers, -1 as integers.
  void poison() {
    for (int a = 0; a < arrays_; ++a) poison(at_[a]);
  }
  /// Returns the array of a key in a block, or null if there is no room for it.
  unsigned char* find(void const* key, std::size_t bytes, int block) {
    for (int a = 0; a < arrays_; ++a)
      if (at_[a].key == key) return base(block) + at_[a].offset;
    if (arrays_ == most_arrays || bytes_ + bytes > capacity) return nullptr;
    at_[arrays_] = {key, end_, bytes};
    poison(at_[arrays_]);
    ++arrays_;
    bytes_ += bytes;
    end_ += (bytes + 15) / 16 * 16 + gap;
    return base(block) + at_[arrays_ - 1].offset;
  }
  /// The size of an array that was written past its end, or 0 if there is none.
  std::size_t written_behind() const {
    for (int a = 0; a < arrays_; ++a)
      for (int b = 0; b < blocks_; ++b)
        for (std::size_t i = 0; i < gap; ++i)
          if (base(b)[at_[a].offset + at_[a].bytes + i] != mark) return at_[a].bytes;
    return 0;
  }
  /// The same address in another block; null if `mine` is not in an array of this block.
  unsigned char* remote(unsigned char* mine, int block, int other) const {
    auto const offset = reinterpret_cast<std::uintptr_t>(mine) - reinterpret_cast<std::uintptr_t>(base(block));
    return offset < end_ ? base(other) + offset : nullptr;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t gap = 64, stride = capacity + most_arrays * (gap + 16);
  static constexpr unsigned char mark = 0xa5;
  struct array {
    void const* key;
    std::size_t offset, bytes;
  };

  unsigned char* base(int block) const { return memory_ + stride * static_cast<std::size_t>(block); }
  void poison(array const& a) {
    for (int b = 0; b < blocks_; ++b) {
      std::memset(base(b) + a.offset, 0xff, a.bytes);
      std::memset(base(b) + a.offset + a.bytes, mark, gap);
    }
  }
  void release() {
    if (memory_ != nullptr) ::operator delete (memory_, std::align_val_t{256});
    memory_ = nullptr;
    room_ = 0;
  }

  unsigned char* memory_ = nullptr;
  array at_[most_arrays]{};
  int arrays_ = 0, blocks_ = 0, room_ = 0;
  std::size_t bytes_ = 0, end_ = 0;  // requested, and with the gaps between arrays
};

/// The launch that a stage runs.
struct fiber_job {
  int threads, cluster;
  std::int64_t blocks;
  kernel_name (*name)();
  void (*run)(fiber_stage&, void const*);  // starts threads, from the current one on, while next_begins()
  void const* table;
};

/// Schedules the threads of one cluster, warp by warp. In one step, each lane of a warp runs to its next stop. After a
/// shuffle the same warp continues; at a barrier the next warp runs. Lanes switch to each other directly, without the
/// scheduler.
class fiber_stage {
 public:
  struct thread_position {
    int thread, rank;
    std::int64_t block;
  };

  explicit fiber_stage(unsigned order) : order_(order), pool_(&begin, this) {}
  fiber_stage(fiber_stage const&) = delete;
  fiber_stage& operator=(fiber_stage const&) = delete;
  ~fiber_stage() {
    delete[] threads_;
    delete[] turns_;
  }

  void run(fiber_job const& job) {
    job_ = &job;
    random_ = order_ * 0x9e3779b97f4a7c15u;
    room_for(job.threads * job.cluster);
    shared_.clear(job.cluster);
    for (std::int64_t block = 0; block < job.blocks; block += job.cluster) {
      first_block_ = block;
      run_cluster();
    }
  }

  // ---- called by the running thread

  fiber_thread& thread(int rank, int thread) { return threads_[rank * job_->threads + thread]; }

  /// Suspends this thread and continues with the next lane.
  void stop_at(stop at, unsigned bytes, int rank, int which) {
    fiber_thread& t = thread(rank, which);
    t.at = at;
    t.bytes = static_cast<unsigned char>(bytes);
    t.on = running_;
    ++step_;
    pool_.switch_to(*t.on, following());
  }
  unsigned char* shared(void const* key, std::size_t bytes, int rank, int which) {
    unsigned char* const at = shared_.find(key, bytes, rank);
    if (at == nullptr) raise_fault({fault::too_much_shared, bytes, position_of(rank * job_->threads + which)});
    return at;
  }
  unsigned char* remote(unsigned char* mine, int other, int rank, int which) {
    bool const exists = other >= 0 && other < job_->cluster;
    unsigned char* const at = exists ? shared_.remote(mine, rank, other) : nullptr;
    if (at == nullptr)
      raise_fault({fault::not_remote, static_cast<std::size_t>(other), position_of(rank * job_->threads + which)});
    if (gone_[other] != 0)
      raise_fault({fault::remote_gone, static_cast<std::size_t>(other), position_of(rank * job_->threads + which)});
    return at;
  }
  /// The thread that starts now.
  thread_position current() const { return {lane(step_) - rank_ * job_->threads, rank_, first_block_ + rank_}; }
  /// Ends the current thread; returns whether the next lane has not started yet either.
  bool next_begins() {
    fiber_thread& t = threads_[lane(step_)];
    t.at = stop::gone;
    t.on = nullptr;
    ++gone_[rank_];
    ++step_;
    return step_ < 32 && threads_[lane(step_)].on == nullptr;
  }

 private:
  struct fault {
    enum kind { none, too_much_shared, not_remote, remote_gone, stack } what = none;
    std::size_t number = 0;
    thread_position at{};
  };

  int lane(int step) const { return first_ + ((start_ + direction_ * step) & 31); }
  thread_position position_of(int index) const {
    return {index % job_->threads, index / job_->threads, first_block_ + index / job_->threads};
  }

  /// The execution of the lane that runs now, or the scheduler's after the last lane.
  execution& following() {
    if (step_ == 32) return pool_.outside();
    fiber_thread& t = threads_[lane(step_)];
    running_ = t.on != nullptr ? t.on : pool_.acquire();
    return *running_;
  }
  static void begin(void* at) {
    auto& stage = *static_cast<fiber_stage*>(at);
    for (;;) {
      stage.job_->run(stage, stage.job_->table);
      fiber* const mine = stage.running_;
      if (!stage.pool_.park(mine) && stage.fault_.what == fault::none)
        stage.fault_ = {fault::stack, fiber_pool::stack_bytes, {}};
      stage.pool_.switch_to(*mine, stage.following());
    }
  }
  [[gnu::cold]] void raise_fault(fault why) {
    fault_ = why;
    pool_.switch_to(*running_, pool_.outside());
  }

  void room_for(int threads) {
    if (threads <= room_) return;
    delete[] threads_;
    delete[] turns_;
    threads_ = nullptr;
    turns_ = nullptr;
    room_ = 0;
    threads_ = new fiber_thread[static_cast<unsigned>(threads)];
    turns_ = new int[static_cast<unsigned>(threads) / 32];
    room_ = threads;
  }

  // ---- the scheduler

  void run_cluster() {
    int const count = job_->threads * job_->cluster, warps = count / 32;
    for (int i = 0; i < count; ++i) {
      threads_[i].on = nullptr;
      threads_[i].at = stop::start;
      threads_[i].bytes = threads_[i].turn = 0;
    }
    for (int& gone : gone_) gone = 0;
    shared_.poison();
    for (int w = 0; w < warps; ++w) turns_[w] = order_ == 1 ? warps - 1 - w : w;
    unsigned open = (1u << job_->cluster) - 1;  // the blocks that can continue
    while (open != 0) {
      if (order_ > 1)
        for (int w = warps - 1; w > 0; --w) {
          int const other = static_cast<int>(random() % static_cast<unsigned>(w + 1)), kept = turns_[w];
          turns_[w] = turns_[other];
          turns_[other] = kept;
        }
      for (int w = 0; w < warps; ++w)
        if ((open >> (turns_[w] * 32 / job_->threads) & 1) != 0) run_warp(turns_[w]);
      open = opened();
    }
    if (auto const bytes = shared_.written_behind(); bytes != 0)
      throw_error<cuda_error>("%s: wrote past the end of a shared array of %zu bytes, in block %lld or in its cluster",
                              job_->name().text, bytes, static_cast<long long>(first_block_));
  }

  /// Runs a warp until it stops at anything except a shuffle.
  void run_warp(int warp) {
    first_ = warp * 32;
    rank_ = first_ / job_->threads;
    fiber_thread const& front = threads_[first_];
    do {
      start_ = order_ > 1 ? static_cast<int>(random() & 31) : order_ == 1 ? 31 : 0;
      direction_ = order_ == 1 || (order_ > 1 && (random() & 1) != 0) ? -1 : 1;
      step_ = 0;
      pool_.switch_to(pool_.outside(), following());
      if (fault_.what != fault::none) throw_fault();
      for (int i = 1; i < 32; ++i)
        if (!front.same(threads_[first_ + i])) throw_divergence(first_, first_ + i);
    } while (front.at == stop::shuffle || front.at == stop::shuffle_xor);
  }

  /// Once no warp can continue: the blocks whose threads have all reached their barrier; 0 if all threads have ended.
  unsigned opened() {
    int const per = job_->threads;
    unsigned open = 0;
    bool all_same = true;
    for (int b = 0; b < job_->cluster; ++b) {
      fiber_thread const& front = threads_[b * per];
      for (int i = 32; i < per; i += 32)
        if (!front.same(threads_[b * per + i])) throw_divergence(b * per, b * per + i);
      if (front.at == stop::barrier) open |= 1u << b;
      all_same = all_same && front.at == threads_[0].at;
    }
    if (open != 0) return open;
    if (!all_same)
      for (int b = 1; b < job_->cluster; ++b)
        if (threads_[b * per].at != threads_[0].at) throw_divergence(0, b * per);
    return threads_[0].at == stop::gone ? 0 : (1u << job_->cluster) - 1;
  }

  [[gnu::cold]] void throw_divergence(int a, int b) {
    pool_.abandon();
    thread_position const one = position_of(a), other = position_of(b);
    fiber_thread const &x = threads_[a], &y = threads_[b];
    char sizes[64] = "";
    if (x.at == y.at) std::snprintf(sizes, sizeof sizes, " (of %d and of %d bytes)", x.bytes, y.bytes);
    throw_error<divergent_threads>("%s: thread %d of block %lld %s, but thread %d of block %lld %s%s",
                                   job_->name().text, one.thread, static_cast<long long>(one.block), sentence_of(x.at),
                                   other.thread, static_cast<long long>(other.block), sentence_of(y.at), sizes);
  }
  [[gnu::cold]] void throw_fault() {
    fault const why = fault_;
    fault_ = {};
    pool_.abandon();
    char text[200] = "";
    switch (why.what) {
      case fault::too_much_shared:
        std::snprintf(
            text, sizeof text,
            "requests %zu bytes of shared memory in addition to %zu: a block has %zu bytes and at most %d arrays",
            why.number, shared_.bytes(), fiber_shared_memory::capacity, fiber_shared_memory::most_arrays);
        break;
      case fault::not_remote:
        std::snprintf(
            text, sizeof text,
            "requests shared memory of block %lld of its cluster of %d blocks: there is no such block, or the address is not in shared memory",
            static_cast<long long>(why.number), job_->cluster);
        break;
      case fault::remote_gone:
        std::snprintf(text, sizeof text,
                      "requests shared memory of block %lld of its cluster, in which threads have ended",
                      static_cast<long long>(why.number));
        break;
      case fault::stack:
        std::snprintf(text, sizeof text, "or another one needs more than %zu bytes of stack", why.number);
        break;
      case fault::none:
        break;
    }
    throw_error<cuda_error>("%s: thread %d of block %lld %s", job_->name().text, why.at.thread,
                            static_cast<long long>(why.at.block), text);
  }

  unsigned random() {
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<unsigned>(random_ >> 33);
  }

  unsigned order_;
  std::uint64_t random_ = 0;
  fiber_job const* job_ = nullptr;
  fiber_thread* threads_ = nullptr;
  int* turns_ = nullptr;  // the warps, in the order in which they run
  int room_ = 0;
  int gone_[8]{};  // ended threads of each block
  std::int64_t first_block_ = 0;
  // The current warp (its first thread and its block), the order of its lanes, and how many have run in this step.
  int first_ = 0, rank_ = 0, start_ = 0, direction_ = 1, step_ = 0;
  fiber* running_ = nullptr;
  fault fault_;
  fiber_pool pool_;
  fiber_shared_memory shared_;
};

}  // namespace espalier::on_cuda::detail
#include "../../../base/diagnostics_pop.hpp"
