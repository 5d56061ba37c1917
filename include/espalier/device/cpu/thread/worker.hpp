// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <pthread.h>
#include <semaphore.h>

#include "blocked_signals.hpp"

namespace espalier::on_cpu {

/// A counting semaphore: what a thread has done before post() is visible to the thread whose wait() takes that post.
class semaphore {
 public:
  explicit semaphore(unsigned count = 0) { sem_init(&count_, 0, count); }
  ~semaphore() { sem_destroy(&count_); }
  semaphore(semaphore const&) = delete;
  semaphore& operator=(semaphore const&) = delete;

  void post() { sem_post(&count_); }
  /// Waits until the count is above 0 and takes one.
  void wait() {
    while (sem_wait(&count_) != 0) {}  // a signal handler interrupts the wait
  }
  /// Takes one if the count is above 0, and returns whether it did.
  bool try_wait() { return sem_trywait(&count_) == 0; }
  /// Sets the count; no other thread may use the semaphore meanwhile.
  void reset(unsigned count) {
    while (try_wait()) {}
    for (; count > 0; --count) post();
  }

 private:
  sem_t count_;
};

/// A thread that calls one function. Signals go to the threads that the user has started.
/// errors  if the system creates no thread, started() is false
/// memory  the stack that the system gives to a thread
class worker {
 public:
  worker() = default;
  worker(worker const&) = delete;
  worker& operator=(worker const&) = delete;
  ~worker() { join(); }

  /// Calls f(context) on the thread. Call it once.
  void start(void* (*f)(void*), void* context) {
    detail::blocked_signals const blocked;
    started_ = pthread_create(&thread_, nullptr, f, context) == 0;
  }
  bool started() const { return started_; }
  /// Waits until the function has returned.
  void join() {
    if (started_) pthread_join(thread_, nullptr);
    started_ = false;
  }

 private:
  pthread_t thread_{};
  bool started_ = false;
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
