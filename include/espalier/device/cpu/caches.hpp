// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include <cstdint>
#include <initializer_list>

#include "../../base/host_device.hpp"

/// Decides which results are stored past the caches. Whether that is faster depends on more than the size of the last
/// cache level. With 480 MiB of it, results of 16 MiB were stored twice as fast into the caches. With 260 MiB, shared
/// with others, they were stored a fifth faster past them. Programs with results that large therefore try both in their
/// first calls, and keep the faster way. Their results are the same bits.
namespace espalier::on_cpu {

/// Groups whose operands and results take less than this are never stored past the caches: no kernel is compiled for
/// that.
inline constexpr std::int64_t least_streamed = std::int64_t{8} << 20;

namespace detail {

/// Sizes that are assumed if the processor reports none: most machines have as much.
inline constexpr std::int64_t usual_cache = std::int64_t{24} << 20, usual_second_cache = std::int64_t{512} << 10;

#if defined(__SSE2__)
/// What the processor reports about itself: the registers a, b, c and d of the instruction CPUID.
struct processor_facts {
  unsigned a, b, c, d;
  processor_facts(unsigned leaf, unsigned part) : a{leaf}, b{0}, c{part}, d{0} {
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
  }
};
#endif
/// Bytes of a core's L2 cache and of the last level; 0 if they are not known.
struct cache_sizes {
  std::int64_t second, last;
};
#if defined(__SSE2__)
/// source  Intel 64 Software Developer's Manual, CPUID leaf 4; AMD64 Architecture Programmer's Manual, CPUID 8000_001D,
///         in the same form
[[gnu::cold, gnu::noinline]] inline cache_sizes read_cache_sizes() {
  cache_sizes found{0, 0};
  constexpr unsigned leaves[] = {4u, 0x8000001du};
  for (unsigned const leaf : leaves) {
    if (processor_facts{leaf & 0x80000000u, 0}.a < leaf) continue;
    for (unsigned part = 0; part < 8; ++part) {
      processor_facts const cache{leaf, part};
      if ((cache.a & 31u) == 0) break;
      std::int64_t const ways = (cache.b >> 22) + 1, partitions = (cache.b >> 12 & 0x3ffu) + 1,
                         line = (cache.b & 0xfffu) + 1, sets = std::int64_t{cache.c} + 1;
      std::int64_t const bytes = ways * partitions * line * sets;
      if ((cache.a >> 5 & 7u) == 2 && bytes > found.second) found.second = bytes;
      if (bytes > found.last) found.last = bytes;
    }
  }
  return found;
}
#endif

#if defined(__SSE2__)
/// The sizes that were read, 0 before. Threads that read at the same time read the same sizes. A number has the width
/// of an address: 32-bit processors have no cheap atomic access to 64 bits, and no cache that needs them.
struct known_sizes {
  std::intptr_t second, last;
};
inline known_sizes detected_caches{0, 0};
[[gnu::cold, gnu::noinline]] inline std::int64_t detect_caches(std::intptr_t known_sizes::*level) {
  cache_sizes const found = read_cache_sizes();
  known_sizes const sure{static_cast<std::intptr_t>(found.second > 0 ? found.second : usual_second_cache),
                         static_cast<std::intptr_t>(found.last > 0 ? found.last : usual_cache)};
  __atomic_store_n(&detected_caches.second, sure.second, __ATOMIC_RELAXED);
  __atomic_store_n(&detected_caches.last, sure.last, __ATOMIC_RELAXED);
  return sure.*level;
}
ESPALIER_INLINE std::int64_t detected_cache(std::intptr_t known_sizes::*level) {
  std::intptr_t const bytes = __atomic_load_n(&(detected_caches.*level), __ATOMIC_RELAXED);
  return __builtin_expect(bytes == 0, 0) ? detect_caches(level) : bytes;
}
ESPALIER_INLINE std::int64_t last_cache() { return detected_cache(&known_sizes::last); }
ESPALIER_INLINE std::int64_t second_cache() { return detected_cache(&known_sizes::second); }
#else
// Nothing is detected, so nothing is stored, and a bare processor needs neither memory nor atomic access for it.
constexpr std::int64_t last_cache() { return usual_cache; }
constexpr std::int64_t second_cache() { return usual_second_cache; }
#endif

#if defined(ESPALIER_CACHE_BYTES)
/// The sizes that ESPALIER_CACHE_BYTES lists; an L2 cache of 0 bytes if it names the last level alone. Both are 0 if it
/// is not one size, or two that increase.
constexpr cache_sizes listed_caches(std::initializer_list<std::int64_t> bytes) {
  if (bytes.size() < 1 || bytes.size() > 2) return {0, 0};
  std::int64_t const first = *bytes.begin(), last = *(bytes.end() - 1);
  if (first <= 0 || last < first) return {0, 0};
  return {bytes.size() == 2 ? first : 0, last};
}
inline constexpr cache_sizes configured_caches = listed_caches({ESPALIER_CACHE_BYTES});
static_assert(
    configured_caches.last > 0,
    "espalier: ESPALIER_CACHE_BYTES must be the bytes of the last-level cache, or of the L2 and the last-level cache, as in 1048576,33554432");
#endif

/// A clock that counts up, or 0 if none costs less than a system call.
struct ticks {
  ESPALIER_INLINE std::uint64_t operator()() const {
#if defined(__SSE2__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    std::uint64_t now;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
    return now;
#else
    return 0;
#endif
  }
};

/// Whether the program that runs now stores past the caches what the last level would hold. Programs that run at the
/// same time may read each other's value: that costs time and changes no result.
inline int streams_within_caches = 0;

}  // namespace detail

/// The bytes of the last cache level: as the processor reports them, read once, or ESPALIER_CACHE_BYTES for builds for
/// one machine. Processors other than x86 do not report them: usual_cache.
ESPALIER_INLINE std::int64_t cache_bytes() {
#if defined(ESPALIER_CACHE_BYTES)
  return detail::configured_caches.last;
#else
  return detail::last_cache();
#endif
}
/// The bytes of the L2 cache, which a core has for itself: the first of two numbers in ESPALIER_CACHE_BYTES, or as the
/// processor reports them, read once. If it does not, usual_second_cache.
ESPALIER_INLINE std::int64_t second_cache_bytes() {
#if defined(ESPALIER_CACHE_BYTES)
  if constexpr (detail::configured_caches.second > 0) return detail::configured_caches.second;
#endif
  return detail::second_cache();
}
/// How many bytes of a product's operand are kept in the L2 cache while the other operand streams through it. At most
/// `most`, which its scratch memory holds, and at most three eighths of the cache, which also holds the other operands.
/// The order of sums does not depend on it.
ESPALIER_INLINE std::int64_t kept_in_second_cache(std::int64_t most) {
  std::int64_t const fit = second_cache_bytes() / 8 * 3;
  return fit < most ? fit : most;
}
/// The L2 cache that kernels with prefetches are compiled for: they prefetch operands above a part of this size, and no
/// others. It is 2 MiB, unless ESPALIER_CACHE_BYTES sets it. If the processor has a larger one, it cost at most 2 % in
/// measurements to prefetch what the cache holds; sums over rows lost a fifth. If the processor has a smaller one,
/// kernels lost up to 17 %.
inline constexpr std::int64_t compiled_second_cache = [] {
#if defined(ESPALIER_CACHE_BYTES)
  if (detail::configured_caches.second > 0) return detail::configured_caches.second;
#endif
  return std::int64_t{2} << 20;
}();
/// Kernels prefetch operands, and results, that exceed so many bytes.
inline constexpr std::int64_t read_far = compiled_second_cache / 2, written_far = compiled_second_cache / 4;

/// Whether a kernel whose operands and results take so many bytes is compiled with stores past the caches.
constexpr bool may_stream(std::int64_t bytes) {
#if defined(ESPALIER_CACHE_BYTES)
  return bytes > least_streamed && bytes > detail::configured_caches.last;
#else
  return bytes > least_streamed;
#endif
}
/// Whether such a kernel stores past the caches now. Its bytes exceed the last level, or this was measured to be
/// faster; and its results begin at the alignment of a register.
template <int Alignment, class T>
ESPALIER_INLINE bool streams_now(std::int64_t bytes, T* const* results, int count) {
  bool r = bytes > cache_bytes() || __atomic_load_n(&detail::streams_within_caches, __ATOMIC_RELAXED) != 0;
  for (int k = 0; k < count; ++k) r = r && reinterpret_cast<std::uintptr_t>(results[k]) % Alignment == 0;
  return r;
}

/// Times both ways of storing in a program's first calls, and keeps the faster one. Threads that run the program at the
/// same time may spoil a measurement, but no result.
class store_tuner {
 public:
  /// The first call is not counted, because its memory is untouched. Then each way is tried in three calls in a row. If
  /// the ways alternated, stores into the caches would find evicted what the others had just driven out, and would
  /// lose.
  static constexpr int calls = 7, calls_into_caches = 4;

