// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../operation/rule.hpp"
#include "strided.hpp"
#include "thread_sums.hpp"

namespace espalier::on_cuda {

namespace detail {

/// The axes of x that remain (Stay), or those that are reduced.
template <class From, class To, bool Stay>
struct axes_that {
  static constexpr axes value = [] {
    on_device::detail::strides const own = strides_of(From::value);
    axes r{};
    for (int f = 0; f < From::rank; ++f) {
      int const k = f + To::rank - From::rank;
      bool const stays = k >= 0 && To::value.at[k] == From::value.at[f];
      if (stays == Stay) r.push(From::value.at[f], own.at[f]);
    }
    return r;
  }();
};

}  // namespace detail

/// y = x, reduced along axes in the middle of its shape, in an order that does not depend on the device. If the last
/// axis remains, 8 threads (or one) add every 8th term of a result, and then their sums. If it is reduced, the lanes of
/// a warp or of a block add the terms, and then their sums.
/// table   x, y
template <class T, class Op, class From, class To>
struct strided_reduction_kernel {
  using stay = detail::axes_that<From, To, true>;
  using go = detail::axes_that<From, To, false>;
  using table = kernel_table<2>;
  using C = compute_type<T>;
  static constexpr std::int64_t results = To::size, terms = From::size / To::size;
  static constexpr int threads = 256, cluster = 1, lanes = 32;

  static constexpr bool beside =
      stay::value.rank > 0 && stay::value.stride[stay::value.rank > 0 ? stay::value.rank - 1 : 0] == 1;
  /// Results, or terms, that are read in one access.
  static constexpr int width = beside ? stay::value.template width<T>() : go::value.template width<T>();
  /// Threads that share the terms of a result. If the last axis remains: 8 of a block, which then has 32 columns of
  /// results. It is one if terms are few or results fill a large device (132 multiprocessors of 2,048 threads). If the
  /// last axis is reduced: a block for many terms and few results, else a warp.
  static constexpr int shares = beside ? (terms >= 32 && results / width < 132 * 2048 ? threads / lanes : 1)
                                : terms >= 4096 && results < 4096 ? threads
                                                                  : lanes;
  static constexpr std::int64_t groups = beside ? (results / width) : results, at_once = threads / shares,
                                blocks = (groups + at_once - 1) / at_once;
  static constexpr int load_access = width == full_width<T> ? 16 : 0, store_access = beside ? load_access : 0;

  template <class Context>
  ESPALIER_HOST_DEVICE static void run(Context const& c, table const& t) {
    T const* const x = static_cast<T const*>(t.pointer[0]);
    T* const y = static_cast<T*>(t.pointer[1]);
    if constexpr (beside) columns(c, x, y);
    else row(c, x, y);
  }

 private:
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE C combined(C a, C b) { return rule<Op>::combine(a, b); }

  template <class Context>
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE void columns(Context const& c, T const* x, T* y) {
    constexpr index32 end = static_cast<index32>(terms), count = static_cast<index32>(groups);
    index32 const share = static_cast<index32>(c.thread()) / (threads / shares);
    index32 const group =
        static_cast<index32>(c.block()) * (threads / shares) + static_cast<index32>(c.thread()) % (threads / shares);
    thread_sums<Op, C, width, terms / shares> own;
    if (group < count) {
      T const* const from = x + detail::offset_in<stay>(group * width);
      for (index32 r = share; r < end; r += shares) own.add(load<T, width>(from + detail::offset_in<go>(r)));
    }
    pack<C, width> all = own.total();
    if constexpr (shares > 1) {
      C* const sums = c.template shared<C, threads * width, 0>();
      ESPALIER_UNROLL
      for (int v = 0; v < width; ++v) sums[v * threads + c.thread()] = all.at[v];
      c.barrier();
      if (share != 0 || group >= count) return;
      ESPALIER_UNROLL
      for (int s = 1; s < shares; ++s) {
        ESPALIER_UNROLL
        for (int v = 0; v < width; ++v) all.at[v] = combined(all.at[v], sums[v * threads + s * lanes + c.thread()]);
      }
    }
    if (group < count) store<T, width>(y + group * width, all);
  }

  template <class Context>
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE void row(Context const& c, T const* x, T* y) {
    constexpr index32 end = static_cast<index32>(terms / width), count = static_cast<index32>(groups);
    index32 const lane = static_cast<index32>(c.thread()) % shares;
    index32 const group =
        static_cast<index32>(c.block()) * (threads / shares) + static_cast<index32>(c.thread()) / shares;
    thread_sums<Op, C, 1, terms / shares> own;
    if (group < count) {
      T const* const from = x + detail::offset_in<stay>(group);
      for (index32 r = lane; r < end; r += shares) {
        pack<C, width> const term = load<T, width>(from + detail::offset_in<go>(r * width));
        ESPALIER_UNROLL
        for (int v = 0; v < width; ++v) own.add({{term.at[v]}});
      }
    }
    C all = own.total().at[0];
    ESPALIER_UNROLL
    for (int mask = lanes / 2; mask > 0; mask /= 2) all = combined(all, c.shuffle_xor(all, mask));
    if constexpr (shares > lanes) {
      C* const sums = c.template shared<C, threads / lanes, 0>();
      if (c.thread() % lanes == 0) sums[c.thread() / lanes] = all;
      c.barrier();
      all = sums[0];
      ESPALIER_UNROLL
      for (int s = 1; s < threads / lanes; ++s) all = combined(all, sums[s]);
    }
    if (lane == 0 && group < count) y[group] = static_cast<T>(all);
  }
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
