// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../base/supported.hpp"

#if !defined(_WIN32)
#include <pthread.h>
#include <signal.h>
#endif

namespace espalier::on_cpu::detail {

/// While an object of this class exists, the thread that made it receives no signals. Threads that it starts meanwhile
/// never receive any: only threads that the user started handle signals. Windows has none.
class blocked_signals {
 public:
#if defined(_WIN32)
  blocked_signals() {}  // not trivial: the object is its effect
#else
  blocked_signals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~blocked_signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
#endif
  blocked_signals(blocked_signals const&) = delete;
  blocked_signals& operator=(blocked_signals const&) = delete;

#if !defined(_WIN32)
 private:
  sigset_t before_;
#endif
};

}  // namespace espalier::on_cpu::detail
#include "../../../base/diagnostics_pop.hpp"
