// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/supported.hpp"

#include <cassert>

/// Detects a workspace that two threads use at the same time: a workspace belongs to one object, and to one call at a
/// time. Only builds without NDEBUG check; objects have the same members in all builds.
namespace espalier::detail {

/// Whether a call is running.
struct call_mark {
  unsigned char busy = 0;
};

/// Marks a call while it runs. The mark is read and written without a lock: that costs about a nanosecond, an atomic
/// exchange five or more. Two calls that start within the same few nanoseconds may both find it clear, but threads that
/// share a workspace overlap again and again.
template <bool Checks>
class call_guard {
 public:
  explicit call_guard(call_mark&) {}
};
template <>
class call_guard<true> {
 public:
  explicit call_guard(call_mark& of) : of_{of} {
    [[maybe_unused]] unsigned char const busy = __atomic_load_n(&of_.busy, __ATOMIC_RELAXED);
    __atomic_store_n(&of_.busy, static_cast<unsigned char>(1), __ATOMIC_RELAXED);
    assert(
        busy == 0 &&
        "this predictor, frozen net, compiled function or trainer is in use by another thread; construct one for each thread");
  }
  call_guard(call_guard const&) = delete;
  call_guard& operator=(call_guard const&) = delete;
  ~call_guard() { __atomic_store_n(&of_.busy, static_cast<unsigned char>(0), __ATOMIC_RELAXED); }

 private:
  call_mark& of_;
};

}  // namespace espalier::detail

#if defined(NDEBUG)
#define ESPALIER_CALL_GUARD espalier::detail::call_guard<false>
#else
#define ESPALIER_CALL_GUARD espalier::detail::call_guard<(__GCC_ATOMIC_CHAR_LOCK_FREE == 2)>
#endif
#include "../base/diagnostics_pop.hpp"
