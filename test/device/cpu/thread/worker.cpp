// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE device_cpu_thread_worker
#include <boost/test/unit_test.hpp>

#include <espalier/device/cpu/thread/worker.hpp>

#include <signal.h>

namespace on_cpu = espalier::on_cpu;

namespace {
/// Adds what it is given, number by number.
struct adder {
  on_cpu::semaphore given, added;
  int number = 0, sum = 0;
  bool takes_signals = true;
  static void* run(void* me) {
    auto& self = *static_cast<adder*>(me);
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    self.takes_signals = sigismember(&blocked, SIGINT) == 0;
    for (;;) {
      self.given.wait();
      if (self.number < 0) return nullptr;
      self.sum += self.number;
      self.added.post();
    }
  }
};
}  // namespace

BOOST_AUTO_TEST_CASE(a_thread_does_what_it_is_woken_for) {
  adder sum;
  on_cpu::worker thread;
  BOOST_TEST(!thread.started());
  thread.start(&adder::run, &sum);
  BOOST_REQUIRE(thread.started());
  for (int i = 1; i <= 1000; ++i) {
    sum.number = i;
    sum.given.post();
    sum.added.wait();
  }
  BOOST_TEST(sum.sum == 500500);
  sum.number = -1;
  sum.given.post();
  thread.join();
  BOOST_TEST(!thread.started());
  BOOST_TEST(!sum.takes_signals);
}
BOOST_AUTO_TEST_CASE(signals_of_the_caller_stay_as_they_are) {
  sigset_t before, after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  adder sum;
  sum.number = -1;
  sum.given.post();
  {
    on_cpu::worker thread;  // its destructor joins
    thread.start(&adder::run, &sum);
  }
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  BOOST_TEST(sigismember(&before, SIGINT) == sigismember(&after, SIGINT));
}
BOOST_AUTO_TEST_CASE(a_semaphore_counts) {
  on_cpu::semaphore s{2};
  BOOST_TEST(s.try_wait());
  BOOST_TEST(s.try_wait());
  BOOST_TEST(!s.try_wait());
  s.post();
  s.post();
  s.post();
  s.reset(1);
  s.wait();
  BOOST_TEST(!s.try_wait());
}
