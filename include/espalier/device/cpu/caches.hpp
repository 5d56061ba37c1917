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
inline constexpr std::int64_t usual_cache = std::int64_t{24} << 20;

#if defined(__SSE2__)
/// What the processor says of itself: registers a, b, c and d.
struct processor_facts {
  unsigned a, b, c, d;
  processor_facts(unsigned leaf, unsigned part) : a{leaf}, b{0}, c{part}, d{0} { __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d)); }
};
#endif
/// source  Intel 64 Software Developer's Manual, CPUID leaf 4; AMD64 Architecture Programmer's Manual, CPUID 8000_001D, in the same form
[[gnu::cold, gnu::noinline]] inline std::int64_t read_cache_bytes() {
  std::int64_t most = 0;
#if defined(__SSE2__)
  constexpr unsigned leaves[] = {4u, 0x8000001du};
  for (unsigned const leaf : leaves) {
    if (processor_facts{leaf & 0x80000000u, 0}.a < leaf) continue;
    for (unsigned level = 0; level < 8; ++level) {
      processor_facts const cache{leaf, level};
      if ((cache.a & 31u) == 0) break;
      std::int64_t const ways = (cache.b >> 22) + 1, partitions = (cache.b >> 12 & 0x3ffu) + 1, line = (cache.b & 0xfffu) + 1, sets = std::int64_t{cache.c} + 1;
      if (ways * partitions * line * sets > most) most = ways * partitions * line * sets;
    }
  }
#endif
  return most > 0 ? most : usual_cache;
}

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
  return ESPALIER_CACHE_BYTES;
#else
  // Threads that ask at the same time read the same.
  static std::int64_t known = 0;
  std::int64_t bytes = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (__builtin_expect(bytes == 0, 0)) __atomic_store_n(&known, bytes = detail::read_cache_bytes(), __ATOMIC_RELAXED);
  return bytes;
#endif
}

/// Whether a kernel is compiled for results that are stored past the caches, where its operands and results take so many bytes.
constexpr bool may_stream(std::int64_t bytes) {
#if defined(ESPALIER_CACHE_BYTES)
  return bytes > least_streamed && bytes > std::int64_t{ESPALIER_CACHE_BYTES};
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
  /// The first call finds its memory untouched and says nothing; then each way is tried three times.
  static constexpr int calls = 7;

  template <class Run, class Clock = detail::ticks>
  ESPALIER_INLINE void run(Run run, Clock clock = {}) {
    int const call = __atomic_load_n(&call_, __ATOMIC_RELAXED);
    std::uint64_t const begun = call < calls ? clock() : 0;
    int const way = call < calls ? begun != 0 && call % 2 != 0 : __atomic_load_n(&least_[1], __ATOMIC_RELAXED) < __atomic_load_n(&least_[0], __ATOMIC_RELAXED);
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
