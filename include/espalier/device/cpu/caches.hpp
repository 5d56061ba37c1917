// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdint>

#include "../../base/everywhere.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// What is stored past the caches. Whether that is faster depends on more than the size of the last cache level: with 480 MiB of it results of 16 MiB were
/// stored twice as fast into the caches, with 260 MiB, shared with others, a fifth faster past them. So a program whose results are that large tries both in
/// its first calls, and stays with what took less time. Its results are the same bits.
namespace espalier::on_cpu {

/// Groups whose operands and results take less than this are never stored past the caches: no kernel is compiled for it.
inline constexpr std::int64_t least_streamed = std::int64_t{8} << 20;

namespace detail {

/// Where the processor does not say: most machines have as much.
inline constexpr std::int64_t usual_cache = std::int64_t{24} << 20, usual_second_cache = std::int64_t{512} << 10;

#if defined(__SSE2__)
/// What the processor says of itself: registers a, b, c and d.
struct processor_facts {
  unsigned a, b, c, d;
  processor_facts(unsigned leaf, unsigned part) : a{leaf}, b{0}, c{part}, d{0} { __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d)); }
};
#endif
/// Bytes of a core's second cache level and of the last one; 0 where nobody says.
struct cache_sizes {
  std::int64_t second, last;
};
/// source  Intel 64 Software Developer's Manual, CPUID leaf 4; AMD64 Architecture Programmer's Manual, CPUID 8000_001D, in the same form
[[gnu::cold, gnu::noinline]] inline cache_sizes read_cache_sizes() {
  cache_sizes found{0, 0};
#if defined(__SSE2__)
  constexpr unsigned leaves[] = {4u, 0x8000001du};
  for (unsigned const leaf : leaves) {
    if (processor_facts{leaf & 0x80000000u, 0}.a < leaf) continue;
    for (unsigned part = 0; part < 8; ++part) {
      processor_facts const cache{leaf, part};
      if ((cache.a & 31u) == 0) break;
      std::int64_t const ways = (cache.b >> 22) + 1, partitions = (cache.b >> 12 & 0x3ffu) + 1, line = (cache.b & 0xfffu) + 1, sets = std::int64_t{cache.c} + 1;
      std::int64_t const bytes = ways * partitions * line * sets;
      if ((cache.a >> 5 & 7u) == 2 && bytes > found.second) found.second = bytes;
      if (bytes > found.last) found.last = bytes;
    }
  }
#endif
  return found;
}

/// What was read, 0 before. Threads that read at the same time read the same.
inline cache_sizes known_caches{0, 0};
[[gnu::cold, gnu::noinline]] inline std::int64_t learn_caches(std::int64_t cache_sizes::*level) {
  cache_sizes const found = read_cache_sizes(), sure{found.second > 0 ? found.second : usual_second_cache, found.last > 0 ? found.last : usual_cache};
  __atomic_store_n(&known_caches.second, sure.second, __ATOMIC_RELAXED);
  __atomic_store_n(&known_caches.last, sure.last, __ATOMIC_RELAXED);
  return sure.*level;
}
ESPALIER_INLINE std::int64_t known_cache(std::int64_t cache_sizes::*level) {
  std::int64_t const bytes = __atomic_load_n(&(known_caches.*level), __ATOMIC_RELAXED);
  return __builtin_expect(bytes == 0, 0) ? learn_caches(level) : bytes;
}

#if defined(ESPALIER_CACHE_BYTES)
inline constexpr std::int64_t given_caches[] = {ESPALIER_CACHE_BYTES};
inline constexpr int given_levels = static_cast<int>(sizeof given_caches / sizeof given_caches[0]);
static_assert(given_levels <= 2 && given_caches[0] > 0 && given_caches[given_levels - 1] >= given_caches[0],
              "espalier: ESPALIER_CACHE_BYTES is the bytes of the last cache level, or those of the second and of the last, as in 1048576,33554432");
#endif

/// Some clock that counts up, or 0 where there is none that costs less than a call of the system.
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

/// What the program that runs now does with results that the last cache level would hold. Programs that run at the same time may see each other's: that costs
/// time and changes no result.
inline int streams_within_caches = 0;

}  // namespace detail

