// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <pthread.h>
#include <semaphore.h>

#include <cstddef>
#include <cstdint>

#include "blocked_signals.hpp"
#include "float_control.hpp"
#include "team.hpp"

/// A team of threads that runs the parts of kernels.
namespace espalier::on_cpu {
namespace detail {

#if defined(__SSE__)
ESPALIER_INLINE void relax() { __builtin_ia32_pause(); }
#elif defined(__aarch64__)
ESPALIER_INLINE void relax() { __asm__ volatile("yield" : : : "memory"); }
#else
ESPALIER_INLINE void relax() {}
#endif

/// A number that threads share. Including <atomic> would add half a second to every compilation.
template <class N>
struct shared_number {
  N value;
  shared_number() { write(0); }
  N read() const { return __atomic_load_n(&value, __ATOMIC_SEQ_CST); }
  void write(N x) { __atomic_store_n(&value, x, __ATOMIC_RELEASE); }
  N add(N x) { return __atomic_add_fetch(&value, x, __ATOMIC_SEQ_CST); }
  N exchange(N x) { return __atomic_exchange_n(&value, x, __ATOMIC_SEQ_CST); }
  /// As std::atomic::compare_exchange_weak: sets the number to x if it equals `expected`, and returns whether it did.
  /// Otherwise `expected` is what the number was.
  bool replace(N& expected, N x) {
    return __atomic_compare_exchange_n(&value, &expected, x, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  }
};

/// Lets one thread sleep until another one has done something. The sleeper checks for it again after `announce`, so
/// that no signal is lost.
class bed {
 public:
  bed() { sem_init(&signal_, 0, 0); }
  ~bed() { sem_destroy(&signal_); }
  bed(bed const&) = delete;
  bed& operator=(bed const&) = delete;

  /// `reason` is what wake must be called with; not 0.
  void announce(int reason) { reason_.exchange(reason); }
  void stay_awake() {
    if (reason_.exchange(0) == 0) sleep();  // another thread is about to post the semaphore
  }
  void sleep() {
    while (sem_wait(&signal_) != 0) {}
  }
  /// Wakes the thread that has announced to sleep for this reason.
  void wake(int reason) {
    int expected = reason_.read();
    while (expected == reason)
      if (reason_.replace(expected, 0)) return static_cast<void>(sem_post(&signal_));
  }

 private:
  shared_number<int> reason_;
  sem_t signal_;
};

}  // namespace detail

/// N threads that run the parts of kernels: the calling thread, and N - 1 threads that start at construction and end
/// with the team. Between two jobs they spin for some microseconds, then sleep.
///
/// Each thread starts with its own parts, which are the same in all jobs with as many parts, so that rows stay in its
/// cache. A thread that has finished takes parts from the others. The caller waits only for parts that a thread has
/// begun. Threads that come late, that the system did not create, or whose processor is busy therefore cost no more
/// than their help. If another thread is using the team (two predictors of one model), the caller runs all parts
/// itself.
/// memory   the threads' stacks; nothing after construction
/// errors   none: with fewer threads than requested, the results are the same
template <int Threads>
class team {
 public:
  static constexpr int threads = Threads;
  /// Runs a part: f(context, which, thread), where `thread` numbers those that run parts of a job, from 0 on.
  using part_function = void (*)(void const* context, int which, int thread);

  team() {
    for (int i = 0; i < Threads; ++i) helpers_[i].owner = this;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return;
    pthread_attr_setstacksize(&attributes, stack_bytes);
    detail::blocked_signals const blocked;
    while (started_ + 1 < Threads &&
           pthread_create(&helpers_[started_ + 1].thread, &attributes, &help, &helpers_[started_ + 1]) == 0)
      ++started_;
    pthread_attr_destroy(&attributes);
  }
  ~team() {
    stopping_.write(1);
    call();
    for (int i = 1; i <= started_; ++i) pthread_join(helpers_[i].thread, nullptr);
  }
  team(team const&) = delete;
  team& operator=(team const&) = delete;