  template <class Run, class Clock = detail::ticks>
  ESPALIER_INLINE void run(Run run, Clock clock = {}) {
    int const call = __atomic_load_n(&call_, __ATOMIC_RELAXED);
    std::uint64_t const begun = call < calls ? clock() : 0;
    int const way = call < calls
                        ? begun != 0 && call >= calls_into_caches
                        : __atomic_load_n(&least_[1], __ATOMIC_RELAXED) < __atomic_load_n(&least_[0], __ATOMIC_RELAXED);
    __atomic_store_n(&detail::streams_within_caches, way, __ATOMIC_RELAXED);
    run();
    if (call >= calls) return;
    std::uint64_t const passed = clock() - begun;
    std::uintptr_t const elapsed = passed < most ? static_cast<std::uintptr_t>(passed) : most;
    if (call > 0 && elapsed < __atomic_load_n(&least_[way], __ATOMIC_RELAXED))
      __atomic_store_n(&least_[way], elapsed, __ATOMIC_RELAXED);
    __atomic_store_n(&call_, call + 1, __ATOMIC_RELAXED);
  }

 private:
  // As wide as an address, which every processor reads at once. Where that is 32 bits, a longer time counts as the
  // longest.
  static constexpr std::uintptr_t most = ~std::uintptr_t{0};

  int call_ = 0;
  std::uintptr_t least_[2] = {most, most};
};

}  // namespace espalier::on_cpu
#include "../../base/diagnostics_pop.hpp"
