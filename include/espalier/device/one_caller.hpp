// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/supported.hpp"

#include <cassert>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// A workspace belongs to one object, and to one call at a time. Notices one that two threads use at once. Builds without NDEBUG check, others do nothing; objects have the same members in both.
namespace espalier::detail {

/// Fact for a refusal: a workspace belongs to one object.
template <class Owner>
struct copied_workspace {
  static constexpr bool agree = false;
};

/// Whether a call is under way.
struct call_mark {
  unsigned char busy = 0;
};

/// Marks a call for as long as it takes. The mark is read and written without a lock, which costs about a nanosecond where an exchange takes five and more:
/// two calls that begin within the same few nanoseconds may both find it free, but threads that share a workspace overlap again and again.
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
    assert(busy == 0 && "this predictor, frozen net, compiled function or trainer is in use by another thread; make one for each thread");
  }
  call_guard(call_guard const&) = delete;
  call_guard& operator=(call_guard const&) = delete;
  ~call_guard() { __atomic_store_n(&of_.busy, static_cast<unsigned char>(0), __ATOMIC_RELAXED); }

 private:
  call_mark& of_;
};

}  // namespace espalier::detail

#define ESPALIER_WORKSPACE_IS_COPIED "it has memory of its own, and is neither copied nor moved; make another one where it is needed"
#if defined(NDEBUG)
#define ESPALIER_CALL_GUARD espalier::detail::call_guard<false>
#else
#define ESPALIER_CALL_GUARD espalier::detail::call_guard<(__GCC_ATOMIC_CHAR_LOCK_FREE == 2)>
#endif
#pragma GCC diagnostic pop