  /// Calls f(context, 0, thread) ... f(context, parts - 1, thread) once each, in parallel if threads are free. parts is
  /// at most 255.
  void run(int parts, part_function f, void const* context) const noexcept {
    if (started_ == 0 || parts < 2 || busy_.exchange(1) != 0) {
      for (int which = 0; which < parts; ++which) f(context, which, 0);
      return;
    }
    f_ = f;
    context_ = context;
    control_ = detail::float_control();
    finished_.write(0);
    number_ += std::uint64_t{1} << 16;
    for (int i = 0; i < Threads; ++i)
      queues_[i].word.write(number_ | static_cast<unsigned>(parts * i / Threads) << 8 |
                            static_cast<unsigned>(parts * (i + 1) / Threads));
    call();
    int const left = parts - run_parts(0);
    for (int patience = 0; finished_.read() != left && patience < rounds; ++patience) detail::relax();
    while (finished_.read() != left) {
      bed_.announce(left);
      if (finished_.read() == left) bed_.stay_awake();
      else bed_.sleep();
    }
    busy_.write(0);
  }

  /// The number of threads: the caller, and those that the system created.
  int size() const { return started_ + 1; }

 private:
  static constexpr int rounds = 1000;
  static constexpr std::size_t stack_bytes = 2 << 20;  // more than kernels without a room pack

  /// Parts [next, end) of job `number`, as number << 16 | next << 8 | end. They are one word, so that a thread can take
  /// a part only while its job runs.
  struct alignas(64) queue {
    detail::shared_number<std::uint64_t> word;
  };
  struct helper {
    team* owner;
    pthread_t thread;
    detail::bed bed;
  };

  void call() const {
    calls_.add(1);
    for (int i = 1; i <= started_; ++i) helpers_[i].bed.wake(1);
  }
  /// Runs parts until none is left, those of queue `own` first. Returns how many it ran.
  int run_parts(int own) const {
    int done = 0;
    for (int i = 0; i < Threads; ++i) {
      auto& word = queues_[own + i < Threads ? own + i : own + i - Threads].word;
      std::uint64_t expected = word.read();
      while ((expected >> 8 & 0xff) < (expected & 0xff)) {
        if (!word.replace(expected, expected + 0x100)) continue;
        if (own != 0) detail::float_control(control_);
        f_(context_, static_cast<int>(expected >> 8 & 0xff), own);
        if (own != 0) bed_.wake(finished_.add(1));
        ++done;
        expected = word.read();
      }
    }
    return done;
  }
  static void* help(void* me) {
    helper& self = *static_cast<helper*>(me);
    team const& t = *self.owner;
    for (unsigned last_call = 0;;) {
      for (int patience = 0; t.calls_.read() == last_call && patience < rounds; ++patience) detail::relax();
      if (t.calls_.read() == last_call) {
        self.bed.announce(1);
        if (t.calls_.read() == last_call) self.bed.sleep();
        else self.bed.stay_awake();
      }
      last_call = t.calls_.read();
      if (t.stopping_.read() != 0) return nullptr;
      t.run_parts(static_cast<int>(&self - t.helpers_));
    }
  }

  mutable queue queues_[static_cast<std::size_t>(Threads)];
  alignas(64) mutable detail::shared_number<unsigned> calls_;  // jobs so far; a change ends the helpers' wait
  detail::shared_number<int> stopping_;
  alignas(64) mutable detail::shared_number<int> finished_;  // parts of this job that helpers have run
  mutable detail::bed bed_;                                  // where the caller sleeps until that many are finished
  alignas(64) mutable detail::shared_number<int> busy_;
  // Of this job: written while no thread has a part, read by threads that have taken one.
  mutable part_function f_;
  mutable void const* context_;
  mutable std::uint64_t control_;
  mutable std::uint64_t number_ = 0;
  mutable helper helpers_[static_cast<std::size_t>(Threads)];
  int started_ = 0;
};

namespace detail {

template <int Threads>
struct team_of<cpu_parallel<Threads>> {
  static constexpr bool several = Threads > 1 && espalier::detail::thread_count<cpu_parallel<Threads>>::agree;
  using type = std::conditional_t<several, team<several ? Threads : 1>, one_thread>;
  static constexpr bool included = true;
};

}  // namespace detail
}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