/// The bytes of the last cache level: as the processor says, read once, or ESPALIER_CACHE_BYTES, for builds that know their machine. Processors other than x86
/// do not say: usual_cache.
ESPALIER_INLINE std::int64_t cache_bytes() {
#if defined(ESPALIER_CACHE_BYTES)
  return detail::given_caches[detail::given_levels - 1];
#else
  return detail::known_cache(&detail::cache_sizes::last);
#endif
}
/// The bytes of the second level, which a core has for itself: the first of two numbers in ESPALIER_CACHE_BYTES, or as the processor says, read once; where it
/// does not say, usual_second_cache.
ESPALIER_INLINE std::int64_t second_cache_bytes() {
#if defined(ESPALIER_CACHE_BYTES)
  if constexpr (detail::given_levels == 2) return detail::given_caches[0];
#endif
  return detail::known_cache(&detail::cache_sizes::second);
}
/// How much of a product's operand is kept in the second level while the other goes by: no more than `most`, which is what its scratch memory holds, and no
/// more than three eighths of the level, which holds the other operands, too. The order of sums does not depend on it.
ESPALIER_INLINE std::int64_t kept_in_second_cache(std::int64_t most) {
  std::int64_t const fit = second_cache_bytes() / 8 * 3;
  return fit < most ? fit : most;
}
/// The second level that kernels are compiled for, where memory is asked for ahead of its use: from a part of it on, or never. 2 MiB, unless
/// ESPALIER_CACHE_BYTES says it. Of one that is smaller than the processor's, what was measured lost at most 2 % to requests for what the cache holds, sums over
/// rows a fifth; of one that is larger, up to 17 %.
inline constexpr std::int64_t compiled_second_cache = [] {
#if defined(ESPALIER_CACHE_BYTES)
  if (detail::given_levels == 2) return detail::given_caches[0];
#endif
  return std::int64_t{2} << 20;
}();
/// Operands, and results, of a kernel that exceed so many bytes are asked for ahead of their use.
inline constexpr std::int64_t read_far = compiled_second_cache / 2, written_far = compiled_second_cache / 4;

/// Whether a kernel is compiled for results that are stored past the caches, where its operands and results take so many bytes.
constexpr bool may_stream(std::int64_t bytes) {
#if defined(ESPALIER_CACHE_BYTES)
  return bytes > least_streamed && bytes > detail::given_caches[detail::given_levels - 1];
#else
  return bytes > least_streamed;
#endif
}
/// Whether it stores them so: they exceed the last level, or were found to be faster so, and begin at a register's alignment.
template <int Alignment, class T>
ESPALIER_INLINE bool streams_now(std::int64_t bytes, T* const* results, int count) {
  bool r = bytes > cache_bytes() || __atomic_load_n(&detail::streams_within_caches, __ATOMIC_RELAXED) != 0;
  for (int k = 0; k < count; ++k) r = r && reinterpret_cast<std::uintptr_t>(results[k]) % Alignment == 0;
  return r;
}

/// What a program has found out. Threads that run it at the same time may spoil a measurement, not a result.
class stream_trial {
 public:
  /// The first call finds its memory untouched and says nothing; then each way is tried three times in turn. Taking turns call by call, stores into the caches would
  /// find what the others had just driven out of them, and lose.
  static constexpr int calls = 7, calls_into_caches = 4;

  template <class Run, class Clock = detail::ticks>
  ESPALIER_INLINE void run(Run run, Clock clock = {}) {
    int const call = __atomic_load_n(&call_, __ATOMIC_RELAXED);
    std::uint64_t const begun = call < calls ? clock() : 0;
    int const way = call < calls ? begun != 0 && call >= calls_into_caches : __atomic_load_n(&least_[1], __ATOMIC_RELAXED) < __atomic_load_n(&least_[0], __ATOMIC_RELAXED);
    __atomic_store_n(&detail::streams_within_caches, way, __ATOMIC_RELAXED);
    run();
    if (call >= calls) return;
    std::uint64_t const took = clock() - begun;
    if (call > 0 && took < __atomic_load_n(&least_[way], __ATOMIC_RELAXED)) __atomic_store_n(&least_[way], took, __ATOMIC_RELAXED);
    __atomic_store_n(&call_, call + 1, __ATOMIC_RELAXED);
  }

 private:
  int call_ = 0;
  std::uint64_t least_[2] = {~std::uint64_t{0}, ~std::uint64_t{0}};
};

}  // namespace espalier::on_cpu
#pragma GCC diagnostic pop
